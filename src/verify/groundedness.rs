//! Whether whoever wins can bring the value home: in finitely many moves.
//!
//! Values may fit each other all around a cycle of positions and still be wrong, because
//! nobody ever takes anything there. So values other than 0 must have grounds:
//!
//! * a position that is won has grounds if a best move captures or ends the game, or leads
//!   to a child with grounds;
//! * one that is lost has grounds if each best move captures or ends the game, or leads to a
//!   child with grounds; or if the game is over.
//!
//! This is a least fixed point. It is approached in rounds over the positions that are still
//! open, until a round finds nothing more.

use std::sync::atomic::{AtomicI8, Ordering};

use super::moves::{LayerMoves, Outcome};
use super::{Fault, FaultKind, MAX_FAULTS};
use crate::measured::{Bound, Measure};
use crate::position::Position;
use crate::rows::{Row, TurnedLayer};
use crate::rules::{Moves, Turn};

/// Larger than all values: what is added to the size of a value while it is open.
const OPEN: i8 = 64;

/// No code: nothing is as large.
const NOTHING: i8 = i8::MAX;

/// The code of a position with this value while it is open. With grounds, or if it is 0, it
/// is the value itself.
fn open(value: i8) -> i8 {
    value + OPEN * value.signum()
}

/// A position whose moves are legal only as a last resort, and its value.
struct LastResort {
    position: Position,
    value: i8,
    plays: Moves,
}

struct Grounds<'a> {
    moves: &'a LayerMoves<'a>,
    /// In turned order. Only ever changed from open to the value, so it does not matter who
    /// sees it first.
    codes: Vec<AtomicI8>,
}

/// Finds positions whose values have no grounds. The values are consistent; `without_move`
/// are the positions without a move that is always legal. `progress` is told how many more
/// are found to have grounds.
pub(super) fn check(
    moves: &LayerMoves<'_>,
    mut values: Vec<i8>,
    turned: TurnedLayer,
    without_move: &[Position],
    progress: impl Fn(u64) + Sync,
) -> Vec<Fault> {
    let codes = turned.into_values().into_iter();
    let grounds = Grounds {
        moves,
        codes: codes.map(|value| AtomicI8::new(open(value))).collect(),
    };
    let mut last_resorts = Vec::new();
    for position in without_move {
        let index = moves.layer().index(position) as usize;
        // For rows, it is done.
        let value = std::mem::take(&mut values[index]);
        match moves.ruleset().turn(position) {
            Turn::Play(plays) if value != 0 => last_resorts.push(LastResort {
                position: *position,
                value,
                plays,
            }),
            _ => {
                grounds.settle(moves.turned_index(position), value);
                progress(u64::from(value != 0));
            }
        }
    }

    let mut first = true;
    loop {
        let settled = grounds.round(&mut values, first);
        let open_before = last_resorts.len();
        last_resorts.retain(|last_resort| !grounds.settle_last_resort(last_resort));
        let settled = settled + (open_before - last_resorts.len()) as u64;
        progress(settled);
        if settled == 0 {
            break;
        }
        first = false;
    }
    grounds.without(&mut values, &last_resorts)
}

impl Grounds<'_> {
    fn code(&self, turned: usize) -> i8 {
        self.codes[turned].load(Ordering::Relaxed)
    }

    fn settle(&self, turned: usize, value: i8) {
        self.codes[turned].store(value, Ordering::Relaxed);
    }

    /// Looks at all open positions, and says how many of them have grounds. What is not 0 in
    /// `values` is open. Only the `first` round has to look at captures.
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
        // Whoever wins looks for a child with grounds, whoever loses for an open one.
        let wanted: Vec<i8> = values
            .iter()
            .map(|&value| match value.signum() {
                1 => -value,
                -1 => open(-value),
                _ => NOTHING,
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
        for (opponents, (value, found)) in values.iter_mut().zip(found).enumerate() {
            if *value != 0 && (*value > 0) == found {
                self.settle(self.moves.turned(row, opponents), *value);
                *value = 0;
                settled += 1;
            }
        }
        settled
    }

    /// Settles a position with moves as a last resort if it has grounds.
    fn settle_last_resort(&self, last_resort: &LastResort) -> bool {
        let LastResort {
            position,
            value,
            plays,
        } = last_resort;
        let mut outcomes = plays
            .iter()
            .map(|play| self.moves.outcome(play, Bound::Low));
        let has_grounds = if *value > 0 {
            outcomes.any(|outcome| match outcome {
                Outcome::Result(result) => result == *value,
                Outcome::Quiet(child) => self.code(child) == -value,
            })
        } else {
            outcomes.all(|outcome| match outcome {
                Outcome::Result(_) => true,
                Outcome::Quiet(child) => self.code(child) != open(-value),
            })
        };
        if has_grounds {
            self.settle(self.moves.turned_index(position), *value);
        }
        has_grounds
    }

    /// The first positions that are still open.
    fn without(&self, values: &mut [i8], last_resorts: &[LastResort]) -> Vec<Fault> {
        let fault = |position, value| Fault {
            position,
            measure: Measure::Value,
            value,
            kind: FaultKind::Ungrounded,
        };
        let mut faults = self.moves.each_row(values, |row, values| {
            let open = values.iter().enumerate().filter(|(_, value)| **value != 0);
            let faults =
                open.map(|(column, &value)| fault(self.moves.position(row, column), value));
            faults.take(MAX_FAULTS).collect()
        });
        let last_resorts = last_resorts.iter().take(MAX_FAULTS);
        faults.extend(last_resorts.map(|open| fault(open.position, open.value)));
        faults.truncate(MAX_FAULTS);
        faults
    }
}
