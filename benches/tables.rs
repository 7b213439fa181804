//! The speed of looking up and writing tables, and their size. For solving, exporting, verifying and batches, measure
//! the command.
//!
//! `cargo bench -p granero-benches --bench tables` builds `abapa` up to 18 seeds in a temporary directory (or
//! up to another number: `cargo bench -p granero-benches --bench tables -- 16`) and prints a table. All of it runs on one
//! thread, with the files in the page cache, both with mapped files and with files that are read. With a directory of
//! tables instead of a number, only look-ups that decode are measured: to compare two programs, run them alternately.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use granero::index::{Layer, draw};
use granero::solver;
use granero::table::TableWriter;
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
    let place = tempfile::tempdir().expect("a temporary directory");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    pool.build().expect("threads").install(|| {
        writing(place.path(), &layers);
        probing(place.path(), seeds);
    });
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
    let (layer, _) = Layer::all().zip(layers).last().expect("a layer");
    let millions = layer.len() as f64 / last.as_secs_f64() / 1e6;
    report(
        "writing the last layer, durable",
        format!("{millions:.1} M positions/s"),
    );
}

fn probing(directory: &Path, seeds: u8) {
    let positions: Vec<Position> = draw(seeds, 42).take(PROBES).collect();
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

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn report(what: impl AsRef<str>, figure: String) {
    println!("  {:48} {figure}", what.as_ref());
}
