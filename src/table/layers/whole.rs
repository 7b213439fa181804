//! Reads all values of a layer from its files.

use std::sync::Arc;

use super::implied;
use crate::error::TableError;
use crate::file::named_file::NamedFile;
use crate::file::sha256::Sha256;
use crate::index::Layer;
use crate::rows::{InOrder, NO_CAPTURE, RowMoves, TurnedLayer};
use granero_game::{Bound, Measured};

/// Reads all values of a layer from its file, or its bounds from two files. `smaller` returns the part of a
/// layer with fewer seeds that begins at a place of the turned order, or before it.
pub fn read(
    files: &Measured<NamedFile>,
    rows: &RowMoves,
    smaller: impl Fn(u8, Bound, usize) -> Result<Arc<TurnedLayer>, TableError>,
) -> Result<Measured<Vec<i8>>, TableError> {
    let mut values = files
        .as_ref()
        .try_map(|file| stored(file, rows, &smaller))?;
    let layer = files.as_ref().low().layer();
    implied::fill(rows, layer, &mut values);
    files
        .as_ref()
        .zip(values.as_ref())
        .try_map(|(file, values)| {
            if Sha256::of_values(&InOrder::new(layer, values)) == file.file.header().values_sha256 {
                return Ok(());
            }
            let what = "its values are not those that were written";
            Err(TableError::damaged(&file.path, what))
        })?;
    Ok(values)
}

/// Reads the stored values and raises them to the results of captures.
fn stored(
    file: &NamedFile,
    rows: &RowMoves,
    smaller: impl Fn(u8, Bound, usize) -> Result<Arc<TurnedLayer>, TableError>,
) -> Result<Vec<i8>, TableError> {
    let layer: Layer = file.layer();
    // Check this before taking memory for a layer that the file cannot hold.
    let index = file.file.check_index();
    index.map_err(|error| TableError::in_file(&file.path, error))?;
    let of_child = file.file.header().measure.bound().of_child();
    // A layer may be larger than the memory; larger layers also need it turned.
    let mut values = Vec::new();
    let room = values.try_reserve_exact(layer.len() as usize);
    room.map_err(|_| file.lacks_memory())?;
    file.ask_for_memory(1)?;
    values.resize(layer.len() as usize, NO_CAPTURE);
    let decoded = file.file.decode_all(&mut values);
    decoded.map_err(|error| TableError::in_file(&file.path, error))?;
    implied::add_captures(rows, layer, &mut values, |seeds, from| {
        smaller(seeds, of_child, from)
    })?;
    Ok(values)
}
