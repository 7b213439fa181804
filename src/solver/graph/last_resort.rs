//! Quiet moves that are legal only as a last resort. They are few, and a list has them.

use super::numbering::{Number, OpponentsHalf};

/// A quiet move that is legal only as a last resort, so that the graph does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastResortMove {
    /// The opponent's half-board in the child.
    pub child_opponents: OpponentsHalf,
    /// The mover's half-board in the child.
    pub child_own: Number,
    /// The mover's seeds before the move.
    pub own_seeds: u8,
    /// The row of the mover's half-board before the move.
    pub own: Number,
    /// The opponent's half-board before the move.
    pub opponents: Number,
}

/// Finds the moves of `all`, which are sorted, to children in which the opponent has this half-board.
pub(crate) fn leading_to(
    all: &[LastResortMove],
    child_opponents: OpponentsHalf,
) -> impl Iterator<Item = &LastResortMove> {
    let start = all.partition_point(|found| found.child_opponents < child_opponents);
    let here = all[start..].iter();
    here.take_while(move |found| found.child_opponents == child_opponents)
}
