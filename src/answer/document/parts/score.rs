//! The score at the end of the game.

use granero::{FinalScore, Side};
use serde::Serialize;
use serde_json::Number;

/// The end of the game when both play their best.
#[derive(Serialize)]
pub(crate) struct FinalScoreJson {
    south: Number,
    north: Number,
    winner: Option<&'static str>,
}

impl From<FinalScore> for FinalScoreJson {
    fn from(score: FinalScore) -> FinalScoreJson {
        // Half seeds are rare: whole numbers are written as such.
        let number = |side| {
            let seeds = score.seeds(side);
            match Number::from_f64(seeds) {
                Some(number) if seeds.fract() != 0.0 => number,
                _ => Number::from(seeds as u8),
            }
        };
        FinalScoreJson {
            south: number(Side::South),
            north: number(Side::North),
            winner: score.winner().map(super::situation::side),
        }
    }
}
