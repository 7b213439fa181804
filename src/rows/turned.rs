//! A solved layer with the board turned around: by the opponent's half-board, then by
//! the mover's. Children of one row of positions are next to each other in it.

use rayon::prelude::*;

use crate::index::{Layer, half};
use crate::position::Position;

/// The values of a solved layer in the order that the solver needs when captures lead
/// to it: by the opponent's half-board, then by the mover's.
///
/// ```
/// use granero::index::Layer;
/// use granero::solver::TurnedLayer;
///
/// let turned = TurnedLayer::new(Layer::new(0).unwrap(), &[0]);
/// assert_eq!(turned.layer().seeds(), 0);
/// ```
#[derive(Debug)]
pub struct TurnedLayer {
    layer: Layer,
    values: Vec<i8>,
}

/// Half-boards on either side of a piece that is turned at once.
const TILE: usize = 64;

impl TurnedLayer {
    /// Turns the values of a layer, which are in index order.
    ///
    /// ```
    /// # use granero::{index::Layer, solver::TurnedLayer};
    /// let layer = Layer::new(1).unwrap();
    /// TurnedLayer::new(layer, &vec![0; 12]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there are not as many values as the layer has positions.
    pub fn new(layer: Layer, values: &[i8]) -> TurnedLayer {
        assert_eq!(values.len() as u64, layer.len());
        let mut turned = vec![0; values.len()];
        for own_seeds in 0..=layer.seeds() {
            let opponents_seeds = layer.seeds() - own_seeds;
            let rows = half::count(own_seeds) as usize;
            let columns = half::count(opponents_seeds) as usize;
            let from = &values[block(layer, own_seeds)];
            let to = &mut turned[block(layer, opponents_seeds)];
            let strips = to.par_chunks_mut(TILE * rows);
            strips.enumerate().for_each(|(strip, to)| {
                let first_column = strip * TILE;
                for first_row in (0..rows).step_by(TILE) {
                    for (column, to) in to.chunks_exact_mut(rows).enumerate() {
                        let to = &mut to[first_row..rows.min(first_row + TILE)];
                        for (row, to) in to.iter_mut().enumerate() {
                            *to = from[(first_row + row) * columns + first_column + column];
                        }
                    }
                }
            });
        }
        TurnedLayer {
            layer,
            values: turned,
        }
    }

    /// The layer.
    ///
    /// ```
    /// # use granero::{index::Layer, solver::TurnedLayer};
    /// let layer = Layer::new(0).unwrap();
    /// assert_eq!(TurnedLayer::new(layer, &[0]).layer(), layer);
    /// ```
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// A layer whose values are turned already.
    pub(crate) fn from_turned(layer: Layer, values: Vec<i8>) -> TurnedLayer {
        assert_eq!(values.len() as u64, layer.len());
        TurnedLayer { layer, values }
    }

    /// All values, in the turned order.
    pub(crate) fn values(&self) -> &[i8] {
        &self.values
    }

    /// The same to keep.
    pub(crate) fn into_values(self) -> Vec<i8> {
        self.values
    }

    /// The value of a position of the layer.
    pub(crate) fn value(&self, position: &Position) -> i8 {
        let opponents = half::rank(position.opponents());
        let row = self.row(position.opponents_seeds(), opponents);
        row[half::rank(position.own()) as usize]
    }

    /// The values of all positions whose opponent has this half-board, by the rank of
    /// the mover's.
    pub(crate) fn row(&self, opponents_seeds: u8, opponents: u32) -> &[i8] {
        let own_seeds = self.layer.seeds() - opponents_seeds;
        let row_len = half::count(own_seeds) as usize;
        // Turned around, the opponent's half-board is the mover's.
        let block = &self.values[block(self.layer, opponents_seeds)];
        &block[opponents as usize * row_len..][..row_len]
    }
}

fn block(layer: Layer, own_seeds: u8) -> std::ops::Range<usize> {
    let start = layer.matrix_start(own_seeds) as usize;
    start..layer.matrix_start(own_seeds + 1) as usize
}
