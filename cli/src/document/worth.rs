//! What positions and moves are worth, as JSON.

use granero::{Cycles, FinalScore, Measured, Side, Value};
use serde::Serialize;
use serde_json::Number;

/// What a position or a move is worth, by the convention for endless play.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum WorthJson {
    Value {
        value: Option<i8>,
    },
    Bounds {
        low: Option<i8>,
        high: Option<i8>,
        nominal: Option<i8>,
    },
}

impl WorthJson {
    /// Where the tables do not reach so far.
    pub(crate) fn unknown(cycles: Cycles) -> WorthJson {
        WorthJson::of(cycles, None, Measured::low)
    }

    pub(crate) fn of(
        cycles: Cycles,
        worth: Option<Measured<Value>>,
        nominal: impl FnOnce(Measured<Value>) -> Value,
    ) -> WorthJson {
        let low = worth.map(|worth| worth.low().seeds());
        match cycles {
            Cycles::Split => WorthJson::Value { value: low },
            Cycles::OwnSide => WorthJson::Bounds {
                low,
                high: worth.map(|worth| worth.high().seeds()),
                nominal: worth.map(|worth| nominal(worth).seeds()),
            },
        }
    }
}

/// How the game ends.
#[derive(Serialize)]
pub(crate) struct ScoreJson {
    south: Number,
    north: Number,
    winner: Option<&'static str>,
}

impl From<FinalScore> for ScoreJson {
    fn from(score: FinalScore) -> ScoreJson {
        // Half seeds are rare: whole numbers are written as such.
        let number = |side| {
            let seeds = score.seeds(side);
            match Number::from_f64(seeds) {
                Some(number) if seeds.fract() != 0.0 => number,
                _ => Number::from(seeds as u8),
            }
        };
        ScoreJson {
            south: number(Side::South),
            north: number(Side::North),
            winner: score.winner().map(|side| match side {
                Side::South => "south",
                Side::North => "north",
            }),
        }
    }
}
