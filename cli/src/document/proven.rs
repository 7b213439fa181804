//! What is proven of positions beyond the tables.

use granero::Side;
use serde::Serialize;

use crate::answer::{Effort, PositionAnswer, ProvenRange, Range};

/// What a search has proven of a position, and what it took.
#[derive(Serialize)]
pub(super) struct ProvenJson {
    #[serde(flatten)]
    range: RangeJson,
    /// The best known moves.
    best: Vec<char>,
    #[serde(flatten)]
    effort: EffortJson,
    ended: &'static str,
}

/// What is proven of a position or a move: it is worth `low` at least, and `high` at most.
#[derive(Serialize)]
pub(super) struct RangeJson {
    low: i8,
    high: i8,
}

#[derive(Serialize)]
pub(super) struct EffortJson {
    positions: u64,
    seconds: f64,
}

impl ProvenJson {
    /// `None` if nothing had to be proven.
    pub(super) fn of(answer: &PositionAnswer<'_>) -> Option<ProvenJson> {
        let proven = answer.proven.as_ref()?;
        let is_best_known = |(_, proven): &(_, Option<&ProvenRange>)| {
            proven.is_some_and(|proven| proven.best_known)
        };
        Some(ProvenJson {
            range: RangeJson::from(proven.range),
            best: answer
                .moves()
                .filter(is_best_known)
                .map(|(assessed, _)| assessed.play.house.letter(Side::South))
                .collect(),
            effort: EffortJson::from(proven.effort),
            ended: proven.ended.name(),
        })
    }
}

impl From<Range> for RangeJson {
    fn from(range: Range) -> RangeJson {
        RangeJson {
            low: range.low.seeds(),
            high: range.high.seeds(),
        }
    }
}

impl From<Effort> for EffortJson {
    fn from(effort: Effort) -> EffortJson {
        EffortJson {
            positions: effort.positions,
            seconds: effort.time.as_secs_f64(),
        }
    }
}
