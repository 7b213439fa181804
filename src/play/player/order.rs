//! Which moves are searched first. The sooner a good one is found, the less of the others must be
//! searched.

use std::cmp::Reverse;

use super::MAX_DEPTH;
use granero_game::rules::board::{BoardMove, BoardMoves};

/// Moves that turned out well elsewhere.
pub(super) struct Order {
    /// By the number of moves made: the last two houses that refuted a position there.
    killers: [[u8; 2]; MAX_DEPTH as usize],
    /// By player and house: how often it refuted a position, deep searches counting more.
    history: [[u64; 6]; 2],
}

/// No house.
const NONE: u8 = u8::MAX;

/// Moves are searched by these numbers, the largest first. History stays far below.
const BEST: u64 = u64::MAX;
const CAPTURE: u64 = 1 << 62;
const KILLERS: [u64; 2] = [1 << 61, 1 << 60];

impl Order {
    pub(super) fn new() -> Order {
        Order {
            killers: [[NONE; 2]; MAX_DEPTH as usize],
            history: [[0; 6]; 2],
        }
    }

    /// The places of the moves of a position that is reached by `made` moves: the best one found
    /// before, then captures, then those that turned out well elsewhere.
    pub(super) fn sort(&self, steps: &BoardMoves, made: usize, best: Option<u8>) -> [u8; 6] {
        let urgency = |step: &BoardMove| {
            if Some(step.house) == best {
                BEST
            } else if step.gain > 0 {
                CAPTURE + step.gain as u64
            } else if let Some(place) = self.killers[made].iter().position(|&k| k == step.house) {
                KILLERS[place]
            } else {
                self.history[made % 2][usize::from(step.house)]
            }
        };
        // What is left over goes to the end.
        let mut order = [(Reverse(0), u8::MAX); 6];
        for (place, (entry, step)) in (0..).zip(order.iter_mut().zip(steps.iter())) {
            *entry = (Reverse(urgency(step)), place);
        }
        order.sort_unstable();
        order.map(|(_, place)| place)
    }

    /// Learns from a move that refuted a position which a search of some depth looked into.
    pub(super) fn refuted(&mut self, step: &BoardMove, made: usize, depth: u8) {
        // Captures are searched early anyway.
        if step.gain > 0 {
            return;
        }
        let killers = &mut self.killers[made];
        if killers[0] != step.house {
            *killers = [step.house, killers[0]];
        }
        self.history[made % 2][usize::from(step.house)] += u64::from(depth) * u64::from(depth);
    }
}
