//! The sample tables, as bytes.

use std::sync::{Arc, LazyLock};

use granero::{Position, Tables};

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../../src/table/sample/", $name)))),*]
    };
}

/// The files of layers with values, from 0 seeds on.
pub static LAYERS: LazyLock<Vec<Arc<[u8]>>> = LazyLock::new(|| {
    let layers = FILES.iter().map(|(_, bytes)| Arc::from(*bytes));
    layers.collect()
});

static FILES: [(&str, &[u8]); 9] = files!(
    "layer-00.granero" "layer-01.granero" "layer-02.granero" "layer-03.granero" "layer-04.granero"
    "layer-05.granero" "layer-06.granero" "layer-07.granero" "layer-08.granero"
);

/// The file of this name.
pub fn file(name: &str) -> Option<Arc<[u8]>> {
    let place = FILES.iter().position(|(file, _)| *file == name)?;
    Some(LAYERS[place].clone())
}

/// The worth of a position in the sample tables; `None` beyond them.
pub fn worth(position: &Position) -> Option<i8> {
    let worth = Tables::sample().worth(position).unwrap();
    worth.map(|worth| worth.low().seeds())
}
