//! Unreachable positions, in which all six houses of the opponent hold seeds.
//!
//! No move leads to such a position, so no other value depends on it: the solver leaves it out, and files do
//! not store it. Its value follows from its moves.

use crate::index::half;

/// The best capture of a position that has none.
pub const NO_CAPTURE: i8 = i8::MIN;

/// Tells positions that a move can lead to from those that none can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The opponent has an empty house.
    Reachable = 0,
    /// The opponent has none.
    Unreachable = 1,
}

impl Reach {
    pub const ALL: [Reach; 2] = [Reach::Reachable, Reach::Unreachable];

    /// The positions in which the opponent has these houses.
    pub(crate) fn of_opponents(houses: [u8; 6]) -> Reach {
        if half::is_filled(houses) {
            Reach::Unreachable
        } else {
            Reach::Reachable
        }
    }
}
