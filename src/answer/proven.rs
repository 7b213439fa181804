//! The results of a search beyond the tables.

use std::cmp::Reverse;
use std::fmt;
use std::time::Duration;

use granero::prove::{Ended, Proof, ProofProgress};
use granero::{AssessedMove, Assessment, Cycles, Measured, Move, Side, Value};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::words::Range;
use crate::words::{duration, rounded};

/// The proven ranges of a position and its moves, and the effort of the search.
pub struct Proven {
    pub range: Range,
    /// The moves, the best known first.
    pub(crate) moves: Vec<MoveRange>,
    pub effort: Effort,
    pub ended: Ended,
}

pub struct MoveRange {
    pub(crate) play: Move,
    pub range: Range,
    /// True if it is certainly a best move.
    pub(crate) best: bool,
    /// True if no move is known to be better: it has the highest low end, and of several such
    /// moves the highest high end. False if nothing tells the moves apart.
    pub best_known: bool,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct Effort {
    /// Positions that were searched.
    pub(crate) positions: u64,
    /// Its time.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    #[schemars(with = "f64")]
    pub(crate) time: Duration,
}

fn as_seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// `with 1.2 M positions in 800 ms`
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.positions == 1 { "" } else { "s" };
        write!(
            f,
            "with {} position{plural} in {}",
            rounded(self.positions),
            duration(self.time)
        )
    }
}

impl Effort {
    pub(crate) fn of(proof: &Proof) -> Effort {
        let (positions, time) = (proof.nodes, proof.time);
        Effort { positions, time }
    }
}

impl Proven {
    pub(crate) fn of(proof: &Proof) -> Proven {
        let ranges = proof.moves.iter().map(|proven| MoveRange {
            play: proven.play,
            range: Range {
                low: proven.low,
                // No move is worth more than the position.
                high: proven.high.min(proof.high),
            },
            best: proof.best().any(|best| best == proven),
            best_known: proof.best_known().any(|best| best == proven),
        });
        let mut moves: Vec<MoveRange> = ranges.collect();
        moves.sort_by_key(|proven| Reverse(proven.range));
        let &Proof { low, high, .. } = proof;
        Proven {
            range: Range { low, high },
            moves,
            effort: Effort::of(proof),
            ended: proof.ended,
        }
    }

    /// Adds to an assessment the values whose ranges are exact, and the moves that are certainly
    /// best. Its moves get the order of `moves`.
    pub(super) fn add_to(&self, cycles: Cycles, assessment: &mut Assessment) {
        let value = |range: Range| -> Option<Measured<Value>> {
            let value = range.exact()?;
            Some(cycles.measures().map(|_| value))
        };
        assessment.value = assessment.value.or_else(|| value(self.range));
        let moves = self.moves.iter().map(|proven| {
            let mut known = assessment.moves.iter();
            let known = known.find(|assessed| assessed.play == proven.play);
            AssessedMove {
                play: proven.play,
                value: known
                    .and_then(|assessed| assessed.value)
                    .or_else(|| value(proven.range)),
                clamped: known.and_then(|assessed| assessed.clamped),
                best: proven.best,
            }
        });
        assessment.moves = moves.collect();
    }

    /// The letters of the best known moves.
    pub fn best_known(&self, side: Side) -> Vec<char> {
        let moves = self.moves.iter().filter(|proven| proven.best_known);
        moves.map(|proven| proven.play.house.letter(side)).collect()
    }
}

/// The range that a search has proven so far, in words for a meter.
pub fn so_far(progress: &ProofProgress, seeds: u8) -> String {
    let &ProofProgress { low, high, .. } = progress;
    Range { low, high }.in_words(seeds).unwrap_or_default()
}
