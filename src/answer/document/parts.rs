//! Parts that several documents have.

use granero::notation::aalina;
use granero::rules::GameOver;
use granero::{
    Cycles, Extent, FinalScore, Measure, Measured, Move, Position, Ruleset, Side, Situation,
    Tables, Value,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Number;

use crate::object;

/// The ruleset, the convention for endless play, and the extent.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RulesAndCycles {
    rules: &'static str,
    cycles: &'static str,
    /// `None` for full values.
    #[serde(skip_serializing_if = "Option::is_none")]
    extent: Option<&'static str>,
    /// The seeds of the game that deciding tables decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    decides: Option<u8>,
}

impl RulesAndCycles {
    pub fn new(rules: Ruleset, cycles: Cycles, extent: Extent) -> RulesAndCycles {
        RulesAndCycles {
            rules: rules.name(),
            cycles: cycles.name(),
            extent: (!extent.is_full()).then(|| extent.name()),
            decides: extent.game(),
        }
    }
}

impl From<&Tables> for RulesAndCycles {
    fn from(tables: &Tables) -> RulesAndCycles {
        RulesAndCycles::new(tables.rules(), tables.cycles(), tables.extent())
    }
}

/// The situation that a position was written with.
pub(super) fn situation(situation: Situation) -> impl Serialize {
    object! {
        notation: aalina::write(&situation),
        to_move: side(situation.to_move()),
        south: situation.store(Side::South),
        north: situation.store(Side::North),
    }
}

pub(super) fn side(side: Side) -> &'static str {
    match side {
        Side::South => "south",
        Side::North => "north",
    }
}

/// Why the game is over, and its value, for the verbs.
pub(super) fn over(over: &GameOver) -> impl Serialize + use<> {
    object! {
        reason: over.reason.name(),
        value: over.value.seeds(),
    }
}

/// Like `over`, for the server: also in words, and with the seeds that each player takes.
pub(super) fn served_over(over: &GameOver, position: &Position) -> impl Serialize + use<> {
    object! {
        reason: over.reason.name(),
        text: over.reason.to_string(),
        value: over.value.seeds(),
        // In every ruleset, both players take the seeds on their own side.
        mover: position.own_seeds(),
        opponent: position.opponents_seeds(),
    }
}

/// The end of the game when both play their best.
pub(super) fn final_score(score: FinalScore) -> impl Serialize {
    object! {
        south: number(score.seeds(Side::South)),
        north: number(score.seeds(Side::North)),
        winner: score.winner().map(side),
    }
}

/// A number of seeds. Half seeds are rare: whole numbers are written as such.
pub(super) fn number(seeds: f64) -> Number {
    match Number::from_f64(seeds) {
        Some(number) if seeds.fract() != 0.0 => number,
        _ => Number::from(seeds as u32),
    }
}

/// The worth of a position: `value`, or `low`, `high` and `nominal`. These are `null` beyond the tables.
pub(super) fn worth_of_position(
    cycles: Cycles,
    worth: Option<Measured<Value>>,
    position: &Position,
) -> impl Serialize + use<> {
    fields(cycles, worth, worth.map(|worth| worth.nominal(position)))
}

/// The worth of a move, in the same fields.
pub(super) fn worth_of_move(
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

/// Fields of an object with their names: one if positions have values, two if they have bounds.
pub struct Fields<T>(Measured<(&'static str, T)>);

impl<T> Fields<T> {
    /// One field with the name for values, or two with the names for the low and the high bound.
    pub fn named(
        of_value: &'static str,
        [of_low, of_high]: [&'static str; 2],
        measured: Measured<T>,
    ) -> Fields<T> {
        Fields(match measured {
            Measured::Value(value) => Measured::Value((of_value, value)),
            Measured::Bounds { low, high } => Measured::Bounds {
                low: (of_low, low),
                high: (of_high, high),
            },
        })
    }

    /// The field `value`, or the fields `low` and `high`.
    pub(super) fn of_worth(worth: Measured<T>) -> Fields<T> {
        let [value, low, high] = [Measure::Value, Measure::Low, Measure::High].map(Measure::name);
        Fields::named(value, [low, high], worth)
    }
}

impl<T: Serialize> Serialize for Fields<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.0 {
            Measured::Value((name, value)) => map.serialize_entry(name, value)?,
            Measured::Bounds { low, high } => {
                map.serialize_entry(low.0, &low.1)?;
                map.serialize_entry(high.0, &high.1)?;
            }
        }
        map.end()
    }
}
