//! One byte for all that is known of a position while its layer is solved.
//!
//! A position is *settled* once its value is final, and *open* before. Of an open
//! position the solver needs the best result that a capture gives at once and, as
//! long as that is a loss, how many of its quiet moves are still open.
//!
//! | byte | meaning |
//! |---|---|
//! | `win(j)` | settled: worth `+j`; or open, and the best capture gives `j ≥ 0` |
//! | `loss(j, 0)` | settled: worth `-j`; or open, no quiet move is left, the best capture gives `-j` |
//! | `loss(j, c)` | open, `c` quiet moves are left, the best capture gives `-j` |
//! | `quiet(c)` | open, `c` quiet moves are left, there is no capture |
//!
//! That two of these mean two things each makes room for layers of up to 35 seeds,
//! and costs nothing: values are settled in falling order of their size, so with the
//! threshold at `k`, `win(j)` and `loss(j, 0)` are settled if `j > k`, open if `j < k`,
//! and for `j = k` they are settled by the scan that begins the threshold.

use super::news::Table;

/// The most seeds of a layer whose positions fit into a byte.
pub(super) const MAX_SEEDS: u8 = 35;

/// How many quiet moves a position can have beside a capture.
const BESIDE_CAPTURE: u8 = 5;

/// The bytes of one layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codes {
    seeds: u8,
}

impl Codes {
    pub(super) fn new(seeds: u8) -> Codes {
        assert!(seeds <= MAX_SEEDS);
        Codes { seeds }
    }

    /// Worth `value` ≥ 0.
    pub(super) fn win(self, value: u8) -> u8 {
        debug_assert!(value <= self.seeds);
        value
    }

    /// The best capture loses `value` ≥ 1.
    pub(super) fn loss(self, value: u8, quiet: u8) -> u8 {
        debug_assert!(value >= 1 && value <= self.seeds && quiet <= BESIDE_CAPTURE);
        self.seeds + 1 + (value - 1) * (BESIDE_CAPTURE + 1) + quiet
    }

    /// No capture.
    pub(super) fn quiet(self, quiet: u8) -> u8 {
        debug_assert!((1..=6).contains(&quiet));
        7 * self.seeds + quiet
    }

    /// Open, with this best capture and `quiet` quiet moves.
    pub(super) fn open(self, best_capture: Option<i8>, quiet: u8) -> u8 {
        match best_capture {
            None => self.quiet(quiet),
            Some(best) if best >= 0 => self.win(best.unsigned_abs()),
            Some(best) => self.loss(best.unsigned_abs(), quiet),
        }
    }

    /// A child is lost by `k`: an open position is won by `k`.
    pub(super) fn child_lost(self, k: u8) -> Table {
        let mut table = unchanged();
        let won = (self.win(k), true);
        for value in 0..k {
            table[usize::from(self.win(value))] = won;
        }
        for value in 1..=self.seeds {
            // Without a quiet move, a loss of `k` or more is settled.
            for quiet in u8::from(value >= k)..=BESIDE_CAPTURE {
                table[usize::from(self.loss(value, quiet))] = won;
            }
        }
        for quiet in 1..=6 {
            table[usize::from(self.quiet(quiet))] = won;
        }
        table
    }

    /// A child is won by `k`: one quiet move less is open, and if it was the last and
    /// no capture is better, the position is lost by `k`.
    pub(super) fn child_won(self, k: u8) -> Table {
        let mut table = unchanged();
        let lost = (self.loss(k, 0), true);
        for value in 1..=self.seeds {
            for quiet in 1..=BESIDE_CAPTURE {
                let fewer = (self.loss(value, quiet - 1), false);
                let is_lost = quiet == 1 && value >= k;
                let next = if is_lost { lost } else { fewer };
                table[usize::from(self.loss(value, quiet))] = next;
            }
        }
        table[usize::from(self.quiet(1))] = lost;
        for quiet in 2..=6 {
            table[usize::from(self.quiet(quiet))] = (self.quiet(quiet - 1), false);
        }
        table
    }

    /// The values of all bytes at the end, when what is still open is endless play,
    /// worth 0.
    pub(super) fn values(self) -> [i8; 256] {
        let mut values = [0; 256];
        for value in 1..=self.seeds {
            values[usize::from(self.win(value))] = value as i8;
            values[usize::from(self.loss(value, 0))] = -(value as i8);
        }
        values
    }
}

fn unchanged() -> Table {
    std::array::from_fn(|byte| (byte as u8, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_bytes_differ_up_to_the_largest_layer() {
        for seeds in 0..=MAX_SEEDS {
            let codes = Codes::new(seeds);
            let mut bytes: Vec<u8> = (0..=seeds).map(|value| codes.win(value)).collect();
            for value in 1..=seeds {
                bytes.extend((0..=BESIDE_CAPTURE).map(|quiet| codes.loss(value, quiet)));
            }
            bytes.extend((1..=6).map(|quiet| codes.quiet(quiet)));
            let distinct: HashSet<u8> = bytes.iter().copied().collect();
            assert_eq!(distinct.len(), bytes.len(), "{seeds} seeds");
        }
    }

    #[test]
    fn settled_positions_stay_as_they_are() {
        let codes = Codes::new(10);
        for k in 1..=10 {
            for table in [codes.child_lost(k), codes.child_won(k)] {
                for value in k..=10 {
                    for byte in [codes.win(value), codes.loss(value, 0)] {
                        assert_eq!(table[usize::from(byte)], (byte, false));
                    }
                }
            }
        }
    }

    #[test]
    fn an_open_position_is_lost_with_its_last_move() {
        let codes = Codes::new(10);
        let table = codes.child_won(4);
        let step = |byte: u8| table[usize::from(byte)];
        assert_eq!(step(codes.quiet(2)), (codes.quiet(1), false));
        assert_eq!(step(codes.quiet(1)), (codes.loss(4, 0), true));
        // A capture that loses more does not help, one that loses less does.
        assert_eq!(step(codes.loss(6, 1)), (codes.loss(4, 0), true));
        assert_eq!(step(codes.loss(3, 1)), (codes.loss(3, 0), false));
        assert_eq!(step(codes.win(0)), (codes.win(0), false));
    }
}
