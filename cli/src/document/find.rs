//! Positions that satisfy a condition.

use granero::find::stake;
use granero::line::Distance;
use serde::Serialize;

use super::position::PositionJson;
use super::rules_and_cycles::RulesAndCycles;
use crate::answer::PositionAnswer;
use granero::Side;

/// What `granero find --json` prints.
#[derive(Serialize)]
pub(crate) struct FindDocument {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) seeds: u8,
    /// All positions of the layer.
    pub(crate) positions: u64,
    pub(crate) found: u64,
    pub(crate) examples: Vec<FoundJson>,
}

/// A position that was found.
#[derive(Serialize)]
pub(crate) struct FoundJson {
    index: u64,
    #[serde(flatten)]
    position: PositionJson,
    best: Vec<char>,
    stake: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<usize>>,
}

impl FoundJson {
    /// `distance` is only there if it was asked for.
    pub(crate) fn new(
        index: u64,
        answer: &PositionAnswer<'_>,
        distance: Option<Distance>,
    ) -> FoundJson {
        let best = answer.assessment.best();
        FoundJson {
            index,
            position: PositionJson::from(answer),
            best: best
                .map(|best| best.play.house.letter(Side::South))
                .collect(),
            stake: stake(&answer.assessment),
            distance: distance.map(Distance::moves),
        }
    }
}
