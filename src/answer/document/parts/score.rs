//! The score at the end of the game.

use granero::{FinalScore, Side};
use serde::Serialize;
use serde_json::Number;

use crate::object;

/// The end of the game when both play their best.
pub(crate) fn final_score(score: FinalScore) -> impl Serialize {
    object! {
        south: number(score.seeds(Side::South)),
        north: number(score.seeds(Side::North)),
        winner: score.winner().map(super::situation::side),
    }
}

/// A number of seeds. Half seeds are rare: whole numbers are written as such.
pub(crate) fn number(seeds: f64) -> Number {
    match Number::from_f64(seeds) {
        Some(number) if seeds.fract() != 0.0 => number,
        _ => Number::from(seeds as u32),
    }
}
