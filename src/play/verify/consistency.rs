//! Checks that each value or bound is the best that a move gives, by the values of the children.

use super::moves::{LayerMoves, Outcome};
use super::{Fault, FaultKind, MAX_FAULTS};
use granero_game::{Measure, Position};
use granero_table::rows::TurnedLayer;

/// The best value of a position before a look at its moves.
const NO_MOVE: i8 = i8::MIN;

/// The result of comparing a layer with the moves of its positions.
pub(super) struct Consistency {
    /// The first positions whose value their best moves do not give.
    pub(super) faults: Vec<Fault>,
    /// The positions without a move that is always legal.
    pub(super) without_move: Vec<Position>,
}

enum Finding {
    Fault(Fault),
    WithoutMove(Position),
}

/// Compares all values, or one of the bounds, with the best that the moves give. `turned` holds
/// the values of the children, or their other bound. `done` gets the values of each finished row.
pub(super) fn check(
    moves: &LayerMoves<'_>,
    measure: Measure,
    values: &mut [i8],
    turned: &TurnedLayer,
    done: impl Fn(&[i8]) + Sync,
) -> Consistency {
    let turned = turned.values();
    let found = moves.each_row(values, |row, values| {
        let mut found = Vec::new();
        let mut best = vec![NO_MOVE; values.len()];
        moves.results(row, measure.bound(), |opponents, result| {
            best[opponents] = best[opponents].max(result);
        });
        for (start, quiet) in moves.quiet(row) {
            let children = &turned[start..];
            for &(before, after) in quiet {
                let best_so_far = &mut best[before as usize];
                *best_so_far = (*best_so_far).max(-children[after as usize]);
            }
        }
        let mut faults = 0;
        for (opponents, (&value, &best)) in values.iter().zip(&best).enumerate() {
            let best = if best == NO_MOVE {
                let position = row.position(opponents as u32);
                found.push(Finding::WithoutMove(position));
                without_move(moves, &position, turned)
            } else {
                best
            };
            // If the whole layer is wrong, a few faults are enough.
            if value != best && faults < MAX_FAULTS {
                faults += 1;
                found.push(Finding::Fault(Fault {
                    position: row.position(opponents as u32),
                    measure,
                    value,
                    kind: FaultKind::Inconsistent { best },
                }));
            }
        }
        done(values);
        found
    });
    let mut consistency = Consistency {
        faults: Vec::new(),
        without_move: Vec::new(),
    };
    for found in found {
        match found {
            Finding::Fault(fault) => consistency.faults.push(fault),
            Finding::WithoutMove(position) => consistency.without_move.push(position),
        }
    }
    consistency.faults.truncate(MAX_FAULTS);
    consistency
}

/// The best value of a position without a move that is always legal.
#[cold]
fn without_move(moves: &LayerMoves<'_>, position: &Position, turned: &[i8]) -> i8 {
    moves
        .last_resorts(position)
        .map(|outcome| match outcome {
            Outcome::Result(result) => result,
            Outcome::Quiet(child) => -turned[child],
        })
        .max()
        .expect("the end of the game, or a move")
}
