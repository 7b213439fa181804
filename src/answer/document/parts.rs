//! Parts that several documents have.

use granero::notation::aalina;
use granero::rules::GameOver;
use granero::{
    Cycles, Extent, FinalScore, Measure, Measured, Position, Ruleset, Side, Situation, Tables,
    Value,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use crate::documents;

/// The twelve houses.
pub(super) type Houses = [u8; 12];

documents! {
    /// The ruleset, the convention for endless play, and the extent.
    #[derive(Clone, Copy, Debug)]
    pub struct RulesAndCycles(ruleset: Ruleset, convention: Cycles, kept: Extent) {
        /// The ruleset of the tables.
        #[schemars(extend("enum" = Ruleset::ALL.map(Ruleset::name)))]
        rules: &'static str = ruleset.name(),
        /// Their convention for endless play.
        #[schemars(extend("enum" = Cycles::ALL.map(Cycles::name)))]
        cycles: &'static str = convention.name(),
        /// Only of deciding tables: `deciding`.
        extent?: &'static str = (!kept.is_full()).then(|| kept.name()),
        /// Only of deciding tables: the seeds of the game.
        decides?: u8 = kept.game(),
    }
}

impl RulesAndCycles {
    /// The convention, if these are tables of a ruleset.
    pub(super) fn cycles_of(&self, rules: Ruleset) -> Option<&'static str> {
        (self.rules == rules.name()).then_some(self.cycles)
    }
}

impl From<&Tables> for RulesAndCycles {
    fn from(tables: &Tables) -> RulesAndCycles {
        RulesAndCycles::new(tables.rules(), tables.cycles(), tables.extent())
    }
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Player {
    South,
    North,
}

impl From<Side> for Player {
    fn from(side: Side) -> Player {
        match side {
            Side::South => Player::South,
            Side::North => Player::North,
        }
    }
}

documents! {
    /// The fields that only the server gives.
    pub(super) struct Served(situation: Option<Situation>) {
        /// From the server: `seeds`.
        unit: &'static str = super::UNIT,
        /// From the server, only with stores: the position as it was written.
        situation?: WrittenSituation = situation.map(|situation| WrittenSituation::new(&situation)),
    }

    /// The situation that a position was written with.
    struct WrittenSituation(situation: &Situation) {
        /// In Aalina's notation.
        notation: String = aalina::write(situation),
        /// The player to move.
        to_move: Player = situation.to_move().into(),
        /// South's captures so far.
        south: u8 = situation.store(Side::South),
        /// North's captures so far.
        north: u8 = situation.store(Side::North),
    }

    /// Why the game is over, and what each player takes: the seeds on their own side, in every ruleset.
    pub(super) struct Over(over: &GameOver, position: &Position) {
        /// `no-seeds`: the player to move has none; `cannot-feed`: the opponent has none and no legal move gives any;
        /// `only-grand-slams`: in `slam-illegal`, every move would be one.
        reason: &'static str = over.reason.name(),
        /// The reason in words.
        text: String = over.reason.to_string(),
        /// `mover` minus `opponent`.
        value: i8 = over.value.seeds(),
        /// Seeds that the player to move takes.
        mover: u8 = position.own_seeds(),
        /// Seeds that the opponent takes.
        opponent: u8 = position.opponents_seeds(),
    }

    /// The end of a game when both play their best.
    pub(super) struct Score(score: FinalScore) {
        /// South's seeds; a multiple of ½ if endless play is shared.
        south: Number = number(score.seeds(Side::South)),
        /// North's seeds.
        north: Number = number(score.seeds(Side::North)),
        /// `null` in a draw.
        winner: Option<Player> = score.winner().map(Player::from),
    }
}

/// A number of seeds. Half seeds are rare: whole numbers are written as such.
pub(super) fn number(seeds: f64) -> Number {
    match Number::from_f64(seeds) {
        Some(number) if seeds.fract() != 0.0 => number,
        _ => Number::from(seeds as u32),
    }
}

/// The value of a position or a move. All are `null` if it is unknown.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ValueJson {
    Value {
        /// Seeds on the board that the player to move gets with best play, minus the opponent's; `null` if unknown.
        value: Option<i8>,
    },
    Bounds {
        /// With `own-side` in place of `value`: what the player to move can guarantee, however endless play is decided.
        low: Option<i8>,
        /// With `own-side`: the most that the opponent must allow.
        high: Option<i8>,
        /// With `own-side`: one number for display between them, by the seeds on each side now; no guarantee.
        nominal: Option<i8>,
    },
}

impl ValueJson {
    pub(super) fn new(
        cycles: Cycles,
        value: Option<Measured<Value>>,
        nominal: Option<Value>,
    ) -> ValueJson {
        let get = |measure: Measure| value.map(|value| value.get(measure.bound()).seeds());
        match cycles.measures().map(get) {
            Measured::Value(value) => ValueJson::Value { value },
            Measured::Bounds { low, high } => ValueJson::Bounds {
                low,
                high,
                nominal: nominal.map(Value::seeds),
            },
        }
    }
}

/// What positions have once if they have values, or for each bound.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ValueOrBounds<T> {
    Value(T),
    Bounds {
        /// With `own-side`: of the low bounds.
        low: T,
        /// With `own-side`: of the high bounds.
        high: T,
    },
}

impl<T> From<Measured<T>> for ValueOrBounds<T> {
    fn from(measured: Measured<T>) -> ValueOrBounds<T> {
        match measured {
            Measured::Value(value) => ValueOrBounds::Value(value),
            Measured::Bounds { low, high } => ValueOrBounds::Bounds { low, high },
        }
    }
}

/// Declares enums of one field, or of two in its place: for values or bounds, or for what is certain or open.
macro_rules! one_or_two {
    ($($name:ident: $type:ty = $one:ident | $low:ident, $high:ident, $doc:literal;)*) => {$(
        #[derive(serde::Serialize, schemars::JsonSchema)]
        #[serde(untagged)]
        pub(super) enum $name {
            One {
                #[doc = $doc]
                $one: $type,
            },
            Two {
                #[doc = $doc]
                $low: $type,
                #[doc = $doc]
                $high: $type,
            },
        }

        impl From<granero::Measured<$type>> for $name {
            fn from(measured: granero::Measured<$type>) -> $name {
                match measured {
                    granero::Measured::Value($one) => $name::One { $one },
                    granero::Measured::Bounds { low, high } => $name::Two { $low: low, $high: high },
                }
            }
        }
    )*};
}
pub(super) use one_or_two;
