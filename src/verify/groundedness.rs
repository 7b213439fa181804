//! Whether the winner can bring the value home in finitely many moves.
//!
//! Values may fit each other all around a cycle of positions and still be wrong, because
//! no seed is ever captured there. So values other than 0 must have grounds:
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

/// Larger than all values: what is added to the size of a value while it is open.
const OPEN: i8 = 64;

/// No code: nothing is as large.
const NOTHING: i8 = i8::MAX;

/// The code of a position with this value while it is open. With grounds, or if it is 0, it
/// is the value itself.
fn open(value: i8) -> i8 {
    value + OPEN * value.signum()
}

/// A position without a move that is always legal, which is open.
struct Apart {
    position: Position,
    value: i8,
    outcomes: Vec<Outcome>,
}

/// What is known of the grounds of all values.
struct Proof<'a> {
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
    let proof = Proof {
        moves,
        codes: codes.map(|value| AtomicI8::new(open(value))).collect(),
    };
    let mut open_apart = Vec::new();
    for position in without_move {
        let index = moves.layer().index(position) as usize;
        let apart = Apart {
            position: *position,
            // For rows, it is done.
            value: std::mem::take(&mut values[index]),
            outcomes: moves.last_resorts(position).collect(),
        };
        if proof.settle_apart(&apart) {
            progress(u64::from(apart.value != 0));
        } else {
            open_apart.push(apart);
        }
    }

    let mut first = true;
    loop {
        let settled = proof.round(&mut values, first);
        let open_before = open_apart.len();
        open_apart.retain(|apart| !proof.settle_apart(apart));
        let settled = settled + (open_before - open_apart.len()) as u64;
        progress(settled);
        if settled == 0 {
            break;
        }
        first = false;
    }
    proof.without_grounds(&mut values, &open_apart)
}

impl Proof<'_> {
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
        // The winner looks for a child with grounds, the loser for an open one.
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

    /// Settles a position without a move that is always legal if it has grounds, or needs none.
    fn settle_apart(&self, apart: &Apart) -> bool {
        let value = apart.value;
        let mut outcomes = apart.outcomes.iter();
        let has_grounds = match value.signum() {
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
        if has_grounds {
            self.settle(self.moves.turned_index(&apart.position), value);
        }
        has_grounds
    }

    /// The first positions that are still open.
    fn without_grounds(&self, values: &mut [i8], open_apart: &[Apart]) -> Vec<Fault> {
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
        let apart = open_apart.iter().take(MAX_FAULTS);
        faults.extend(apart.map(|open| fault(open.position, open.value)));
        faults.truncate(MAX_FAULTS);
        faults
    }
}
