//! Positions with stores and side to move.

use granero::notation::aalina;
use granero::{Side, Situation};
use serde::Serialize;

use crate::object;

/// The situation that a position was written with.
pub(crate) fn situation(situation: Situation) -> impl Serialize {
    object! {
        notation: aalina::write(&situation),
        to_move: side(situation.to_move()),
        south: situation.store(Side::South),
        north: situation.store(Side::North),
    }
}

pub(crate) fn side(side: Side) -> &'static str {
    match side {
        Side::South => "south",
        Side::North => "north",
    }
}
