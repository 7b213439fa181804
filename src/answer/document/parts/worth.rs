//! The worth of positions and moves.

use granero::{Cycles, Measured, Move, Position, Value};
use serde::Serialize;

use super::fields::Fields;
use crate::object;

/// The worth of a position: `value`, or `low`, `high` and `nominal`. These are `null` beyond the tables.
pub(crate) fn worth_of_position(
    cycles: Cycles,
    worth: Option<Measured<Value>>,
    position: &Position,
) -> impl Serialize + use<> {
    fields(cycles, worth, worth.map(|worth| worth.nominal(position)))
}

/// The worth of a move, in the same fields.
pub(crate) fn worth_of_move(
    cycles: Cycles,
    worth: Option<Measured<Value>>,
    play: &Move,
) -> impl Serialize + use<> {
    // The worth of the child is what the move captures minus the move's worth.
    let nominal = |worth: Measured<Value>| play.value(play.worth(worth).nominal(&play.position));
    fields(cycles, worth, worth.map(nominal))
}

fn fields(
    cycles: Cycles,
    worth: Option<Measured<Value>>,
    nominal: Option<Value>,
) -> impl Serialize {
    let seeds = cycles
        .measures()
        .map(|measure| worth.map(|worth| worth.get(measure.bound()).seeds()));
    object! {
        ..worth: Fields::of_worth(seeds),
        nominal?: (cycles == Cycles::OwnSide).then_some(nominal.map(Value::seeds)),
    }
}
