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

use super::Fault;
use super::moves::LayerMoves;
use granero_game::{Bound, Measure};
use granero_table::index::half::Rank;
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

/// The positions of a layer that are grounded.
struct Grounded<'a> {
    moves: &'a LayerMoves<'a>,
    /// In turned order. A code only changes from open to the value, so it does not matter which
    /// thread sees it first.
    codes: Vec<AtomicI8>,
}

/// Finds positions whose values are not grounded. The values are consistent; `moves` has the last resorts.
/// `progress` gets the number of grounded positions found since its last call.
pub(super) fn check(
    moves: &LayerMoves<'_>,
    mut values: Vec<i8>,
    turned: TurnedLayer,
    progress: impl Fn(u64) + Sync,
) -> Vec<Fault> {
    let codes = turned.into_values().into_iter();
    let grounded = Grounded {
        moves,
        codes: codes.map(|value| AtomicI8::new(open(value))).collect(),
    };
    let mut first = true;
    loop {
        let settled = grounded.round(&mut values, first);
        progress(settled);
        if settled == 0 {
            let open = |value| (value != 0).then_some(value);
            return moves.ungrounded(&mut values, Measure::Value, open);
        }
        first = false;
    }
}

impl Grounded<'_> {
    /// Looks at all open positions, which are not 0 in `values`; returns how many are grounded. Only
    /// the `first` round looks at captures.
    fn round(&self, values: &mut [i8], first: bool) -> u64 {
        let settled =
            (self.moves).each_row(values, |row, values| Some(self.row(row, values, first)));
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
        let code = |code: &AtomicI8| code.load(Ordering::Relaxed);
        (self.moves).meet(row, &self.codes, code, &wanted, &mut found);
        let mut settled = 0;
        for (opponents, (value, found)) in (0..).map(Rank).zip(values.iter_mut().zip(found)) {
            if *value != 0 && (*value > 0) == found {
                self.codes[row.turned_number(opponents)].store(*value, Ordering::Relaxed);
                *value = 0;
                settled += 1;
            }
        }
        settled
    }
}
