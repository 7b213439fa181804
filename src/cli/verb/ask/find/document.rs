//! The document of `granero find --json`.

use granero::find::stake;
use granero::line::Distance;
use granero::player::Difficulty;
use serde::Serialize;

use granero::Side;
use granero_answer::PositionAnswer;
use granero_answer::document::{PositionJson, RulesAndCycles};

/// The positions that were found, and their number.
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

/// The range of the stake, if it is cut off.
#[derive(Serialize)]
struct StakeJson {
    low: u8,
    high: u8,
}

#[derive(Serialize)]
pub(crate) struct FoundJson {
    index: u64,
    #[serde(flatten)]
    position: PositionJson,
    best: Vec<char>,
    /// `None` if the game is over, or if the stake is cut off.
    stake: Option<u8>,
    /// The range of a stake that is cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    stake_range: Option<StakeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty: Option<DifficultyJson>,
}

/// How easily a player goes wrong.
#[derive(Serialize)]
struct DifficultyJson {
    depth: u8,
    keeping: u8,
    moves: u8,
    trap: u8,
    easy_to_miss: bool,
}

impl FoundJson {
    /// Describes a position; `distance` and `difficulty` are `None` unless they were asked for.
    pub(crate) fn new(
        index: u64,
        answer: &PositionAnswer<'_>,
        distance: Option<Distance>,
        difficulty: Option<Difficulty>,
    ) -> FoundJson {
        let best = answer.assessment.best();
        let stake = stake(&answer.assessment);
        FoundJson {
            index,
            position: PositionJson::from(answer),
            best: best
                .map(|best| best.play.house.letter(Side::South))
                .collect(),
            stake: stake.and_then(|[low, high]| (low == high).then_some(low)),
            stake_range: stake
                .filter(|[low, high]| low != high)
                .map(|[low, high]| StakeJson { low, high }),
            distance: distance.map(Distance::moves),
            difficulty: difficulty.map(|difficulty| DifficultyJson {
                depth: difficulty.depth,
                keeping: difficulty.keeping,
                moves: difficulty.moves,
                trap: difficulty.trap,
                easy_to_miss: difficulty.is_easy_to_miss(),
            }),
        }
    }
}
