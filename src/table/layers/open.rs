//! Finds the values of a layer that its file does not hold: the best of the position's moves.

use std::sync::Arc;

use crate::codec::scale::{OPEN, least_open};
use crate::index::{Crossing, Layer, half};
use crate::parallel;
use crate::rows::{
    LastResort, Matrix, NO_CAPTURE, Reach, Row, RowMoves, TurnedLayer, each_smaller, quiet_moves,
};
use granero_game::{Bound, Measured, Position};

/// Added to stored measures, so that no result of a move exceeds them.
const STORED: i8 = 100;

/// The largest value.
const MOST: i8 = 48;

/// Replaces what is [`OPEN`] in a decoded layer by the best of the moves. `smaller` returns the parts of the layers that
/// captures lead to, see [`each_smaller`]. Returns a position that is open although its moves are too bad, if there is
/// one.
pub fn resolve<E>(
    rows: &RowMoves,
    layer: Layer,
    values: &mut Measured<Vec<i8>>,
    smaller: impl Fn(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
) -> Result<Option<Position>, E> {
    let turn = |values: &Measured<Vec<i8>>| {
        let values = values.as_ref();
        values.map(|values| TurnedLayer::new(layer, values))
    };
    // A quiet move to a position with an open measure is never the best: -OPEN is below every real result.
    let children = turn(values);
    for (measure, values) in values.as_mut() {
        let begin = |value: &mut i8| {
            *value = if *value == OPEN {
                NO_CAPTURE
            } else {
                *value + STORED
            };
        };
        parallel::for_each(values.chunks_mut(1 << 16), |some| {
            some.iter_mut().for_each(begin)
        });
        let of_child = measure.bound().of_child();
        raise_to_captures(rows, layer, values, |seeds, from| {
            smaller(seeds, of_child, from)
        })?;
        let children = children.get(of_child);
        let least = least_open(measure.cycles(), measure.bound());
        for matrix in Matrix::all(layer) {
            let quiet = QuietMoves::new(rows, matrix, Reach::Reachable);
            let unfounded = matrix.map_rows(values, |row, values| {
                quiet.raise(row, values, children);
                let unfounded = quiet.finish(row, values, children, least);
                for value in values {
                    *value -= if *value > MOST { STORED } else { 0 };
                }
                unfounded
            });
            if let Some(&position) = unfounded.first() {
                return Ok(Some(position));
            }
        }
    }
    // No move leads to an unreachable position, so these follow from all others.
    drop(children);
    let children = turn(values);
    for (measure, values) in values.as_mut() {
        let children = children.get(measure.bound().of_child());
        for matrix in Matrix::all(layer).filter(|matrix| matrix.opponents_seeds() >= 6) {
            let quiet = QuietMoves::new(rows, matrix, Reach::Unreachable);
            matrix.each_row(values, |row, values| {
                quiet.raise(row, values, children);
                quiet.finish(row, values, children, NO_CAPTURE + 1);
            });
        }
    }
    Ok(None)
}

/// Raises the values of a layer to the results of captures and of moves that end the game.
fn raise_to_captures<E>(
    rows: &RowMoves,
    layer: Layer,
    values: &mut [i8],
    smaller: impl Fn(u8, usize) -> Result<Arc<TurnedLayer>, E>,
) -> Result<(), E> {
    each_smaller(layer, 0..layer.seeds() + 1, smaller, |captured, smaller| {
        each_row(layer, values, |row, values| {
            rows.captures_of(row, &Reach::ALL, captured, smaller, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    })?;
    if rows.ruleset().variation().slam_ends_game {
        each_row(layer, values, |row, values| {
            rows.ends_of(row, &Reach::ALL, |opponents, result| {
                values[opponents] = values[opponents].max(result);
            });
        });
    }
    Ok(())
}

/// Calls `work` for each row of a layer, on all threads.
fn each_row(layer: Layer, values: &mut [i8], work: impl Fn(Row, &mut [i8]) + Sync) {
    for matrix in Matrix::all(layer) {
        matrix.each_row(values, &work);
    }
}

/// The effects of quiet moves on the reachable or the unreachable positions of a matrix.
struct QuietMoves<'r> {
    rows: &'r RowMoves,
    reach: Reach,
    /// By crossing: the rank of the half-board before and after the move.
    effects: Vec<Vec<(u32, u32)>>,
    /// By the rank of the opponent's half-board.
    reaches: Vec<Reach>,
}

impl QuietMoves<'_> {
    fn new(rows: &RowMoves, matrix: Matrix, reach: Reach) -> QuietMoves<'_> {
        let opponents = || half::all(matrix.opponents_seeds());
        let reaches: Vec<Reach> = opponents().map(Reach::of_opponents).collect();
        QuietMoves {
            effects: parallel::map(Crossing::up_to(matrix.own_seeds()), |crossing| {
                let mut moves = quiet_moves(rows.ruleset(), crossing, opponents());
                moves.retain(|&(before, _)| reaches[before as usize] == reach);
                moves
            }),
            rows,
            reach,
            reaches,
        }
    }

    /// Raises the values of a row to the results of quiet moves.
    fn raise(&self, row: Row, values: &mut [i8], children: &TurnedLayer) {
        for (left_seeds, left, crossing) in self.rows.moves_of(row) {
            let child = row_of(children, left_seeds, left);
            if crossing == Crossing::NONE && row.opponents_seeds() > 0 {
                // Unreachable positions, too, which does no harm: this is faster.
                for (value, &child) in values.iter_mut().zip(child) {
                    *value = (*value).max(-child);
                }
                continue;
            }
            for &(before, after) in &self.effects[crossing.index()] {
                let value = &mut values[before as usize];
                *value = (*value).max(-child[after as usize]);
            }
        }
    }

    /// Completes the positions of a row with less than `least` if they have no move that is always legal, or returns one
    /// that has.
    fn finish(
        &self,
        row: Row,
        values: &mut [i8],
        children: &TurnedLayer,
        least: i8,
    ) -> Option<Position> {
        let each = values.iter().zip(&self.reaches);
        let is_low = each.fold(false, |found, (&value, &reach)| {
            found | (value < least) & (reach == self.reach)
        });
        if !is_low {
            return None;
        }
        for (opponents, value) in values.iter_mut().enumerate() {
            if *value >= least || self.reaches[opponents] != self.reach {
                continue;
            }
            let position = row.position(opponents as u32);
            if *value == NO_CAPTURE {
                *value = self.without_move(&position, children);
            }
            if *value < least {
                return Some(position);
            }
        }
        None
    }

    /// The value of a position without a move that is always legal.
    #[cold]
    fn without_move(&self, position: &Position, children: &TurnedLayer) -> i8 {
        let outcomes = self.rows.last_resorts(position);
        let results = outcomes.map(|outcome| match outcome {
            LastResort::Result(result) => result,
            LastResort::Quiet(child) => {
                // In the turned order a row has one half-board of the opponent.
                let row = row_of(
                    children,
                    child.opponents_seeds(),
                    half::rank(child.opponents()),
                );
                -row[half::rank(child.own()) as usize]
            }
        });
        results.max().expect("the end of the game, or a move")
    }
}

/// The children in which the opponent has this half-board, which is what the mover has left.
fn row_of(children: &TurnedLayer, seeds: u8, left: u32) -> &[i8] {
    let child = children.row(seeds, left);
    child.expect("the whole layer is turned")
}
