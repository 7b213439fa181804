//! Checks that the winner can realise each value in finitely many moves.
//!
//! Values may be consistent all around a cycle of positions and still be wrong, because
//! no seed is ever captured there. So values other than 0 must be grounded:
//!
//! * a won position is grounded if a best move captures or ends the game, or leads to a
//!   grounded child;
//! * a lost position is grounded if each best move captures or ends the game, or leads to a
//!   grounded child; or if the game is over.
//!
//! The grounded positions are a least fixed point. Rounds over the positions that are still
//! open find it; the last round finds nothing more.

use std::sync::atomic::{AtomicI8, Ordering};

use super::moves::{LayerMoves, Outcome, turned_number};
use super::{Fault, FaultKind, MAX_FAULTS};
use granero_game::{Bound, Measure, Position};
use granero_table::rows::{Row, TurnedLayer};

/// Added to the size of a value while it is open; larger than all values.
const OPEN: i8 = 64;

/// Larger than every code, so equal to none.
const NO_CODE: i8 = i8::MAX;

/// The code of a position with this value while it is open. If it is grounded or worth 0, its code is
/// the value itself.
fn open(value: i8) -> i8 {
    value + OPEN * value.signum()
}

/// An open position without a move that is always legal.
struct LastResortPosition {
    position: Position,
    value: i8,
    outcomes: Vec<Outcome>,
}

/// The positions of a layer that are grounded.
struct Grounded<'a> {
    moves: &'a LayerMoves<'a>,
    /// In turned order. A code only changes from open to the value, so it does not matter which
    /// thread sees it first.
    codes: Vec<AtomicI8>,
}

/// Finds positions whose values are not grounded. The values are consistent; `without_move` are
/// the positions without a move that is always legal. `progress` gets the number of grounded
/// positions found since its last call.
pub(super) fn check(
    moves: &LayerMoves<'_>,
    mut values: Vec<i8>,
    turned: TurnedLayer,
    without_move: &[Position],
    progress: impl Fn(u64) + Sync,
) -> Vec<Fault> {
    let codes = turned.into_values().into_iter();
    let grounded = Grounded {
        moves,
        codes: codes.map(|value| AtomicI8::new(open(value))).collect(),
    };
    let mut open_last_resorts = Vec::new();
    for position in without_move {
        let index = moves.layer().index(position) as usize;
        let last_resort = LastResortPosition {
            position: *position,
            // The rounds over rows skip 0.
            value: std::mem::take(&mut values[index]),
            outcomes: moves.last_resorts(position).collect(),
        };
        if grounded.settle_last_resort(&last_resort) {
            progress(u64::from(last_resort.value != 0));
        } else {
            open_last_resorts.push(last_resort);
        }
    }

    let mut first = true;
    loop {
        let open_before = open_last_resorts.len();
        let in_rows = grounded.round(&mut values, first);
        open_last_resorts.retain(|last_resort| !grounded.settle_last_resort(last_resort));
        let settled = in_rows + (open_before - open_last_resorts.len()) as u64;
        progress(settled);
        if settled == 0 {
            break;
        }
        first = false;
    }
    grounded.faults(&mut values, &open_last_resorts)
}

impl Grounded<'_> {
    fn code(&self, turned: usize) -> i8 {
        self.codes[turned].load(Ordering::Relaxed)
    }

    fn settle(&self, turned: usize, value: i8) {
        self.codes[turned].store(value, Ordering::Relaxed);
    }

    /// Looks at all open positions, which are not 0 in `values`; returns how many are grounded. Only
    /// the `first` round looks at captures.
    fn round(&self, values: &mut [i8], first: bool) -> u64 {
        let settled = self.moves.each_row(values, |row, values| {
            let settled = self.row(row, values, first);
            if settled == 0 { vec![] } else { vec![settled] }
        });
        settled.iter().sum()
    }

    fn row(&self, row: Row, values: &mut [i8], first: bool) -> u64 {
        if values.iter().all(|&value| value == 0) {
            return 0;
        }
        // The winner looks for a grounded child, the loser for an open one.
        let wanted: Vec<i8> = values
            .iter()
            .map(|&value| match value.signum() {
                1 => -value,
                -1 => open(-value),
                _ => NO_CODE,
            })
            .collect();
        let mut found = vec![false; values.len()];
        if first {
            self.moves.results(row, Bound::Low, |opponents, result| {
                found[opponents] |= values[opponents] > 0 && values[opponents] == result;
            });
        }
        for (start, quiet) in self.moves.quiet(row) {
            let children = &self.codes[start..];
            for &(before, after) in quiet {
                let child = children[after as usize].load(Ordering::Relaxed);
                found[before as usize] |= child == wanted[before as usize];
            }
        }
        let mut settled = 0;
        for (opponents, (value, found)) in (0..).zip(values.iter_mut().zip(found)) {
            if *value != 0 && (*value > 0) == found {
                self.settle(row.turned_number(opponents), *value);
                *value = 0;
                settled += 1;
            }
        }
        settled
    }

    /// Settles a position without a move that is always legal, if it is grounded or worth 0; returns
    /// true if it did.
    fn settle_last_resort(&self, last_resort: &LastResortPosition) -> bool {
        let value = last_resort.value;
        let mut outcomes = last_resort.outcomes.iter();
        let is_grounded = match value.signum() {
            1 => outcomes.any(|outcome| match *outcome {
                Outcome::Result(result) => result == value,
                Outcome::Quiet(child) => self.code(child) == -value,
            }),
            -1 => outcomes.all(|outcome| match *outcome {
                Outcome::Result(_) => true,
                Outcome::Quiet(child) => self.code(child) != open(-value),
            }),
            _ => true,
        };
        if is_grounded {
            self.settle(turned_number(&last_resort.position), value);
        }
        is_grounded
    }

    /// The first positions that are still open.
    fn faults(&self, values: &mut [i8], open_last_resorts: &[LastResortPosition]) -> Vec<Fault> {
        let fault = |position, value| Fault {
            position,
            measure: Measure::Value,
            value,
            kind: FaultKind::Ungrounded,
        };
        let mut faults = self.moves.each_row(values, |row, values| {
            let open = (0..).zip(values.iter()).filter(|(_, value)| **value != 0);
            let faults = open.map(|(opponents, &value)| fault(row.position(opponents), value));
            faults.take(MAX_FAULTS).collect()
        });
        let last_resort = open_last_resorts.iter().take(MAX_FAULTS);
        faults.extend(last_resort.map(|open| fault(open.position, open.value)));
        faults.truncate(MAX_FAULTS);
        faults
    }
}
