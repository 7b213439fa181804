//! The speed of numbering positions, of solving a layer, and of looking up and writing tables; and their size.
//!
//! `cargo bench -p granero-benches --bench tables` builds `abapa` up to 18 seeds in a temporary directory (or
//! up to another number: `cargo bench -p granero-benches --bench tables -- 16`) and prints a table. All of it but
//! solving runs on one thread, with the files in the page cache. Look-ups and reading are measured both with mapped
//! files and with files that are read. With a directory of tables instead of a number, only look-ups that decode
//! are measured: to compare two programs, run them alternately.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use granero::index::{Layer, draw};
use granero::solver::{self, Solver, TurnedLayer};
use granero::table::{LayerStatistics, TableWriter};
use granero::{Access, Cycles, Measured, Position, Ruleset, TableOptions, Tables};

const PROBES: usize = 20_000;

const KIND: (Ruleset, Cycles) = (Ruleset::Abapa, Cycles::Split);

const ACCESSES: [(&str, Access); 2] = [("mapped", Access::Map), ("read", Access::Read)];

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|text| text != "--bench");
    let argument = arguments.next().unwrap_or("18".into());
    let Ok(seeds) = argument.parse() else {
        let directory = Path::new(&argument);
        let tables = Tables::open(directory).expect("tables");
        let seeds = tables.max_seeds().expect("a layer");
        return cold(directory, &draw(seeds, 42).take(PROBES).collect::<Vec<_>>());
    };
    let layers = solver::solve_all(KIND, seeds, 2);
    for threads in [1, 2] {
        with_threads(threads, || solving(&layers, threads));
    }
    let place = tempfile::tempdir().expect("a temporary directory");
    with_threads(1, || {
        numbering();
        writing(place.path(), &layers);
        probing(place.path(), seeds);
        for (name, access) in ACCESSES {
            let tables = TableOptions::new().access(access).open(place.path());
            reading(name, &tables.expect("tables"));
        }
    });
}

fn with_threads(threads: usize, work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(work);
}

/// Solves the last layer again.
fn solving(layers: &[Measured<Vec<i8>>], threads: usize) {
    let turned = Layer::all().zip(layers).map(|(layer, values)| {
        let values = values.as_ref().low();
        Arc::new(TurnedLayer::new(layer, values))
    });
    let turned: Vec<_> = turned.collect();
    let layer = Layer::new(layers.len() as u8 - 1).expect("a layer");
    let solver = Solver::new(KIND, layer.seeds());
    let best = best(|| {
        let smaller = |seeds: u8, _| Ok::<_, ()>(turned[usize::from(seeds)].clone());
        drop(black_box(solver.solve(layer, smaller, |_| {})));
    });
    let figure = rate(layer.len(), best);
    report(
        format!("solving the last layer, threads: {threads}"),
        figure,
    );
}

/// Numbers positions, and finds them by their numbers.
fn numbering() {
    for seeds in [12, 24, 48] {
        // In an order that no predictor can learn.
        let positions: Vec<Position> = draw(seeds, 42).take(PROBES).collect();
        let numbers = positions
            .iter()
            .map(|position| Layer::of(position).index(position));
        let numbers: Vec<u64> = numbers.collect();
        let layer = Layer::new(seeds).expect("a layer");
        let count = PROBES as u64;
        let rank = best(|| {
            let numbers = positions
                .iter()
                .map(|position| Layer::of(position).index(position));
            black_box(numbers.sum::<u64>());
        });
        report(
            format!("numbers of positions, {seeds} seeds"),
            rate(count, rank),
        );
        let unrank = best(|| {
            let positions = numbers
                .iter()
                .map(|&number| layer.position(number % layer.len()));
            black_box(positions.flatten().count());
        });
        report(
            format!("positions of numbers, {seeds} seeds"),
            rate(count, unrank),
        );
        let iterate = best(|| {
            layer.positions().take(PROBES).for_each(|it| {
                black_box(it);
            });
        });
        report(
            format!("positions in order, {seeds} seeds"),
            rate(count, iterate),
        );
    }
}

/// Writes tables, with the smaller layers in memory.
fn writing(directory: &Path, layers: &[Measured<Vec<i8>>]) {
    let mut writer = TableWriter::open(directory, KIND).expect("a directory");
    let mut last = Duration::ZERO;
    for values in layers {
        last = time(|| {
            writer.add_layer(values).expect("a layer that is written");
        });
    }
    let tables = Tables::open(directory).expect("tables");
    let bytes: u64 = tables.manifest().files().map(|file| file.bytes).sum();
    let finished = tables.manifest().layers.iter();
    let positions: u64 = finished.map(|layer| layer.statistics.positions).sum();
    let bits = bytes as f64 * 8.0 / positions as f64;
    report("size of all layers", format!("{bits:.3} bits a position"));
    let (layer, values) = Layer::all().zip(layers).last().expect("a layer");
    report("writing the last layer, durable", rate(layer.len(), last));
    let hash = best(|| drop(black_box(LayerStatistics::of(layer, values))));
    report("its statistics and hash", rate(layer.len(), hash));
    let turn = best(|| drop(black_box(TurnedLayer::new(layer, values.as_ref().low()))));
    report("turning it around", rate(layer.len(), turn));
}

fn probing(directory: &Path, seeds: u8) {
    let drawn = |count| draw(seeds, 42).take(count).collect::<Vec<Position>>();
    let positions = drawn(PROBES);
    cold(directory, &positions);
    let few = &positions[..500];
    for (name, access) in ACCESSES {
        let cached = TableOptions::new().access(access).open(directory);
        let average = average(&cached.expect("tables"), few);
        report(
            format!("probe, cached blocks, {name}"),
            format!("{average:.0?}"),
        );
    }
    let in_memory = TableOptions::new().in_memory(seeds).open(directory);
    let average = average(&in_memory.expect("tables"), &positions);
    report("probe, layers in memory", format!("{average:.0?}"));
    for positions in [&positions, &drawn(50 * PROBES)] {
        let count = positions.len() as u32;
        for (name, access) in ACCESSES {
            let best = best(|| {
                let batch = TableOptions::new().access(access).open(directory);
                black_box(batch.expect("tables").values(positions).expect("values"));
            });
            let figure = format!("{:.2?}", best / count);
            report(format!("each of a batch of {count}, {name}"), figure);
        }
    }
}

/// Times look-ups that decode all blocks that they need.
fn cold(directory: &Path, positions: &[Position]) {
    for (name, access) in ACCESSES {
        let cold = TableOptions::new().cache_bytes(0).access(access);
        let cold = cold.open(directory).expect("tables");
        // Read the models of all layers, which happens once.
        probe_all(&cold, &positions[..1000]);
        let mut times = probe_all(&cold, positions);
        times.sort_unstable();
        let [quartile, median, most] =
            [0.25, 0.5, 0.99].map(|share| times[(share * times.len() as f64) as usize]);
        let figure = format!("quartile {quartile:.1?}, median {median:.1?}, p99 {most:.1?}");
        report(format!("probe, cold blocks, {name}"), figure);
    }
}

fn probe_all(tables: &Tables, positions: &[Position]) -> Vec<Duration> {
    let probe = |position| {
        time(|| {
            black_box(tables.value(position).expect("a value"));
        })
    };
    positions.iter().map(probe).collect()
}

/// The time of a probe when every block is in the cache.
fn average(tables: &Tables, positions: &[Position]) -> Duration {
    probe_all(tables, positions);
    let rounds = 200_000 / positions.len() as u32;
    let all = time(|| {
        for position in (0..rounds).flat_map(|_| positions) {
            black_box(tables.value(black_box(position)).expect("a value"));
        }
    });
    all / (rounds * positions.len() as u32)
}

fn reading(name: &str, tables: &Tables) {
    let mut last = Duration::MAX;
    let (mut count, mut positions) = (0, 0);
    let all = best(|| {
        let mut time = Duration::ZERO;
        positions = 0;
        let mut layers = tables.layers();
        loop {
            let begin = Instant::now();
            let Some(layer) = layers.next() else { break };
            let (layer, values) = layer.expect("a layer");
            black_box(values);
            (time, count) = (begin.elapsed(), layer.len());
            positions += count;
        }
        last = last.min(time);
    });
    report(
        format!("decoding the last layer, all resolved, {name}"),
        rate(count, last),
    );
    report(
        format!("decoding all layers, moves included, {name}"),
        rate(positions, all),
    );
    let bytes: u64 = tables.manifest().files().map(|file| file.bytes).sum();
    let best = best(|| tables.verify_files(|_| {}).expect("sound files"));
    let speed = format!("{:.0} MB/s", bytes as f64 / best.as_secs_f64() / 1e6);
    report(
        format!("comparing files with their checksums, {name}"),
        speed,
    );
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

/// The best of three, because the machine may have other work.
fn best(mut work: impl FnMut()) -> Duration {
    let times = (0..3).map(|_| time(&mut work));
    times.min().unwrap_or_default()
}

fn rate(positions: u64, time: Duration) -> String {
    let millions = positions as f64 / time.as_secs_f64() / 1e6;
    format!("{millions:.1} M positions/s")
}

fn report(what: impl AsRef<str>, figure: String) {
    println!("  {:48} {figure}", what.as_ref());
}
