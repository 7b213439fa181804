//! Who wins after a move.

use std::cmp::Ordering;

use granero::{FinalScore, Situation, Value};
use schemars::JsonSchema;
use serde::Serialize;

/// Who wins with best play, from the mover's view: the game, if stores are written, otherwise most of the seeds on
/// the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Loss,
    Draw,
    Win,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        }
    }

    /// Who wins with a value of the position.
    pub(crate) fn of(value: Value, situation: Option<&Situation>) -> Outcome {
        let ahead: f64 = match situation {
            None => value.seeds().into(),
            Some(situation) => {
                let score = FinalScore::new(situation, value);
                let mover = situation.to_move();
                score.seeds(mover) - score.seeds(mover.other())
            }
        };
        match ahead.total_cmp(&0.0) {
            Ordering::Equal => Outcome::Draw,
            Ordering::Greater => Outcome::Win,
            Ordering::Less => Outcome::Loss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_that_of_the_game_if_there_are_stores() {
        let value = |seeds| Value::new(seeds).unwrap();
        for (seeds, expected) in [(1, Outcome::Win), (0, Outcome::Draw), (-1, Outcome::Loss)] {
            assert_eq!(Outcome::of(value(seeds), None), expected);
        }
        let behind: Situation = "0-2-0-1-1-0-1-0-2-0-1-0-18-22-S".parse().unwrap();
        for (seeds, expected) in [(6, Outcome::Win), (4, Outcome::Draw), (2, Outcome::Loss)] {
            assert_eq!(Outcome::of(value(seeds), Some(&behind)), expected);
        }
        // North is to move, and ahead.
        let ahead: Situation = "1-0-2-0-1-0-0-2-0-1-1-0-18-22-N".parse().unwrap();
        for (seeds, expected) in [(-2, Outcome::Win), (-4, Outcome::Draw), (-6, Outcome::Loss)] {
            assert_eq!(Outcome::of(value(seeds), Some(&ahead)), expected);
        }
    }
}
