//! A solved layer with the board turned around: by the opponent's half-board, then by
//! the mover's. Children of one row of positions are next to each other in it.

use rayon::prelude::*;

use super::{Matrix, Row};
use crate::index::Layer;

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
        for matrix in Matrix::all(layer) {
            let (rows, columns) = (matrix.rows() as usize, matrix.row_len());
            let from = &values[matrix.places()];
            let to = &mut turned[matrix.turned().places()];
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

    /// The values of all positions whose opponent has this half-board, by the rank of
    /// the mover's.
    pub(crate) fn row(&self, opponents_seeds: u8, opponents: u32) -> &[i8] {
        &self.values[Row::turned(self.layer, opponents_seeds, opponents).places()]
    }
}
