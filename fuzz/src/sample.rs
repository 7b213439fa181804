//! The sample tables, as bytes.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use granero::{Cycles, Position, Tables};

/// The files of the layers of a convention, from 0 seeds on.
pub fn layers(cycles: Cycles) -> &'static [Arc<[u8]>] {
    static LAYERS: LazyLock<[Vec<Arc<[u8]>>; 2]> = LazyLock::new(|| {
        // The tests of the program compile this file, too.
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let mut samples = folders.map(|folder| folder.join("src/table/sample"));
        let sample = samples.find(|sample| sample.is_dir()).unwrap();
        ["", "own-side"].map(|folder| {
            let file = |seeds| {
                sample
                    .join(folder)
                    .join(format!("layer-{seeds:02}.granero"))
            };
            (0..=8)
                .map(|seeds| fs::read(file(seeds)).unwrap().into())
                .collect()
        })
    });
    &LAYERS[usize::from(cycles == Cycles::OwnSide)]
}

/// The value of a position in the sample tables; `None` beyond them.
pub fn value(position: &Position) -> Option<i8> {
    let value = Tables::sample().value(position).unwrap();
    value.map(|value| value.low().seeds())
}
