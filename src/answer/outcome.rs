//! Who wins after a move.

use std::cmp::Ordering;

use granero::prove::ProvenMove;
use granero::{AssessedMove, FinalScore, Situation, TableError, Value};
use schemars::JsonSchema;
use serde::Serialize;

use crate::estimates::{Estimates, POSITIONS};
use crate::position::PositionAnswer;
use crate::words::Range;

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

    fn of(value: Value, situation: Option<&Situation>) -> Outcome {
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

impl PositionAnswer<'_> {
    /// Who wins after a move; `None` if that is open.
    pub fn outcome(&self, assessed: &AssessedMove, proven: Option<&ProvenMove>) -> Option<Outcome> {
        let seeds = self.assessment.position.seeds();
        let ends = match (assessed.value, assessed.clamped, proven) {
            (Some(value), _, _) => [value.low(), value.high()],
            (None, Some(clamped), _) => clamped.range(seeds),
            (None, None, Some(proven)) => [proven.low, proven.high],
            (None, None, None) => return None,
        };
        self.outcome_within(ends)
    }

    /// Who wins, if all values between these two decide it alike.
    pub(crate) fn outcome_within(&self, ends: [Value; 2]) -> Option<Outcome> {
        let situation = self.text.situation();
        let [low, high] = ends.map(|value| Outcome::of(value, situation.as_ref()));
        (low == high).then_some(low)
    }

    /// Returns true if nothing is known about a move.
    pub fn is_open(&self, assessed: &AssessedMove, proven: Option<&ProvenMove>) -> bool {
        let seeds = self.assessment.position.seeds();
        assessed.clamped.is_none()
            && assessed.value.is_none()
            && proven.is_none_or(|proven| Range::from(proven).ends(seeds) == (None, None))
    }

    /// Estimates the moves, if nothing is known about one of them.
    pub fn estimate(&mut self) -> Result<(), TableError> {
        if self
            .moves()
            .any(|(found, proven)| self.is_open(found, proven))
        {
            self.estimates = Estimates::of(self.tables, &self.assessment.position, POSITIONS)?;
        }
        Ok(())
    }

    /// The estimate of a move about which nothing is known.
    pub fn estimate_of(&self, assessed: &AssessedMove, proven: Option<&ProvenMove>) -> Option<f64> {
        let estimate = self.estimates.get(assessed.play.house);
        estimate.filter(|_| self.is_open(assessed, proven))
    }

    /// The estimate of the position, if nothing is known about it.
    pub fn estimated(&self) -> Option<f64> {
        let seeds = self.assessment.position.seeds();
        let is_open = self.is_beyond()
            && self.assessment.value.is_none()
            && (self.proven.as_ref())
                .is_none_or(|proof| Range::from(proof).ends(seeds) == (None, None));
        let (_, seeds) = self.estimates.best().filter(|_| is_open)?;
        Some(seeds)
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
