//! The worth of positions and moves.

use granero::{Cycles, Measured, Move, Position, Value};
use serde::Serialize;

use super::fields::Fields;

/// The worth of a position or a move: `value`, or `low`, `high` and `nominal`. These are
/// `null` beyond the tables.
#[derive(Serialize)]
pub(crate) struct WorthJson {
    #[serde(flatten)]
    worth: Fields<Option<i8>>,
    /// `None` if positions have values.
    #[serde(skip_serializing_if = "Option::is_none")]
    nominal: Option<Option<i8>>,
}

impl WorthJson {
    pub(crate) fn of_position(
        cycles: Cycles,
        worth: Option<Measured<Value>>,
        position: &Position,
    ) -> WorthJson {
        WorthJson::new(cycles, worth, |worth| worth.nominal(position))
    }

    pub(crate) fn of_move(
        cycles: Cycles,
        worth: Option<Measured<Value>>,
        play: &Move,
    ) -> WorthJson {
        // The worth of the child is what the move captures minus the move's worth.
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
