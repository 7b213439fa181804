//! What positions and moves are worth.

use granero::{Cycles, Measured, Move, Position, Value};
use serde::Serialize;

use super::fields::Fields;

/// What a position or a move is worth: `value`, or `low`, `high` and `nominal`. These are
/// `null` where the tables do not reach.
#[derive(Serialize)]
pub(super) struct WorthJson {
    #[serde(flatten)]
    worth: Fields<Option<i8>>,
    /// `None` where positions have values.
    #[serde(skip_serializing_if = "Option::is_none")]
    nominal: Option<Option<i8>>,
}

impl WorthJson {
    pub(super) fn of_position(
        cycles: Cycles,
        worth: Option<Measured<Value>>,
        position: &Position,
    ) -> WorthJson {
        WorthJson::new(cycles, worth, |worth| worth.nominal(position))
    }

    pub(super) fn of_move(
        cycles: Cycles,
        worth: Option<Measured<Value>>,
        play: &Move,
    ) -> WorthJson {
        // What the move leaves is what it captures minus what it is worth.
        let nominal =
            |worth: Measured<Value>| play.value(play.worth(worth).nominal(&play.position));
        WorthJson::new(cycles, worth, nominal)
    }

    fn new(
        cycles: Cycles,
        worth: Option<Measured<Value>>,
        nominal: impl FnOnce(Measured<Value>) -> Value,
    ) -> WorthJson {
        let seeds = cycles
            .measures()
            .map(|measure| worth.map(|worth| worth.get(measure.bound()).seeds()));
        WorthJson {
            worth: Fields::of_worth(seeds),
            nominal: match cycles {
                Cycles::Split => None,
                Cycles::OwnSide => Some(worth.map(|worth| nominal(worth).seeds())),
            },
        }
    }
}
