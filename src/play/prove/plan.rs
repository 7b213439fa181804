//! The questions about the first position that a thread works on.

use super::oracle::Bounds;
use granero_game::Cycles;

/// Chooses the next of two questions about the first position, which get equal shares of the effort.
pub(super) struct Plan {
    cycles: Cycles,
    /// A guess at the value of the first position.
    guess: i8,
    /// The effort spent on each question.
    spent: [u64; 2],
    /// The initial `spent`: every second thread begins with the second question.
    unspent: [u64; 2],
}

impl Plan {
    pub(super) fn new(cycles: Cycles, thread: usize) -> Plan {
        let unspent = [thread as u64 % 2, 0];
        Plan {
            cycles,
            guess: 0,
            spent: unspent,
            unspent,
        }
    }

    /// Returns the next question: the number of seeds that the position may be worth at least.
    ///
    /// A value is proven by two questions: it is at least the guess, and not more. The first guess
    /// is 0, so that the winner is known first. Bounds by `own-side` may never meet, and some
    /// questions between them have no answer; so the two questions there improve each bound by the
    /// least step.
    pub(super) fn question(&mut self, bounds: Bounds) -> i8 {
        let Bounds { low, high } = bounds;
        let second = self.spent[1] < self.spent[0];
        match self.cycles {
            Cycles::OwnSide if second => high,
            Cycles::OwnSide => low + 1,
            Cycles::Split => {
                if self.guess < low || high < self.guess {
                    self.guess = self.guess.clamp(low, high);
                    self.spent = self.unspent;
                }
                if self.guess == low || self.guess < high && second {
                    self.guess + 1
                } else {
                    self.guess
                }
            }
        }
    }

    /// Counts the effort for a question that was asked when the bounds were `bounds`.
    pub(super) fn spend(&mut self, least: i8, bounds: Bounds, effort: u64) {
        let second = match self.cycles {
            Cycles::OwnSide => least == bounds.high,
            Cycles::Split => least > self.guess,
        };
        self.spent[usize::from(second)] += effort.max(1);
    }
}
