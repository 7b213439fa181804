//! The speed of looking up and writing tables, and their size.
//!
//! `cargo bench -p granero-benches --bench tables` builds `abapa` up to 18 seeds in a temporary directory (or
//! up to another number: `cargo bench -p granero-benches --bench tables -- 16`) and prints a table. All of it
//! runs on one thread, with the files in the page cache. Look-ups and reading are measured both with mapped
//! files and with files that are read. With a directory of tables instead of a number, only look-ups that decode
//! are measured: to compare two programs, run them alternately.

use std::hint::black_box;
use std::time::{Duration, Instant};

use granero::index::draw;
use granero::table::TableWriter;
use granero::{Access, Cycles, Position, Ruleset, TableOptions, Tables, solver};

const PROBES: usize = 20_000;

const ACCESSES: [(&str, Access); 2] = [("mapped", Access::Map), ("read", Access::Read)];

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|text| text != "--bench");
    let argument = arguments.next().unwrap_or("18".into());
    let Ok(seeds) = argument.parse() else {
        let directory = std::path::Path::new(&argument);
        let tables = Tables::open(directory).expect("tables");
        let seeds = tables.max_seeds().expect("a layer");
        return cold(directory, &draw(seeds, 42).take(PROBES).collect::<Vec<_>>());
    };
    let place = tempfile::tempdir().expect("a temporary directory");
    let directory = place.path().join("tables");
    build(&directory, seeds);
    size(&directory, seeds);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| {
        writing(&directory, place.path());
        probing(&directory, seeds);
        reading(&directory);
    });
}

fn build(directory: &std::path::Path, seeds: u8) {
    let mut writer =
        TableWriter::open(directory, (Ruleset::Abapa, Cycles::Split)).expect("a directory");
    for values in solver::solve_all((Ruleset::Abapa, Cycles::Split), seeds, 2) {
        writer.add_layer(&values).expect("a layer that is written");
    }
}

fn size(directory: &std::path::Path, seeds: u8) {
    let tables = Tables::open(directory).expect("tables");
    let bytes: u64 = tables.manifest().files().map(|file| file.bytes).sum();
    let positions: u64 = tables
        .manifest()
        .layers
        .iter()
        .map(|layer| layer.statistics.positions)
        .sum();
    let bits = bytes as f64 * 8.0 / positions as f64;
    report(
        &format!("size, layers 0..={seeds}"),
        &format!("{bits:.3} bits a position"),
    );
}

/// Writes the last layer again, with the smaller layers in memory.
fn writing(from: &std::path::Path, place: &std::path::Path) {
    let mut writer = TableWriter::open(place.join("written"), (Ruleset::Abapa, Cycles::Split))
        .expect("a directory");
    let mut last = (Duration::ZERO, 0);
    for layer in Tables::open(from).expect("tables").layers() {
        let (layer, values) = layer.expect("a layer");
        let begin = Instant::now();
        writer.add_layer(&values).expect("a layer that is written");
        last = (begin.elapsed(), layer.len());
    }
    drop(writer);
    std::fs::remove_dir_all(place.join("written")).expect("removed");
    report("writing the last layer, durable", &rate(last.1, last.0));
}

fn probing(directory: &std::path::Path, seeds: u8) {
    let drawn = |count| draw(seeds, 42).take(count).collect::<Vec<Position>>();
    let positions = drawn(PROBES);
    cold(directory, &positions);
    let few = &positions[..500];
    for (name, access) in ACCESSES {
        let cached = TableOptions::new().access(access).open(directory);
        report(
            &format!("probe, cached blocks, {name}"),
            &format!("{:.0?}", average(&cached.expect("tables"), few)),
        );
    }
    let in_memory = TableOptions::new()
        .in_memory(seeds)
        .open(directory)
        .expect("tables");
    report(
        "probe, layers in memory",
        &format!("{:.0?}", average(&in_memory, &positions)),
    );
    let many = drawn(50 * PROBES);
    for positions in [&positions, &many] {
        // The best of three, in turns, because the machine may have other work.
        let mut best = ACCESSES.map(|_| Duration::MAX);
        for _ in 0..3 {
            for ((_, access), best) in ACCESSES.into_iter().zip(&mut best) {
                let batch = TableOptions::new().access(access).open(directory);
                let batch = batch.expect("tables");
                let begin = Instant::now();
                black_box(batch.values(positions).expect("values"));
                *best = (*best).min(begin.elapsed());
            }
        }
        for ((name, _), best) in ACCESSES.into_iter().zip(best) {
            let count = positions.len() as u32;
            report(
                &format!("each of a batch of {count}, {name}"),
                &format!("{:.2?}", best / count),
            );
        }
    }
}

/// Times look-ups that decode all blocks that they need.
fn cold(directory: &std::path::Path, positions: &[Position]) {
    for (name, access) in ACCESSES {
        let cold = TableOptions::new()
            .cache_bytes(0)
            .access(access)
            .open(directory)
            .expect("tables");
        // Read the models of all layers, which happens once.
        probe_all(&cold, &positions[..1000]);
        let mut times = probe_all(&cold, positions);
        times.sort_unstable();
        let at = |share: f64| times[(share * times.len() as f64) as usize];
        report(
            &format!("probe, cold blocks, {name}"),
            &format!(
                "quartile {:.1?}, median {:.1?}, p99 {:.1?}",
                at(0.25),
                at(0.5),
                at(0.99)
            ),
        );
    }
}

fn probe_all(tables: &Tables, positions: &[Position]) -> Vec<Duration> {
    let probe = |position: &Position| {
        let begin = Instant::now();
        black_box(tables.value(position).expect("a value"));
        begin.elapsed()
    };
    positions.iter().map(probe).collect()
}

/// The time of a probe when every block is in the cache.
fn average(tables: &Tables, positions: &[Position]) -> Duration {
    probe_all(tables, positions);
    let rounds = 200_000 / positions.len() as u32;
    let begin = Instant::now();
    for _ in 0..rounds {
        for position in positions {
            black_box(tables.value(black_box(position)).expect("a value"));
        }
    }
    begin.elapsed() / (rounds * positions.len() as u32)
}

fn reading(directory: &std::path::Path) {
    for (name, access) in ACCESSES {
        let tables = TableOptions::new().access(access).open(directory);
        reading_by(name, &tables.expect("tables"));
    }
}

fn reading_by(name: &str, tables: &Tables) {
    // The best of three, because the machine may have other work.
    let mut best_last = Duration::MAX;
    let mut best_all = Duration::MAX;
    let (mut last_positions, mut all_positions) = (0, 0);
    for _ in 0..3 {
        let begin = Instant::now();
        let mut last = begin;
        all_positions = 0;
        let mut layers = tables.layers();
        loop {
            let start = Instant::now();
            let Some(layer) = layers.next() else { break };
            let (layer, values) = layer.expect("a layer");
            black_box(values);
            last = start;
            last_positions = layer.len();
            all_positions += layer.len();
        }
        best_last = best_last.min(last.elapsed());
        best_all = best_all.min(begin.elapsed());
    }
    report(
        &format!("decoding the last layer, all resolved, {name}"),
        &rate(last_positions, best_last),
    );
    report(
        &format!("decoding all layers, moves included, {name}"),
        &rate(all_positions, best_all),
    );
    let bytes: u64 = tables.manifest().files().map(|file| file.bytes).sum();
    let best = (0..3).map(|_| {
        let begin = Instant::now();
        tables.verify_files(|_| {}).expect("sound files");
        begin.elapsed()
    });
    let best = best.min().unwrap_or_default();
    let speed = bytes as f64 / best.as_secs_f64() / 1e6;
    report(
        &format!("comparing files with their checksums, {name}"),
        &format!("{speed:.0} MB/s"),
    );
}

fn rate(positions: u64, time: Duration) -> String {
    format!(
        "{:.1} M positions/s",
        positions as f64 / time.as_secs_f64() / 1e6
    )
}

fn report(what: &str, figure: &str) {
    println!("  {what:48} {figure}");
}
