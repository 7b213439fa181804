//! The positions of `data/prove/`, and the prover's tables.

use std::path::Path;

use granero::table::TableWriter;
use granero::{Position, TableOptions, Tables};

/// The seeds of the prover's tables.
pub(crate) const TABLES: u8 = 15;

/// The first positions of a list.
pub(crate) fn list(seeds: u8, count: usize) -> Vec<Position> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let list = std::fs::read_to_string(format!("{root}/data/prove/seeds-{seeds}.txt"));
    let list = list.expect("a list of positions");
    let positions = list.lines().take(count);
    positions
        .map(|line| line.parse().expect("a position"))
        .collect()
}

/// Tables up to 15 seeds, decoded in memory.
pub(crate) fn limited(whole: &Tables, place: &Path) -> Tables {
    let writer = TableWriter::open(place, (whole.rules(), whole.cycles()));
    let mut writer = writer.expect("a new directory");
    for layer in whole.layers().take(usize::from(TABLES) + 1) {
        let (_, values) = layer.expect("sound tables");
        writer.add_layer(&values).expect("a new layer");
    }
    let options = TableOptions::new().in_memory(TABLES);
    options.open(place).expect("tables")
}
