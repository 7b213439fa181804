//! Finds the values of a layer that its file does not hold: the best of the position's moves.

use std::sync::Arc;

use crate::codec::scale::{OPEN, least_open};
use crate::index::{Crossing, Layer, half};
use crate::parallel;
use crate::rows::{Matrix, Row, RowMoves, TurnedLayer, each_smaller, quiet_moves};
use granero_game::{Bound, Measured, Position};

/// The best of the moves before a look at them.
const NO_MOVE: i8 = i8::MIN;

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
    // A quiet move to a position with an open measure is never the best: -OPEN is below every real result.
    let children = values.as_ref();
    let children = children.map(|values| TurnedLayer::new(layer, values));
    for (measure, values) in values.as_mut() {
        let begin = |value: &mut i8| {
            *value = if *value == OPEN {
                NO_MOVE
            } else {
                *value + STORED
            };
        };
        parallel::for_each(values.chunks_mut(1 << 16), |some| {
            some.iter_mut().for_each(begin)
        });
        let of_child = measure.bound().of_child();
        // Captures, and moves that end the game.
        let smaller = |seeds, from| smaller(seeds, of_child, from);
        each_smaller(layer, smaller, |captured, smaller| {
            each_row(layer, values, |row, values| {
                rows.captures_of(
                    row,
                    &(0..row.len()),
                    captured,
                    smaller,
                    |opponents, result| {
                        values[opponents] = values[opponents].max(result);
                    },
                );
            });
        })?;
        if rows.kind().rules.variation().slam_ends_game {
            each_row(layer, values, |row, values| {
                rows.ends_of(row, &(0..row.len()), |opponents, result| {
                    values[opponents] = values[opponents].max(result);
                });
            });
        }
        let children = children.get(of_child);
        let least = least_open(measure.cycles(), measure.bound());
        for matrix in Matrix::all(layer) {
            let quiet = QuietMoves::new(rows, matrix);
            let unfounded = matrix.map_rows(values, |row, values| {
                quiet.raise(rows, row, values, children);
                quiet.finish(rows, row, values, children, least)
            });
            if let Some(&position) = unfounded.first() {
                return Ok(Some(position));
            }
        }
    }
    fill(rows, layer, values);
    Ok(None)
}

/// Calls `work` for each row of a layer, on all threads.
fn each_row(layer: Layer, values: &mut [i8], work: impl Fn(Row, &mut [i8]) + Sync) {
    for matrix in Matrix::all(layer) {
        matrix.each_row(values, &work);
    }
}

/// The effects of quiet moves on the opponent's half-boards of a matrix.
struct QuietMoves {
    /// By crossing: the place in the row before the move, and the rank of the half-board after it.
    effects: Vec<Vec<(u32, half::Rank)>>,
    /// By the rank of the opponent's half-board: true if no house is empty.
    filled: Vec<bool>,
}

impl QuietMoves {
    fn new(rows: &RowMoves, matrix: Matrix) -> QuietMoves {
        QuietMoves {
            effects: rows.quiet_moves(matrix),
            filled: half::all(matrix.opponents_seeds())
                .map(half::is_filled)
                .collect(),
        }
    }

    /// Raises the values of a row to the results of quiet moves.
    fn raise(&self, rows: &RowMoves, row: Row, values: &mut [i8], children: &TurnedLayer) {
        for (left_seeds, left, crossing) in rows.moves_of(row) {
            let child = row_of(children, left_seeds, left);
            if crossing == Crossing::NONE && row.opponents_seeds() > 0 {
                for (value, &child) in values.iter_mut().zip(child) {
                    *value = (*value).max(-child);
                }
                continue;
            }
            for &(before, after) in &self.effects[crossing.index()] {
                let value = &mut values[before as usize];
                *value = (*value).max(-child[after.0 as usize]);
            }
        }
    }

    /// Completes the stored positions of a row whose moves are known, or returns one with less than `least`.
    fn finish(
        &self,
        rows: &RowMoves,
        row: Row,
        values: &mut [i8],
        children: &TurnedLayer,
        least: i8,
    ) -> Option<Position> {
        let each = values.iter().zip(&self.filled);
        let is_low = each.fold(false, |found, (&value, &filled)| {
            found | (value < least) & !filled
        });
        if is_low {
            let each = (0..)
                .map(half::Rank)
                .zip(values.iter_mut())
                .zip(&self.filled);
            for ((opponents, value), _) in
                each.filter(|((_, value), filled)| **value < least && !**filled)
            {
                let position = row.position(opponents);
                if *value == NO_MOVE {
                    *value = rows.value_of_last_resort(&position, |child| {
                        let opponents = half::rank(child.opponents());
                        let row = row_of(children, child.opponents_seeds(), opponents);
                        row[half::rank(child.own()).0 as usize]
                    });
                }
                if *value < least {
                    return Some(position);
                }
            }
        }
        for value in values {
            *value -= if *value > MOST { STORED } else { 0 };
        }
        None
    }
}

/// The children with the seeds and the rank of the mover's half-board after the move.
fn row_of(children: &TurnedLayer, movers_seeds: u8, left: half::Rank) -> &[i8] {
    let child = children.row(movers_seeds, left);
    child.expect("the whole layer is turned")
}

/// Fills in the values of unreachable positions, whose opponent has no empty house and which are not
/// stored. In their places, `values` holds the best moves found so far.
fn fill(rows: &RowMoves, layer: Layer, values: &mut Measured<Vec<i8>>) {
    for opponents_seeds in 6..=layer.seeds() {
        let matrix = Matrix::new(layer, layer.seeds() - opponents_seeds);
        let halves = half::all(opponents_seeds).filter(|&houses| half::is_filled(houses));
        let halves: Vec<[u8; 6]> = halves.collect();
        let ranks: Vec<half::Rank> = halves.iter().map(|&houses| half::rank(houses)).collect();
        // By crossing: the number of the half-board in `ranks`, and its rank after the move.
        let quiet = Crossing::up_to(matrix.own_seeds())
            .map(|crossing| quiet_moves(rows.kind().rules, crossing, halves.iter().copied()));
        let quiet: Vec<Vec<(u32, half::Rank)>> = quiet.collect();
        // The children are reachable.
        let children = values.as_ref().of_parent();
        let filled = values.as_ref().zip(children).map(|(values, children)| {
            parallel::map(matrix.all_rows(), |row| {
                let best = &values[row.places()];
                let best = ranks.iter().map(|&opponents| best[opponents.0 as usize]);
                let mut best: Vec<i8> = best.collect();
                for (_, left, crossing) in rows.moves_of(row) {
                    let child = Matrix::new(layer, opponents_seeds + crossing.seeds()).column(left);
                    for &(number, after) in &quiet[crossing.index()] {
                        let best = &mut best[number as usize];
                        *best = (*best).max(-children[child(after)]);
                    }
                }
                for (best, &opponents) in best.iter_mut().zip(&ranks) {
                    if *best == NO_MOVE {
                        let value = |child: &Position| children[layer.index(child) as usize];
                        *best = rows.value_of_last_resort(&row.position(opponents), value);
                    }
                }
                best
            })
        });
        for ((_, filled), (_, values)) in filled.into_iter().zip(values.as_mut()) {
            for (row, filled) in matrix.all_rows().zip(filled) {
                let row = &mut values[row.places()];
                for (&opponents, value) in ranks.iter().zip(filled) {
                    row[opponents.0 as usize] = value;
                }
            }
        }
    }
}
