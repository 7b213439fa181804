//! Checks that each value or bound is the best that a move gives, by the values of the children.

use super::moves::LayerMoves;
use super::{Fault, FaultKind, MAX_FAULTS};
use granero_game::{Measure, Position};
use granero_table::index::half::Rank;
use granero_table::rows::TurnedLayer;

/// The best value of a position before a look at its moves.
const NO_MOVE: i8 = i8::MIN;

/// Compares all values, or one of the bounds, with the best that the moves give. `turned` holds
/// the values of the children, or their other bound. `done` gets the values of each finished row. Returns the first
/// positions whose value their best moves do not give, and all positions without a move that is always legal.
pub(super) fn check(
    moves: &LayerMoves<'_>,
    measure: Measure,
    values: &mut [i8],
    turned: &TurnedLayer,
    done: impl Fn(&[i8]) + Sync,
) -> (Vec<Fault>, Vec<Position>) {
    let turned = turned.values();
    let found = moves.each_row(values, |row, values| {
        let (mut faults, mut stuck) = (Vec::new(), Vec::new());
        let mut best = vec![NO_MOVE; values.len()];
        moves.results(row, measure.bound(), |opponents, result| {
            best[opponents] = best[opponents].max(result);
        });
        for (start, quiet) in moves.quiet(row) {
            let children = &turned[start..];
            for &(before, after) in quiet {
                let best_so_far = &mut best[before as usize];
                *best_so_far = (*best_so_far).max(-children[after.0 as usize]);
            }
        }
        for (opponents, (&value, &best)) in (0..).map(Rank).zip(values.iter().zip(&best)) {
            let best = if best == NO_MOVE {
                let position = row.position(opponents);
                stuck.push(position);
                moves.without_move(&position, turned)
            } else {
                best
            };
            // If the whole layer is wrong, a few faults are enough.
            if value != best && faults.len() < MAX_FAULTS {
                faults.push(Fault {
                    position: row.position(opponents),
                    measure,
                    value,
                    kind: FaultKind::Inconsistent { best },
                });
            }
        }
        done(values);
        (!faults.is_empty() || !stuck.is_empty()).then_some((faults, stuck))
    });
    let (faults, stuck): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let mut faults = faults.concat();
    faults.truncate(MAX_FAULTS);
    (faults, stuck.concat())
}
