//! Values that files leave out, because readers can compute them: results of captures, and the values of
//! unreachable positions.

use std::sync::Arc;

use rayon::prelude::*;

use crate::index::Layer;
use crate::rows::{Matrix, Row, RowMoves, TurnedLayer, UnreachableHalves, each_smaller};
use granero_game::Measured;

/// Raises the values of a layer to the best result of a capture or of a move that ends the game. `smaller`
/// returns the parts of the layers that captures lead to, see [`each_smaller`], with the bound of children.
pub fn add_captures<E>(
    rows: &RowMoves,
    layer: Layer,
    values: &mut [i8],
    smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, E>,
) -> Result<(), E> {
    each_smaller(layer, smaller, |captured, smaller| {
        each_row(layer, values, |row, values| {
            rows.captures_of(row, captured, smaller, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    })?;
    if rows.ruleset().variation().slam_ends_game {
        each_row(layer, values, |row, values| {
            rows.ends_of(row, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    }
    Ok(())
}

/// Calls `work` for each row of a layer, on all threads.
fn each_row(layer: Layer, values: &mut [i8], work: impl Fn(Row, &mut [i8]) + Sync) {
    for matrix in Matrix::all(layer) {
        let rows = matrix.par_rows(values);
        rows.for_each(|(row, values)| work(row, values));
    }
}

/// Fills in the values of unreachable positions, whose opponent has no empty house and which are not
/// stored. In their places, `values` holds the best captures.
pub fn fill(rows: &RowMoves, layer: Layer, values: &mut Measured<Vec<i8>>) {
    for opponents_seeds in 6..=layer.seeds() {
        let children = values.as_ref().of_parent();
        let rows = values.as_ref().zip(children).map(|(values, children)| {
            UnreachableRows::new(rows, layer, opponents_seeds, values, children)
        });
        for ((_, rows), (_, values)) in rows.into_iter().zip(values.as_mut()) {
            rows.put(values);
        }
    }
}

/// The values of the unreachable positions of a matrix. They follow from the values of the children, which
/// are reachable.
struct UnreachableRows {
    matrix: Matrix,
    halves: UnreachableHalves,
    /// By the rank of the mover's half-board.
    rows: Vec<Vec<i8>>,
}

impl UnreachableRows {
    /// Computes them for the positions whose opponent has `opponents_seeds` seeds. In their places,
    /// `values` holds the best captures; `children` holds the values of the children.
    fn new(
        rows: &RowMoves,
        layer: Layer,
        opponents_seeds: u8,
        values: &[i8],
        children: &[i8],
    ) -> UnreachableRows {
        let matrix = Matrix::new(layer, layer.seeds() - opponents_seeds);
        let halves = UnreachableHalves::new(rows, matrix);
        let filled = (0..matrix.rows()).into_par_iter().map(|rank| {
            let row = matrix.row(rank);
            let captures = &values[row.places()];
            let mut best: Vec<i8> = halves
                .ranks()
                .iter()
                .map(|&opponents| captures[opponents as usize])
                .collect();
            halves.work_out(rows, row, &mut best, |movers_seeds, left| {
                let child = Matrix::new(layer, movers_seeds).column(left);
                move |after| children[child.number(after)]
            });
            best
        });
        UnreachableRows {
            rows: filled.collect(),
            halves,
            matrix,
        }
    }

    /// Puts them into the values of the layer.
    fn put(self, values: &mut [i8]) {
        for (rank, filled) in (0..).zip(self.rows) {
            let row = &mut values[self.matrix.row(rank).places()];
            for (&opponents, value) in self.halves.ranks().iter().zip(filled) {
                row[opponents as usize] = value;
            }
        }
    }
}
