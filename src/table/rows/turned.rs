//! A solved layer in the turned order: by the opponent's half-board, then by the mover's. In it, the children
//! of a row of positions are next to each other.

use std::ops::Range;
use std::sync::Arc;

use super::values::{InOrder, LayerValues};
use super::{MAX_CAPTURED, Matrix};
use crate::index::Layer;
use crate::index::half::Rank;
use crate::parallel;

/// The values of a solved layer in the order that the solver needs for captures into it: by the opponent's
/// half-board, then by the mover's.
#[derive(Debug)]
pub struct TurnedLayer {
    layer: Layer,
    /// The places in the turned order of the values that are here: all, or some whole rows.
    places: Range<usize>,
    values: Vec<i8>,
}

/// The half-boards on either side of a tile, which is turned at once.
const TILE: usize = 64;

impl TurnedLayer {
    /// Turns the values of a layer, which are in index order.
    ///
    /// # Panics
    ///
    /// If there are not as many values as the layer has positions.
    pub fn new(layer: Layer, values: &[i8]) -> TurnedLayer {
        TurnedLayer::of(&InOrder::new(layer, values))
    }
}

#[doc(hidden)]
impl TurnedLayer {
    /// Turns the values of a layer.
    pub fn of(values: &impl LayerValues) -> TurnedLayer {
        let layer = values.layer();
        let mut turned = vec![0; layer.len() as usize];
        for matrix in Matrix::all(layer) {
            turn(values, matrix, 0, &mut turned[matrix.turned().places()]);
        }
        TurnedLayer::part(layer, 0, turned)
    }

    /// Some whole rows of a layer, which begin at `start` of the turned order. The values are already turned.
    pub fn part(layer: Layer, start: usize, values: Vec<i8>) -> TurnedLayer {
        let places = start..start + values.len();
        assert!(places.end as u64 <= layer.len(), "{layer:?}");
        TurnedLayer {
            layer,
            places,
            values,
        }
    }

    /// The places in the turned order of the values that are here.
    pub fn places(&self) -> Range<usize> {
        self.places.clone()
    }

    /// The values that are here, in the turned order.
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// The values that are here, in the turned order, to keep.
    pub fn into_values(self) -> Vec<i8> {
        self.values
    }

    /// The values of all positions whose opponent has this half-board, by the rank of the mover's; `None` if
    /// they are not here.
    #[inline(always)]
    pub fn row(&self, opponents_seeds: u8, opponents: Rank) -> Option<&[i8]> {
        // Turned around, the opponent's half-board is the mover's.
        let row = Matrix::new(self.layer, opponents_seeds).row(opponents);
        let places = row.places();
        let start = places.start.checked_sub(self.places.start)?;
        self.values.get(start..start + places.len())
    }
}

/// Turns the values of a matrix, or of some columns from `begin` on, on all threads.
pub fn turn(values: &impl LayerValues, matrix: Matrix, begin: usize, turned: &mut [i8]) {
    let rows = matrix.rows() as usize;
    let strips = turned.chunks_mut(TILE * rows);
    parallel::for_each(strips.enumerate(), |(strip, turned)| {
        let (first, columns) = (begin + strip * TILE, turned.len() / rows);
        let mut tile = [[0; TILE]; TILE];
        for above in (0..rows).step_by(TILE) {
            let height = TILE.min(rows - above);
            for (row, tile) in (above..).zip(&mut tile[..height]) {
                values.copy(matrix.row(Rank(row as u32)), first, &mut tile[..columns]);
            }
            for (column, turned) in turned.chunks_exact_mut(rows).enumerate() {
                let turned = &mut turned[above..above + height];
                for (turned, tile) in turned.iter_mut().zip(&tile) {
                    *turned = tile[column];
                }
            }
        }
    });
}

/// Visits the layers that captures lead to, in falling order of their seeds, part by part. `smaller` gets the seeds of a
/// layer and a place of the turned order, and returns the part with this place; `work` gets the number of captured seeds
/// and the part.
pub fn each_smaller<E>(
    layer: Layer,
    mut smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, E>,
    mut work: impl FnMut(u8, &TurnedLayer),
) -> Result<(), E> {
    for captured in 2..=MAX_CAPTURED.min(layer.seeds()) {
        let smaller_layer = Layer::new(layer.seeds() - captured).expect("fewer seeds");
        let mut next = 0;
        while next < smaller_layer.len() as usize {
            let part = smaller(smaller_layer.seeds(), next)?;
            assert!(part.places().contains(&next), "{smaller_layer:?}");
            work(captured, &part);
            next = part.places().end;
        }
    }
    Ok(())
}
