//! Seeds that both players have: at the end of the game, and at the end of a line.

use granero::{FinalScore, Side};
use serde::Serialize;
use serde_json::Number;

use crate::LineScore;

/// How the game ends when both play their best.
#[derive(Serialize)]
pub(super) struct FinalScoreJson {
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

/// What the players have at the end of a line.
#[derive(Serialize)]
pub(super) struct LineScoreJson {
    south: u8,
    north: u8,
    /// Seeds left on the board.
    left: u8,
}

impl From<LineScore> for LineScoreJson {
    fn from(score: LineScore) -> LineScoreJson {
        let LineScore { south, north, left } = score;
        LineScoreJson { south, north, left }
    }
}
