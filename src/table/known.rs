//! What a file need not store, because its reader can work it out: values that a capture
//! gives, and positions that cannot arise in play.

use std::sync::Arc;

use rayon::prelude::*;

use crate::index::{Layer, half};
use crate::measured::Measured;
use crate::position::Position;
use crate::rows::{
    Class, LastResort, MAX_CAPTURED, Matrix, Row, RowMoves, TurnedLayer, last_resorts, quiet_moves,
};

/// The best capture of a position that has none.
pub(super) const NO_CAPTURE: i8 = i8::MIN;

/// Raises the values of a layer to the best that a capture, or a move that ends the game,
/// gives. `smaller` returns the layers that captures lead to, with the bound of children; it is
/// called in falling order of their seeds.
pub(super) fn add_captures<E>(
    rows: &RowMoves,
    layer: Layer,
    values: &mut [i8],
    mut smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
) -> Result<(), E> {
    let seeds = layer.seeds();
    for captured in 2..=MAX_CAPTURED.min(seeds) {
        let smaller = smaller(seeds - captured)?;
        each_row(layer, values, |row, values| {
            rows.captures_of(row, captured, &smaller, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    }
    if rows.ruleset().variation().slam_ends_game {
        each_row(layer, values, |row, values| {
            rows.ends_of(row, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    }
    Ok(())
}

/// Does something with each row of a layer, on all threads.
fn each_row(layer: Layer, values: &mut [i8], work: impl Fn(Row, &mut [i8]) + Sync) {
    for matrix in Matrix::all(layer) {
        let rows = matrix.par_rows(values);
        rows.for_each(|(row, values)| work(row, values));
    }
}

/// The opponent's half-boards without an empty house, and what quiet moves make of them.
struct FullHalves {
    /// Their ranks.
    halves: Vec<u32>,
    /// By class: the number of the half-board among these, and its rank after the move.
    quiet: Vec<Vec<(u32, u32)>>,
}

impl FullHalves {
    /// Those of a matrix.
    fn new(rows: &RowMoves, matrix: Matrix) -> FullHalves {
        let houses: Vec<[u8; 6]> = half::all(matrix.opponents_seeds())
            .filter(|houses| houses.iter().all(|&seeds| seeds > 0))
            .collect();
        let quiet = Class::up_to(matrix.own_seeds())
            .map(|class| quiet_moves(rows.ruleset(), class, houses.iter().copied()));
        FullHalves {
            quiet: quiet.collect(),
            halves: houses.iter().map(|&houses| half::rank(houses)).collect(),
        }
    }

    /// The values of the positions of a row whose opponent has one of these half-boards, from
    /// the values of the children. `best` holds the best captures before, and the values after.
    fn values(&self, rows: &RowMoves, layer: Layer, row: Row, children: &[i8], best: &mut [i8]) {
        for (_, left, class) in rows.moves_of(row) {
            let movers = row.opponents_seeds() + class.crossing().seeds;
            let child = Matrix::new(layer, movers).column(left);
            for &(number, after) in &self.quiet[class.index()] {
                let best = &mut best[number as usize];
                *best = (*best).max(-children[child.number(after)]);
            }
        }
        for (best, &opponents) in best.iter_mut().zip(&self.halves) {
            if *best == NO_CAPTURE {
                *best = without_move(rows, layer, &row.position(opponents), children);
            }
        }
    }
}

/// The value of a position without a move that is always legal.
#[cold]
fn without_move(rows: &RowMoves, layer: Layer, position: &Position, children: &[i8]) -> i8 {
    last_resorts(rows.ruleset(), position)
        .map(|outcome| match outcome {
            LastResort::Result(result) => result,
            LastResort::Quiet(child) => -children[layer.index(&child) as usize],
        })
        .max()
        .expect("the end of the game, or a move")
}

/// Fills in the values of the positions whose opponent has no empty house, which are not
/// stored. For these, `values` holds the best captures.
pub(super) fn fill(rows: &RowMoves, layer: Layer, values: &mut Measured<Vec<i8>>) {
    for opponents_seeds in 6..=layer.seeds() {
        let children = values.as_ref().of_parent();
        let full = values.as_ref().zip(children).map(|(values, children)| {
            FullRows::new(rows, layer, opponents_seeds, values, children)
        });
        for ((_, full), (_, values)) in full.into_iter().zip(values.as_mut()) {
            full.put(values);
        }
    }
}

/// The values of the positions of a matrix whose opponent has no empty house. They follow from
/// those of the children: the opponent in a child has an empty house.
struct FullRows {
    matrix: Matrix,
    full: FullHalves,
    /// By the rank of the mover's half-board.
    rows: Vec<Vec<i8>>,
}

impl FullRows {
    /// Works them out for the positions whose opponent has `opponents_seeds` seeds. For these,
    /// `values` holds the best captures; `children` holds what the children are worth.
    fn new(
        rows: &RowMoves,
        layer: Layer,
        opponents_seeds: u8,
        values: &[i8],
        children: &[i8],
    ) -> FullRows {
        let matrix = Matrix::new(layer, layer.seeds() - opponents_seeds);
        let full = FullHalves::new(rows, matrix);
        let filled = (0..matrix.rows()).into_par_iter().map(|rank| {
            let row = matrix.row(rank);
            let captures = &values[row.places()];
            let mut best: Vec<i8> = full
                .halves
                .iter()
                .map(|&opponents| captures[opponents as usize])
                .collect();
            full.values(rows, layer, row, children, &mut best);
            best
        });
        FullRows {
            rows: filled.collect(),
            full,
            matrix,
        }
    }

    /// Puts them among the others of the layer.
    fn put(self, values: &mut [i8]) {
        for (rank, filled) in (0..).zip(self.rows) {
            let row = &mut values[self.matrix.row(rank).places()];
            for (&opponents, value) in self.full.halves.iter().zip(filled) {
                row[opponents as usize] = value;
            }
        }
    }
}
