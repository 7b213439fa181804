//! All values of a layer, from its files.

use std::io;

use super::directory::error;
use super::error::TableError;
use super::known::{self, FullRows};
use super::named_file::NamedFile;
use super::smaller::SmallerLayers;
use super::statistics::{hash, unhex};
use crate::index::Layer;
use crate::layer_values::LayerValues;
use crate::rows::RowMoves;

/// Reads all values of a layer from its files: one, or those of the low and the high bounds.
pub(super) fn read(
    files: &[NamedFile],
    rows: &RowMoves,
    smaller: &SmallerLayers,
) -> Result<LayerValues, TableError> {
    let values = match files {
        [file] => {
            let mut values = stored(file, rows, smaller)?;
            let layer = file.layer();
            for opponents_seeds in 6..=layer.seeds() {
                let full = FullRows::new(rows, layer, opponents_seeds, &values, &values);
                full.put(layer, &mut values);
            }
            LayerValues::Exact(values)
        }
        [low_file, high_file] => {
            let mut low = stored(low_file, rows, smaller)?;
            let mut high = stored(high_file, rows, smaller)?;
            let layer = low_file.layer();
            for opponents_seeds in 6..=layer.seeds() {
                // What one player gets at least, the other leaves at most.
                let full_low = FullRows::new(rows, layer, opponents_seeds, &low, &high);
                let full_high = FullRows::new(rows, layer, opponents_seeds, &high, &low);
                full_low.put(layer, &mut low);
                full_high.put(layer, &mut high);
            }
            LayerValues::Bounds { low, high }
        }
        _ => unreachable!("a layer has one file, or two"),
    };
    for (file, (_, values)) in files.iter().zip(values.measures()) {
        if unhex(&hash(values)) != Some(file.file.header().values_sha256) {
            return Err(TableError::Damaged {
                path: file.path.clone(),
                what: "its values are not those that were written".into(),
            });
        }
    }
    Ok(values)
}

/// What is stored, and what captures give if that is more.
fn stored(
    file: &NamedFile,
    rows: &RowMoves,
    smaller: &SmallerLayers,
) -> Result<Vec<i8>, TableError> {
    let layer: Layer = file.layer();
    // Before memory is taken for a layer that cannot be there.
    let index = file.file.check_index();
    index.map_err(|error| TableError::in_file(&file.path, error))?;
    let of_child = file.file.header().measure.of_child();
    let mut values = Vec::new();
    // Tables can be larger than the memory.
    let room = values.try_reserve_exact(layer.len() as usize);
    room.map_err(|_| error("read", &file.path)(io::ErrorKind::OutOfMemory.into()))?;
    values.resize(layer.len() as usize, known::NO_CAPTURE);
    let decoded = file.file.decode_all(&mut values);
    decoded.map_err(|error| TableError::in_file(&file.path, error))?;
    known::add_captures(rows, layer, &mut values, |seeds| {
        smaller.get(seeds, of_child)
    })?;
    Ok(values)
}
