//! Processor time and bytes moved of a layer that is solved in bands.
//!
//! `cargo run --release -p granero-solver --example bands -- SEEDS PLACE PARTS ...` solves the layers of `abapa`
//! below `SEEDS` in memory, then that layer in memory and in each number of bands, with files in `PLACE`.

use std::sync::Arc;
use std::time::Instant;

use granero_game::rules::Ruleset;
use granero_game::{Bound, Cycles};
use granero_solver::checkpoint::NoCheckpoints;
use granero_solver::solve::Solver;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::index::Layer;
use granero_table::rows::{LayerValues, TurnedLayer};

fn main() -> Result<(), TableError> {
    let mut arguments = std::env::args().skip(1);
    let seeds: u8 = arguments
        .next()
        .and_then(|it| it.parse().ok())
        .expect("seeds");
    let place = arguments.next().expect("a place");
    let parts: Vec<u64> = arguments.map(|it| it.parse().expect("a number")).collect();
    let directory = Arc::new(OpenDirectory::open(place.as_ref()).expect("a directory"));
    let solver = Solver::new((Ruleset::Abapa, Cycles::Split), seeds);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| {
        let mut turned: Vec<Arc<TurnedLayer>> = Vec::new();
        for layer in Layer::all().take(usize::from(seeds)) {
            let smaller = |seeds: u8, _: Bound, _| Ok::<_, TableError>(turned[usize::from(seeds)].clone());
            let solved = solver.solve_in_parts(layer, smaller, &mut NoCheckpoints, |_| Ok(()))?;
            turned.push(Arc::new(TurnedLayer::of(&solved.values().low())));
        }
        let layer = Layer::new(seeds).expect("few enough");
        let smaller = |seeds: u8, _: Bound, _| Ok::<_, TableError>(turned[usize::from(seeds)].clone());
        let (begin, time) = (processor_time(), Instant::now());
        let alone = solver.solve_in_parts(layer, smaller, &mut NoCheckpoints, |_| Ok(()))?;
        report("in memory", begin, time);
        for parts in parts {
            let (begin, time) = (processor_time(), Instant::now());
            let bands = (parts, directory.clone());
            let (solved, moved) = solver.solve_in_bands::<TableError>(layer, smaller, bands, |_| Ok(()))?;
            report(&format!("{parts}"), begin, time);
            let each = |bytes: u64| bytes as f64 / layer.len() as f64;
            println!(
                "  {} bands, {} visits; for each position {:.1} bytes read, {:.1} written, {:.2} of news, {:.2} written",
                moved.bands, moved.visits, each(moved.read), each(moved.written), each(moved.news), each(moved.news_written),
            );
            assert!(solved.values().low().pieces().eq(alone.values().low().pieces()));
        }
        Ok(())
    })
}

fn processor_time() -> [f64; 2] {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    [11, 12].map(|field| fields[field].parse::<f64>().expect("a number") / 100.0)
}

fn report(what: &str, [user, system]: [f64; 2], time: Instant) {
    let [user_now, system_now] = processor_time();
    let elapsed = time.elapsed().as_secs_f64();
    println!(
        "{what}: user {:.2} s, system {:.2} s, elapsed {elapsed:.2} s",
        user_now - user,
        system_now - system
    );
}
