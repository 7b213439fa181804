//! Reading whole layers, one after the other.

use std::sync::Arc;

use super::error::TableError;
use super::smaller::SmallerLayers;
use super::tables::Tables;
use super::whole;
use crate::cycles::Measure;
use crate::index::Layer;
use crate::layer_values::LayerValues;
use crate::rows::{RowMoves, TurnedLayer};

/// All layers of some tables in order, see [`Tables::layers`].
///
/// ```
/// use granero::table::Tables;
///
/// let positions: usize = Tables::sample()
///     .layers()
///     .map(|layer| layer.map(|(_, values)| values.positions()))
///     .sum::<Result<_, _>>()?;
/// assert_eq!(positions, 125_970);
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct LayerReader<'a> {
    tables: &'a Tables,
    rows: Arc<RowMoves>,
    smaller: SmallerLayers,
    next: u8,
    /// One more than the seeds of the last layer.
    end: u8,
}

/// The moves of so many layers are worked out at a time: all of those before cost less than
/// the next.
const STEP: u8 = 6;

impl LayerReader<'_> {
    /// Reads the layers that there are with fewer seeds than `end`.
    pub(super) fn new(tables: &Tables, end: u8) -> LayerReader<'_> {
        let end = end.min(tables.manifest().finished());
        LayerReader {
            tables,
            rows: Arc::new(RowMoves::new(tables.rules(), 0)),
            smaller: SmallerLayers::in_memory(tables.cycles()),
            next: 0,
            end,
        }
    }

    /// The moves of rows, up to those of the last layer that was read; others may need them,
    /// too.
    pub(crate) fn rows(&self) -> Arc<RowMoves> {
        self.rows.clone()
    }

    /// A layer that was read before, and that captures from the last one that was read may
    /// lead to.
    pub(crate) fn smaller(
        &self,
        seeds: u8,
        measure: Measure,
    ) -> Result<Arc<TurnedLayer>, TableError> {
        self.smaller.get(seeds, measure)
    }

    /// Makes sure that the moves of the rows of a layer are at hand. Large layers have a great
    /// many: none before the smaller layers are read, for the tables may only claim to be large.
    fn reach(&mut self, layer: Layer) {
        if self.rows.max_seeds() < layer.seeds() {
            let seeds = layer.seeds().next_multiple_of(STEP).min(self.end - 1);
            self.rows = Arc::new(RowMoves::new(self.tables.rules(), seeds));
        }
    }

    fn read(&mut self, layer: Layer) -> Result<LayerValues, TableError> {
        self.reach(layer);
        let files = self.tables.files(layer.seeds());
        let values = whole::read(files, &self.rows, &self.smaller)?;
        // No layer captures into the last two.
        if layer.seeds() + 2 < self.end {
            self.smaller.push(values.measures())?;
        }
        Ok(values)
    }
}

impl Iterator for LayerReader<'_> {
    type Item = Result<(Layer, LayerValues), TableError>;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// So tables that only claim to be large cost no more than what is right of them.
    #[test]
    fn moves_are_worked_out_for_layers_whose_turn_it_is() {
        let mut reader = Tables::sample().layers();
        for reached in [0, 6, 6, 6, 6, 6, 6, 8, 8] {
            reader.next().unwrap().unwrap();
            assert_eq!(reader.rows().max_seeds(), reached);
        }
    }
}
