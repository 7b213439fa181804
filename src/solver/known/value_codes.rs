//! The byte of a position with a value while its layer is solved.
//!
//! A position is *settled* once its value is final, and *open* before. Of an open
//! position the solver needs the best result of a capture and, as long as that is a loss, the
//! number of its quiet moves that are still open.
//!
//! | byte | meaning |
//! |---|---|
//! | `win(j)` | settled: worth `+j`; or open, and the best capture gives `j ≥ 0` |
//! | `loss(j, 0)` | settled: worth `-j`; or open, no quiet move is left, the best capture gives `-j` |
//! | `loss(j, c)` | open, `c` quiet moves are left, the best capture gives `-j` |
//! | `quiet(c)` | open, `c` quiet moves are left, there is no capture, or it gives the least value, or it is listed |
//!
//! Two of these have two meanings, which makes room and costs nothing: values are settled in
//! falling order of their size, so with the threshold at `k`, `win(j)` and `loss(j, 0)` are
//! settled if `j > k`, open if `j < k`, and for `j = k` they are settled by the scan that begins
//! the threshold.
//!
//! A capture that gives the least value of the layer is no better than none while quiet moves are left, because these
//! give as much. So where the largest value is 1 or 2, there are 9 or 16 codes, and half a byte is enough. A byte is
//! enough for values up to 36 seeds. In larger layers, `loss(j, c)` with `c > 0` exists up to some `j` only. Positions
//! with a larger `j` are `quiet(c)`, and [listed](super::large_losses).
//! Until their last quiet move is gone, that makes no difference: a quiet move that is won or lost
//! changes both codes in the same way.

use super::news::Effect;
use crate::graph::Width;

/// The most quiet moves of a position with a capture.
const BESIDE_CAPTURE: u8 = 5;

/// The most quiet moves of a position.
const QUIET: u8 = 6;

/// The bytes of one layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueCodes {
    /// The largest value of the layer.
    limit: u8,
    /// The largest loss by a capture that has codes beside quiet moves. Larger ones below the limit are listed.
    largest_counted: u8,
}

impl ValueCodes {
    /// The bytes of a layer whose largest value is `limit`. Losses of more than `most_counted` seeds are
    /// listed, even if there is room.
    pub(crate) fn new(limit: u8, most_counted: u8) -> ValueCodes {
        let room = u8::MAX - 2 * limit - QUIET;
        let largest_counted = (room / BESIDE_CAPTURE).min(limit.saturating_sub(1));
        ValueCodes {
            limit,
            largest_counted: largest_counted.min(most_counted),
        }
    }

    /// The room for a code.
    pub(crate) fn width(self) -> Width {
        // All losses but that of the limit have codes beside quiet moves, so none is listed.
        let counts_all = self.largest_counted + 1 >= self.limit;
        if counts_all && self.limit <= 2 {
            Width::Half
        } else {
            Width::Byte
        }
    }

    /// Worth `value` ≥ 0.
    pub(crate) fn win(self, value: u8) -> u8 {
        debug_assert!(value <= self.limit);
        value
    }

    /// The best capture loses `value` ≥ 1.
    pub(crate) fn loss(self, value: u8, quiet: u8) -> u8 {
        debug_assert!(value >= 1 && value <= self.limit && quiet <= BESIDE_CAPTURE);
        if quiet == 0 {
            return self.limit + value;
        }
        debug_assert!(value <= self.largest_counted);
        2 * self.limit + QUIET + (value - 1) * BESIDE_CAPTURE + quiet
    }

    /// No capture that the byte knows of.
    pub(super) fn quiet(self, quiet: u8) -> u8 {
        debug_assert!((1..=QUIET).contains(&quiet));
        2 * self.limit + quiet
    }

    /// Open, with this best capture and `quiet` quiet moves. Also returns the seeds that the capture
    /// loses if the byte has no room for them.
    pub(crate) fn open(self, best_capture: Option<i8>, quiet: u8) -> (u8, Option<u8>) {
        match best_capture {
            None => (self.quiet(quiet), None),
            Some(best) if best >= 0 => (self.win(best.unsigned_abs()), None),
            Some(best) => {
                let lost = best.unsigned_abs();
                if quiet == 0 || lost <= self.largest_counted {
                    (self.loss(lost, quiet), None)
                } else {
                    let listed = Some(lost).filter(|&lost| lost < self.limit);
                    (self.quiet(quiet), listed)
                }
            }
        }
    }

    /// Returns whether a position that loses its last quiet move at this threshold may be listed with
    /// a better capture. Then the list must be asked.
    pub(crate) fn asks_list(self, threshold: u8) -> bool {
        threshold > self.largest_counted + 1
    }

    /// A child is lost by `k`: an open position is won by `k`.
    pub(crate) fn child_lost(self, k: u8) -> Effect {
        let mut effect = unchanged();
        let won = (self.win(k), true);
        for value in 0..k {
            effect[usize::from(self.win(value))] = won;
        }
        // Losses of less than `k` are still open.
        for value in 1..k {
            effect[usize::from(self.loss(value, 0))] = won;
        }
        for value in 1..=self.largest_counted {
            for quiet in 1..=BESIDE_CAPTURE {
                effect[usize::from(self.loss(value, quiet))] = won;
            }
        }
        for quiet in 1..=QUIET {
            effect[usize::from(self.quiet(quiet))] = won;
        }
        effect
    }

    /// A child is won by `k`: one quiet move less is open, and if it was the last and
    /// no capture is better, the position is lost by `k`. If the list [must be
    /// asked](ValueCodes::asks_list) for that, the byte stays as it is.
    pub(crate) fn child_won(self, k: u8) -> Effect {
        let mut effect = unchanged();
        let lost = (self.loss(k, 0), true);
        for value in 1..=self.largest_counted {
            for quiet in 1..=BESIDE_CAPTURE {
                let fewer = (self.loss(value, quiet - 1), false);
                let is_lost = quiet == 1 && value >= k;
                let next = if is_lost { lost } else { fewer };
                effect[usize::from(self.loss(value, quiet))] = next;
            }
        }
        effect[usize::from(self.quiet(1))] = if self.asks_list(k) {
            (self.quiet(1), true)
        } else {
            lost
        };
        for quiet in 2..=QUIET {
            effect[usize::from(self.quiet(quiet))] = (self.quiet(quiet - 1), false);
        }
        effect
    }

    /// The values of all bytes at the end, when open positions are endless play, worth 0.
    pub(crate) fn values(self) -> [i8; 256] {
        let mut values = [0; 256];
        for value in 1..=self.limit {
            values[usize::from(self.win(value))] = value as i8;
            values[usize::from(self.loss(value, 0))] = -(value as i8);
        }
        values
    }
}

fn unchanged() -> Effect {
    std::array::from_fn(|byte| (byte as u8, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_game::MAX_SEEDS;
    use std::collections::HashMap;

    /// All that can be known of a position: the best capture and the quiet moves that are left.
    fn open_positions(seeds: u8) -> impl Iterator<Item = (Option<i8>, u8)> {
        let seeds = seeds as i8;
        let captures =
            (-seeds..=seeds).flat_map(|best| (0..=5).map(move |quiet| (Some(best), quiet)));
        captures.chain((1..=6).map(|quiet| (None, quiet)))
    }

    #[test]
    fn bytes_differ_unless_they_are_listed_in_all_layers() {
        for seeds in 0..=MAX_SEEDS {
            let codes = ValueCodes::new(seeds, u8::MAX);
            let mut bytes = HashMap::new();
            for (best, quiet) in open_positions(seeds) {
                let (byte, listed) = codes.open(best, quiet);
                if listed.is_none() {
                    // A capture that wins is played, or a lost child is better: how many quiet
                    // moves there are does not matter.
                    let known = match best {
                        Some(best) if best >= 0 => (Some(best), 0),
                        // A capture that gives the least value matters only without a quiet move.
                        Some(best) if best == -(seeds as i8) && quiet > 0 => (None, quiet),
                        _ => (best, quiet),
                    };
                    assert_eq!(*bytes.entry(byte).or_insert(known), known, "{seeds} seeds");
                }
            }
            // Up to 36 seeds nothing is listed.
            let listed =
                open_positions(seeds).any(|(best, quiet)| codes.open(best, quiet).1.is_some());
            assert_eq!(listed, seeds > 36);
            let most = bytes.keys().max().unwrap();
            assert_eq!(codes.width() == Width::Half, *most < 16);
        }
    }

    /// The fate of an open position, by the definition.
    fn after(best: Option<i8>, quiet: u8, k: u8, child_is_won: bool) -> (Option<i8>, u8, bool) {
        let k = k as i8;
        match (best, child_is_won) {
            // A better capture, or settled at an earlier threshold.
            (Some(best), _) if best >= k || (quiet == 0 && best <= -k) => {
                (Some(best), quiet, false)
            }
            (_, false) => (Some(k), 0, true),
            (Some(best), true) if best >= 0 || quiet == 0 => (Some(best), quiet, false),
            (Some(best), true) if quiet == 1 && best <= -k => (Some(-k), 0, true),
            (None, true) if quiet == 1 => (Some(-k), 0, true),
            (best, true) => (best, quiet - 1, false),
        }
    }

    #[test]
    fn effects_do_what_the_definition_says_in_all_layers() {
        for seeds in 0..=MAX_SEEDS {
            for most_counted in [0, 3, 7, u8::MAX] {
                let codes = ValueCodes::new(seeds, most_counted);
                for k in 1..=seeds {
                    let effects = [codes.child_lost(k), codes.child_won(k)];
                    for (best, quiet) in open_positions(seeds) {
                        let (byte, listed) = codes.open(best, quiet);
                        for (child_is_won, effect) in [false, true].into_iter().zip(&effects) {
                            let (next, settled) = effect[usize::from(byte)];
                            let (best, quiet, is_settled) = after(best, quiet, k, child_is_won);
                            if (next, settled) == (codes.quiet(1), true) {
                                // The list decides.
                                assert!(child_is_won && codes.asks_list(k));
                                let better = listed.filter(|&lost| lost < k);
                                let lost = better.unwrap_or(k);
                                assert_eq!(best, Some(-(lost as i8)));
                                assert_eq!((quiet, is_settled), (0, better.is_none()));
                            } else {
                                assert_eq!(
                                    (next, settled),
                                    (codes.open(best, quiet).0, is_settled)
                                );
                                // Then the byte stays as it is at this threshold.
                                let stays =
                                    |effect: &Effect| effect[usize::from(next)] == (next, false);
                                assert!(!settled || effects.iter().all(stays));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_settled_byte_changes_unless_the_list_is_asked() {
        for seeds in 0..=MAX_SEEDS {
            for most_counted in [0, 5, u8::MAX] {
                let codes = ValueCodes::new(seeds, most_counted);
                for k in 1..=seeds {
                    for effect in [codes.child_lost(k), codes.child_won(k)] {
                        for (byte, (next, settled)) in (0..=255u8).zip(effect) {
                            let asks = codes.asks_list(k) && byte == codes.quiet(1);
                            assert!(!settled || next != byte || asks);
                        }
                    }
                }
            }
        }
    }
}
