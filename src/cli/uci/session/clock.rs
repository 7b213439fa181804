//! The time for a move in a game with clocks.

use std::time::Duration;

/// The clock of the player to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// The time left; zero if the clock has run out.
    pub(super) left: Duration,
    /// The time that each move adds.
    pub(super) increment: Duration,
    /// The number of moves that the time left is for, if known.
    pub(super) moves: Option<u64>,
}

/// Reserve for delays outside the search: the transport of lines, a busy machine.
const MARGIN: Duration = Duration::from_millis(50);

/// The default number of moves that the time left is for.
const HORIZON: u64 = 30;

impl Clock {
    /// Returns the time for this move: an equal share of the time left, and most of the increment.
    ///
    /// No move gets more than half of the time left, so a move that takes twice its time loses no game.
    pub(super) fn allotment(&self) -> Duration {
        let spare = self.left.saturating_sub(MARGIN);
        let moves = self.moves.unwrap_or(HORIZON).clamp(1, HORIZON);
        let share = spare / moves as u32;
        let bonus = self.increment / 4 * 3;
        share.saturating_add(bonus).min(spare).min(self.left / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clock(left: u64, increment: u64, moves: Option<u64>) -> Clock {
        Clock {
            left: Duration::from_millis(left),
            increment: Duration::from_millis(increment),
            moves,
        }
    }

    fn milliseconds() -> impl Strategy<Value = u64> {
        prop_oneof![0..400_u64, 0..3_600_000_u64, any::<u64>()]
    }

    proptest! {
        #[test]
        fn all_moves_together_leave_the_margin(
            left in milliseconds(),
            increment in 0..10_000_u64,
            moves in prop_oneof![Just(None), (1..100_u64).prop_map(Some)],
        ) {
            let mut clock = clock(left, increment, moves);
            let least = clock.left.min(MARGIN);
            for _ in 0..200 {
                let time = clock.allotment();
                prop_assert!(time <= clock.left / 2);
                clock.left -= time;
                prop_assert!(clock.left >= least);
                clock.left = clock.left.saturating_add(clock.increment);
                clock.moves = clock.moves.map(|moves| (moves - 1).max(1));
            }
        }
    }

    #[test]
    fn some_clocks() {
        let time = |left, increment, moves| clock(left, increment, moves).allotment().as_millis();
        assert_eq!(time(0, 0, None), 0);
        assert_eq!(time(0, 5000, None), 0);
        assert_eq!(time(40, 5000, Some(1)), 0);
        assert_eq!(time(300, 0, None), 8);
        assert_eq!(time(60_000, 0, None), 1998);
        assert_eq!(time(60_000, 1000, None), 2748);
        assert_eq!(time(60_050, 0, Some(10)), 6000);
        assert_eq!(time(60_000, 0, Some(1)), 30_000);
        assert_eq!(time(60_050, 0, Some(500)), 2000);
        assert_eq!(time(1000, 60_000, None), 500);
    }
}
