//! What is proven of positions beyond the tables.

use granero::{Clamped, Measured, Side};
use serde::Serialize;

use crate::{Effort, Proven, Range};

/// What a search has proven of a position, and what it took.
#[derive(Serialize)]
pub(super) struct ProvenJson {
    #[serde(flatten)]
    range: RangeJson,
    best_known: Vec<char>,
    #[serde(flatten)]
    effort: EffortJson,
    ended: &'static str,
}

/// What is known of a position or a move: it is worth `low` at least, and `high` at most.
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

impl From<&Proven> for ProvenJson {
    fn from(proven: &Proven) -> ProvenJson {
        ProvenJson {
            range: RangeJson::from(proven.range),
            best_known: proven.best_known(Side::South),
            effort: EffortJson::from(proven.effort),
            ended: proven.ended.name(),
        }
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

impl RangeJson {
    /// What deciding tables say where they have cut off the worth of a position, or of a move in it;
    /// `None` if nothing is cut off, or nothing is known. `seeds` are those of the position.
    pub(super) fn of(clamped: Option<Measured<Clamped>>, seeds: u8) -> Option<RangeJson> {
        let clamped = clamped.filter(|clamped| clamped.exactly().is_none())?;
        let [low, high] = clamped.range(seeds);
        Some(RangeJson::from(Range { low, high }))
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
