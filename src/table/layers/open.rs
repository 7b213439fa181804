//! Finds the values of a layer that its file does not hold: the best of the position's moves.

use std::sync::Arc;

use rayon::prelude::*;

use crate::codec::scale::OPEN;
use crate::index::{Layer, half};
use crate::rows::{
    CrossingClass, LastResort, Matrix, NO_CAPTURE, Row, RowMoves, TurnedLayer, UnreachableHalves,
    each_smaller, quiet_moves,
};
use granero_game::{Bound, Measured, Position};

/// Replaces what is [`OPEN`] in a decoded layer by the best of the moves. `smaller` returns the parts of the layers that
/// captures lead to, see [`each_smaller`].
pub fn resolve<E>(
    rows: &RowMoves,
    layer: Layer,
    values: &mut Measured<Vec<i8>>,
    smaller: impl Fn(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
) -> Result<(), E> {
    // A quiet move to a position with an open measure is never the best, which is what this number means there.
    let children = values.as_ref();
    let children = children.map(|values| TurnedLayer::new(layer, values));
    for (measure, values) in values.as_mut() {
        // Results of moves never exceed a stored value, so they may be compared with all positions.
        let begin = |value: &mut i8| {
            if *value == OPEN {
                *value = NO_CAPTURE;
            }
        };
        values.par_iter_mut().with_min_len(1 << 16).for_each(begin);
        let of_child = measure.bound().of_child();
        raise_to_captures(rows, layer, values, |seeds, from| {
            smaller(seeds, of_child, from)
        })?;
        let children = children.get(of_child);
        for matrix in Matrix::all(layer) {
            let quiet = QuietMoves::new(rows, matrix);
            let matrix_rows = matrix.par_rows(values);
            matrix_rows.for_each(|(row, values)| quiet.raise(rows, row, values, children));
        }
    }
    fill(rows, layer, values);
    Ok(())
}

/// Raises the values of a layer to the results of captures and of moves that end the game.
pub(super) fn raise_to_captures<E>(
    rows: &RowMoves,
    layer: Layer,
    values: &mut [i8],
    smaller: impl Fn(u8, usize) -> Result<Arc<TurnedLayer>, E>,
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

/// The effects of quiet moves on the opponent's half-boards of a matrix.
struct QuietMoves {
    /// By class: the rank of the half-board before and after the move.
    effects: Vec<Vec<(u32, u32)>>,
}

impl QuietMoves {
    fn new(rows: &RowMoves, matrix: Matrix) -> QuietMoves {
        let classes: Vec<CrossingClass> = CrossingClass::up_to(matrix.own_seeds()).collect();
        let effects = classes
            .into_par_iter()
            .map(|class| quiet_moves(rows.ruleset(), class, half::all(matrix.opponents_seeds())));
        QuietMoves {
            effects: effects.collect(),
        }
    }

    /// Raises the values of a row to the results of quiet moves; then those of positions without a move that
    /// is always legal.
    fn raise(&self, rows: &RowMoves, row: Row, values: &mut [i8], children: &TurnedLayer) {
        let child_of = |movers_seeds, left| {
            let child = children.row(movers_seeds, left);
            child.expect("the whole layer is turned")
        };
        for (left_seeds, left, class) in rows.moves_of(row) {
            let child = child_of(left_seeds, left);
            if class == CrossingClass::STAYS && row.opponents_seeds() > 0 {
                for (value, &child) in values.iter_mut().zip(child) {
                    *value = (*value).max(-child);
                }
                continue;
            }
            for &(before, after) in &self.effects[class.index()] {
                let value = &mut values[before as usize];
                *value = (*value).max(-child[after as usize]);
            }
        }
        for (opponents, value) in (0..).zip(values) {
            if *value == NO_CAPTURE {
                *value = last_resort(rows, &row.position(opponents), child_of);
            }
        }
    }
}

/// The value of a position without a move that is always legal; unreachable ones are left for later. `child_of`
/// returns the children with the seeds and the rank of the mover's half-board after the move.
#[cold]
fn last_resort<'a>(
    rows: &RowMoves,
    position: &Position,
    child_of: impl Fn(u8, u32) -> &'a [i8],
) -> i8 {
    if position.opponents().iter().all(|&seeds| seeds > 0) {
        return NO_CAPTURE;
    }
    let results = rows.last_resorts(position).map(|outcome| match outcome {
        LastResort::Result(result) => result,
        LastResort::Quiet(child) => {
            let left = child_of(child.opponents_seeds(), half::rank(child.opponents()));
            -left[half::rank(child.own()) as usize]
        }
    });
    results.max().expect("the end of the game, or a move")
}

/// Fills in the values of unreachable positions, whose opponent has no empty house and which are not
/// stored. In their places, `values` holds the best moves found so far.
pub(super) fn fill(rows: &RowMoves, layer: Layer, values: &mut Measured<Vec<i8>>) {
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
    /// `values` holds the best moves found so far; `children` holds the values of the children.
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
            let best = &values[row.places()];
            let mut best: Vec<i8> = halves
                .ranks()
                .iter()
                .map(|&opponents| best[opponents as usize])
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
