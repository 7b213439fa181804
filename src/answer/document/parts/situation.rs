//! Positions with stores and side to move.

use granero::notation::aalina;
use granero::{Side, Situation};
use serde::Serialize;

/// The situation that a position was written with.
#[derive(Serialize)]
pub(crate) struct SituationJson {
    notation: String,
    to_move: &'static str,
    south: u8,
    north: u8,
}

impl From<Situation> for SituationJson {
    fn from(situation: Situation) -> SituationJson {
        SituationJson {
            notation: aalina::write(&situation),
            to_move: side(situation.to_move()),
            south: situation.store(Side::South),
            north: situation.store(Side::North),
        }
    }
}

pub(crate) fn side(side: Side) -> &'static str {
    match side {
        Side::South => "south",
        Side::North => "north",
    }
}
