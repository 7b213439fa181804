//! The sample tables, as bytes.

use std::sync::{Arc, LazyLock};

use granero::{Cycles, Position, Tables};

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../../src/table/sample/", $name)))),*]
    };
}

static FILES: [(&str, &[u8]); 18] = files!(
    "layer-00.granero" "layer-01.granero" "layer-02.granero" "layer-03.granero" "layer-04.granero"
    "layer-05.granero" "layer-06.granero" "layer-07.granero" "layer-08.granero"
    "own-side/layer-00.granero" "own-side/layer-01.granero" "own-side/layer-02.granero"
    "own-side/layer-03.granero" "own-side/layer-04.granero" "own-side/layer-05.granero"
    "own-side/layer-06.granero" "own-side/layer-07.granero" "own-side/layer-08.granero"
);

/// The files of the layers of a convention, from 0 seeds on.
pub fn layers(cycles: Cycles) -> &'static [Arc<[u8]>] {
    static LAYERS: LazyLock<Vec<Arc<[u8]>>> =
        LazyLock::new(|| FILES.iter().map(|(_, bytes)| Arc::from(*bytes)).collect());
    let (split, own_side) = LAYERS.split_at(FILES.len() / 2);
    match cycles {
        Cycles::Split => split,
        Cycles::OwnSide => own_side,
    }
}

/// The file of this name.
pub fn file(name: &str) -> Option<Arc<[u8]>> {
    let place = FILES.iter().position(|(file, _)| *file == name)?;
    Some(Arc::from(FILES[place].1))
}

/// The value of a position in the sample tables; `None` beyond them.
pub fn value(position: &Position) -> Option<i8> {
    let value = Tables::sample().value(position).unwrap();
    value.map(|value| value.low().seeds())
}
