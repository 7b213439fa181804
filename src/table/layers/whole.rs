//! Reads all values of a layer from its file.

use std::sync::Arc;

use super::open;
use crate::error::TableError;
use crate::file::named_file::NamedFile;
use crate::file::sha256::Sha256;
use crate::rows::{InOrder, RowMoves, TurnedLayer};
use granero_game::{Bound, Measured};

/// Reads all values of a layer, or its bounds. `smaller` returns the part of a layer with fewer seeds that
/// begins at a place of the turned order, or before it.
pub fn read(
    file: &NamedFile,
    rows: &RowMoves,
    smaller: impl Fn(u8, Bound, usize) -> Result<Arc<TurnedLayer>, TableError>,
) -> Result<Measured<Vec<i8>>, TableError> {
    let layer = file.layer();
    // Check this before taking memory for a layer that the file cannot hold.
    let index = file.file.check_index();
    index.map_err(|error| file.failed(error))?;
    let header = file.file.header();
    let mut values = header.cycles.measures().try_map(|_| {
        let mut values = Vec::new();
        let room = values.try_reserve_exact(layer.len() as usize);
        room.map_err(|_| file.lacks_memory())?;
        values.resize(layer.len() as usize, 0);
        Ok(values)
    })?;
    // The layer is turned to find what is open, and again for larger layers.
    let numbers = header.cycles.measures().into_iter().count();
    file.ask_for_memory(numbers as u64)?;
    let decoded = values.as_mut().map(|values| &mut values[..]);
    let decoded = file.file.decode_all(decoded);
    decoded.map_err(|error| file.failed(error))?;
    if let Some(position) = open::resolve(rows, layer, &mut values, smaller)? {
        return Err(file.unfounded(&position));
    }
    let found = values.as_ref();
    let hashes = found.map(|values| Sha256::of_values(&InOrder::new(layer, values)));
    if hashes == header.values_sha256 {
        return Ok(values);
    }
    let what = "its values are not those that were written";
    Err(TableError::damaged(&file.path, what))
}
