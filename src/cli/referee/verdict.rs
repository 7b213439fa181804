//! The verdict on one move.

use super::fault::{self, Fault};
use crate::uci::Answer;
use granero::{Assessment, House, Ruleset, Situation, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The situation in which the engine had to move.
    pub(crate) situation: Situation,
    /// The value of the position for the player to move.
    pub(crate) value: Value,
    pub(crate) best: Vec<House>,
    /// True if a legal move is worth less; otherwise there was nothing to choose.
    pub(crate) choice: bool,
    /// The move with its value, or the fault.
    pub(crate) played: Result<(House, Value), Fault>,
}

impl Verdict {
    /// Judges an answer; returns `None` if the position is not in the tables or the game is over.
    pub(super) fn new(
        ruleset: Ruleset,
        situation: &Situation,
        assessment: &Assessment,
        answer: &Answer,
    ) -> Option<Verdict> {
        let value = assessment.exact()?;
        let value_of = |house: House| {
            let mut moves = assessment.moves.iter();
            moves.find(|assessed| assessed.play.house == house)?.exact()
        };
        let played = match fault::legal(ruleset, situation, answer) {
            Ok(house) => Ok((house, value_of(house)?)),
            Err(fault) => Err(fault),
        };
        Some(Verdict {
            situation: *situation,
            value,
            best: assessment.best().map(|best| best.play.house).collect(),
            choice: assessment.moves.iter().any(|assessed| !assessed.best),
            played,
        })
    }

    /// Returns the value of the position minus the value of the move; `None` if the answer was no legal move.
    pub(crate) fn difference_lost(&self) -> Option<u8> {
        let (_, played) = self.played.as_ref().ok()?;
        // No move is worth more than the position.
        Some((self.value.seeds() - played.seeds()).unsigned_abs())
    }
}
