//! Compares the size of full and deciding tables, for games of few seeds.
//!
//! `cargo run --release --example deciding -- [seeds] [cycles] [game]...`
//!
//! For each game, by default from the seeds of the layer to twice as many, this builds deciding tables in a
//! temporary directory, and prints the size of the files of the last layer.

use std::error::Error;

use granero::build::Build;
use granero::table::TableWriter;
use granero::{Cycles, Extent, Ruleset};
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seeds: u8 = arguments.next().map_or(Ok(12), |seeds| seeds.parse())?;
    let cycles: Cycles = arguments
        .next()
        .map_or(Ok(Cycles::Split), |name| name.parse())?;
    let games: Vec<u8> = arguments
        .map(|game| game.parse())
        .collect::<Result<_, _>>()?;
    let games = if games.is_empty() {
        (seeds..=2 * seeds).step_by(2).collect()
    } else {
        games
    };
    println!("game  limit  bits a position with {seeds} seeds");
    for game in games {
        let extent = Extent::deciding(game).ok_or("a game has at most 48 seeds")?;
        let place = std::env::temp_dir().join(format!("granero-deciding-{}", std::process::id()));
        let build = Build {
            cycles,
            extent,
            seeds,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: u64::MAX,
            checkpoint: None,
        };
        let rules = Ruleset::Abapa;
        let mut tables = TableWriter::open(&place, (rules, cycles, extent))?;
        let built = build.run(&mut tables, &());
        let last = tables.manifest().layers.last().cloned();
        drop(tables);
        std::fs::remove_dir_all(&place)?;
        built?;
        let last = last.ok_or("no layer")?;
        let bytes = last.file.bytes;
        let bits = 8.0 * bytes as f64 / last.statistics.positions as f64;
        println!("{game:4}  {:5}  {bits:.3}", extent.limit(cycles, seeds));
    }
    Ok(())
}
