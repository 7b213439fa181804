//! Reads all values of layers from their files.

use std::sync::Arc;

use super::open;
use crate::error::TableError;
use crate::file::named_file::NamedFile;
use crate::file::sha256::Sha256;
use crate::index::Layer;
use crate::look_up::tables::Tables;
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
    // Compares the block index with its checksums and the header, in a hundredth of the time for the whole file: before
    // memory is taken for a layer that the file cannot hold.
    let index = file.file.each_group(|_, _| Ok(()));
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

/// Reads the layers of tables in order, see [`Tables::layers`].
#[derive(Debug)]
pub struct LayerReader<'a> {
    tables: &'a Tables,
    rows: RowMoves,
    /// By seeds.
    smaller: Vec<Measured<Arc<TurnedLayer>>>,
    next: u8,
    /// The seeds of the last layer, plus one.
    end: u8,
}

impl LayerReader<'_> {
    /// Reads the layers with fewer seeds than `end`.
    pub(crate) fn new(tables: &Tables, end: u8) -> LayerReader<'_> {
        LayerReader {
            tables,
            rows: RowMoves::new(tables.manifest().kind(), 0),
            smaller: Vec::new(),
            next: 0,
            end: end.min(tables.manifest().finished()),
        }
    }

    fn read(&mut self, layer: Layer) -> Result<Measured<Vec<i8>>, TableError> {
        let file = self.tables.file(layer.seeds());
        // Large layers have many moves, so tabulate them only after all smaller layers proved sound.
        self.rows.reach(layer.seeds());
        let smaller = |seeds, bound, _| Ok(self.smaller(seeds, bound));
        let values = read(file, &self.rows, smaller)?;
        // No layer captures into the last two.
        if layer.seeds() + 2 < self.end {
            let turn = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
            self.smaller.push(values.as_ref().map(turn));
        }
        Ok(values)
    }
}

#[doc(hidden)]
impl LayerReader<'_> {
    /// The moves of rows in the layers read so far.
    pub fn rows(&self) -> &RowMoves {
        &self.rows
    }

    /// A layer that captures lead to from the layer read last.
    pub fn smaller(&self, seeds: u8, bound: Bound) -> Arc<TurnedLayer> {
        self.smaller[usize::from(seeds)].get(bound).clone()
    }
}

impl Iterator for LayerReader<'_> {
    type Item = Result<(Layer, Measured<Vec<i8>>), TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        let layer = Layer::new(self.next).filter(|_| self.next < self.end)?;
        let values = self.read(layer);
        // An error ends the iteration.
        self.next = if values.is_ok() {
            self.next + 1
        } else {
            u8::MAX
        };
        Some(values.map(|values| (layer, values)))
    }
}

impl Tables {
    /// Reads all layers in order, each with the values of its positions in index order. Values of deciding
    /// tables are cut off at a limit, which means this or more, see [`Extent`](granero_game::Extent).
    ///
    /// The iterator keeps all smaller layers in memory, a byte for each position, and takes two for each of the layer
    /// that it reads; twice as much if positions have bounds.
    ///
    /// ```
    /// # use granero::Tables;
    /// for layer in Tables::sample().layers() {
    ///     let (layer, values) = layer?;
    ///     assert_eq!(values.low().len() as u64, layer.len());
    /// }
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn layers(&self) -> LayerReader<'_> {
        LayerReader::new(self, self.manifest.finished())
    }

    /// Reads the values of all positions of a layer, in index order, as [`layers`](Tables::layers) does.
    ///
    /// While it works, it also decodes all smaller layers and keeps them in memory.
    ///
    /// # Errors
    ///
    /// When the layer is beyond the tables.
    ///
    /// ```
    /// # use granero::{Measured, Tables};
    /// assert_eq!(Tables::sample().layer(0)?, Measured::Value(vec![0]));
    /// assert!(Tables::sample().layer(9).is_err());
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn layer(&self, seeds: u8) -> Result<Measured<Vec<i8>>, TableError> {
        self.have(seeds)?;
        // An error would be the last item.
        let last = LayerReader::new(self, seeds + 1).last();
        last.expect("a layer of the tables")
            .map(|(_, values)| values)
    }
}
