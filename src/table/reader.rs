//! Reading whole layers, one after the other.

use std::sync::Arc;

use super::error::TableError;
use super::smaller::SmallerLayers;
use super::tables::Tables;
use super::whole;
use crate::index::Layer;
use crate::measured::{Bound, Measured};
use crate::rows::{RowMoves, TurnedLayer};

/// All layers of some tables in order, see [`Tables::layers`].
///
/// ```
/// use granero::table::Tables;
///
/// let positions: usize = Tables::sample()
///     .layers()
///     .map(|layer| layer.map(|(_, values)| values.low().len()))
///     .sum::<Result<_, _>>()?;
/// assert_eq!(positions, 125_970);
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct LayerReader<'a> {
    tables: &'a Tables,
    rows: RowMoves,
    smaller: SmallerLayers,
    next: u8,
    /// One more than the seeds of the last layer.
    end: u8,
}

impl LayerReader<'_> {
    /// Reads the layers that there are with fewer seeds than `end`.
    pub(super) fn new(tables: &Tables, end: u8) -> LayerReader<'_> {
        LayerReader {
            tables,
            rows: RowMoves::new(tables.rules(), 0),
            smaller: SmallerLayers::in_memory(),
            next: 0,
            end: end.min(tables.manifest().finished()),
        }
    }

    /// The moves of rows in the layers that were read, which others may need, too.
    pub(crate) fn rows(&self) -> &RowMoves {
        &self.rows
    }

    /// A layer that was read before, and that captures from the last one that was read may
    /// lead to.
    pub(crate) fn smaller(&self, seeds: u8, bound: Bound) -> Result<Arc<TurnedLayer>, TableError> {
        self.smaller.get(seeds, bound)
    }

    fn read(&mut self, layer: Layer) -> Result<Measured<Vec<i8>>, TableError> {
        let files = self.tables.files(layer.seeds());
        // Large layers have a great many moves. So they are worked out only after all smaller
        // layers have been found to be sound.
        self.rows.reach(layer.seeds());
        let values = whole::read(files, &self.rows, &self.smaller)?;
        // No layer captures into the last two.
        if layer.seeds() + 2 < self.end {
            self.smaller.push(&values)?;
        }
        Ok(values)
    }
}

impl Iterator for LayerReader<'_> {
    type Item = Result<(Layer, Measured<Vec<i8>>), TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        let layer = Layer::new(self.next).filter(|_| self.next < self.end)?;
        let values = self.read(layer);
        // After an error there is no going on.
        self.next = if values.is_ok() {
            self.next + 1
        } else {
            u8::MAX
        };
        Some(values.map(|values| (layer, values)))
    }
}

impl Tables {
    /// All layers in order, each with the values of its positions in index order.
    ///
    /// While one is at hand, all smaller ones are kept in memory, a byte for each position.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// for layer in Tables::sample().layers() {
    ///     let (layer, values) = layer?;
    ///     assert_eq!(values.low().len() as u64, layer.len());
    /// }
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn layers(&self) -> LayerReader<'_> {
        LayerReader::new(self, self.manifest.finished())
    }

    /// The values of all positions of a layer, in index order.
    ///
    /// All smaller layers are decoded on the way and kept in memory meanwhile.
    ///
    /// # Errors
    ///
    /// When the layer is not there, or a file is damaged or cannot be read.
    ///
    /// ```
    /// # use granero::{Measured, table::Tables};
    /// assert_eq!(Tables::sample().layer(0)?, Measured::Value(vec![0]));
    /// assert!(Tables::sample().layer(9).is_err());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn layer(&self, seeds: u8) -> Result<Measured<Vec<i8>>, TableError> {
        let max_seeds = self.max_seeds();
        if Some(seeds) > max_seeds {
            return Err(TableError::NoSuchLayer { seeds, max_seeds });
        }
        let none = Measured::Value(Vec::new());
        LayerReader::new(self, seeds + 1).try_fold(none, |_, layer| Ok(layer?.1))
    }
}
