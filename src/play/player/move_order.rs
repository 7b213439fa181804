//! The order in which moves are searched. The sooner a good move is found, the fewer positions must be
//! searched.

use std::cmp::Reverse;

use super::MAX_DEPTH;
use granero_game::House;
use granero_game::rules::{Move, Moves};

/// Orders moves by the houses that turned out well elsewhere.
pub(super) struct MoveOrder {
    /// By the number of moves made: the last two houses that refuted a position there.
    killers: [[Option<House>; 2]; MAX_DEPTH as usize],
    /// By player and house: the positions that it refuted; those searched deeper count more.
    history: [[u64; 6]; 2],
}

/// Moves are sorted by these numbers, the largest first. The numbers of `history` stay far below.
const BEST: u64 = u64::MAX;
const CAPTURE: u64 = 1 << 62;
const KILLERS: [u64; 2] = [1 << 61, 1 << 60];

impl MoveOrder {
    pub(super) fn new() -> MoveOrder {
        MoveOrder {
            killers: [[None; 2]; MAX_DEPTH as usize],
            history: [[0; 6]; 2],
        }
    }

    /// Sorts the moves of a position that is reached by `made` moves: the best move found before,
    /// then captures, then the moves that turned out well elsewhere. Returns their places in `plays`.
    pub(super) fn sort(&self, plays: &Moves, made: usize, best: Option<House>) -> [u8; 6] {
        let urgency = |play: &Move| {
            let house = Some(play.house);
            if house == best {
                BEST
            } else if play.gain() > 0 {
                CAPTURE + play.gain() as u64
            } else if let Some(place) = self.killers[made].iter().position(|&k| k == house) {
                KILLERS[place]
            } else {
                self.history[made % 2][play.house.index()]
            }
        };
        // Unused entries go to the end.
        let mut order = [(Reverse(0), u8::MAX); 6];
        for (place, (entry, play)) in (0..).zip(order.iter_mut().zip(plays)) {
            *entry = (Reverse(urgency(play)), place);
        }
        order.sort_unstable();
        order.map(|(_, place)| place)
    }

    /// Learns from a move that refuted a position, found by a search of this depth.
    pub(super) fn refuted(&mut self, play: &Move, made: usize, depth: u8) {
        // Captures are searched early anyway.
        if play.gain() > 0 {
            return;
        }
        let killers = &mut self.killers[made];
        if killers[0] != Some(play.house) {
            *killers = [Some(play.house), killers[0]];
        }
        self.history[made % 2][play.house.index()] += u64::from(depth) * u64::from(depth);
    }
}
