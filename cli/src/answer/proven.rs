//! What a search has proven of a position beyond the tables.

use std::cmp::Reverse;
use std::time::Duration;

use granero::prove::{Ended, Progress, Proof};
use granero::{AssessedMove, Assessment, Cycles, Measured, Value};

use super::range::Range;
use crate::options::{duration, rounded};

/// What was proven of a position, and with what effort.
pub(crate) struct Proven {
    pub(crate) range: Range,
    /// Of each move, in the order of the assessment.
    pub(crate) moves: Vec<ProvenRange>,
    pub(crate) effort: Effort,
    pub(crate) ended: Ended,
}

/// What was proven of a move.
pub(crate) struct ProvenRange {
    pub(crate) range: Range,
    /// Whether no move is known to be better: it has the highest low end, and of several such
    /// moves the highest high end. `false` if nothing tells the moves apart.
    pub(crate) best_known: bool,
}

/// What a search took.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) positions: u64,
    pub(crate) time: Duration,
}

impl Proven {
    /// Adds to an assessment what a proof says: values where bounds meet, and the moves that are
    /// certainly best. The moves are put in order, the best known first.
    pub(crate) fn join(cycles: Cycles, assessment: &mut Assessment, proof: &Proof) -> Proven {
        let worth = |range: Range| {
            let value = range.exact()?;
            Some(cycles.measures().map(|_| value))
        };
        let range = Range::from(proof);
        assessment.worth = assessment.worth.or_else(|| worth(range));
        let ranges = ranges(proof);
        let mut joined: Vec<(AssessedMove, Range)> = Vec::with_capacity(ranges.len());
        for (number, proven) in proof.moves.iter().enumerate() {
            let mut moves = assessment.moves.iter();
            let known = moves.find(|assessed| assessed.play == proven.play);
            let known: Option<Measured<Value>> = known.and_then(|assessed| assessed.worth);
            let assessed = AssessedMove {
                play: proven.play,
                worth: known.or_else(|| worth(ranges[number])),
                best: is_best(number, &ranges),
            };
            joined.push((assessed, ranges[number]));
        }
        joined.sort_by_key(|(_, range)| Reverse(*range));
        let best = ranges.iter().max();
        let tells_apart = joined.iter().any(|(assessed, _)| assessed.best)
            || ranges.iter().any(|range| Some(range) != best);
        assessment.moves = joined.iter().map(|(assessed, _)| *assessed).collect();
        let moves = joined.iter().map(|(_, range)| ProvenRange {
            range: *range,
            best_known: tells_apart && Some(range) == best,
        });
        Proven {
            range,
            moves: moves.collect(),
            effort: Effort {
                positions: proof.nodes,
                time: proof.time,
            },
            ended: proof.ended,
        }
    }
}

/// The ranges of the moves. None is worth more than the position.
fn ranges(proof: &Proof) -> Vec<Range> {
    let ranges = proof.moves.iter().map(|proven| Range {
        low: proven.low,
        high: proven.high.min(proof.high),
    });
    ranges.collect()
}

/// Whether a move is certainly a best one: it gives at least what the others can give at most.
fn is_best(number: usize, ranges: &[Range]) -> bool {
    let mut others = ranges.iter().enumerate();
    others.all(|(other, range)| other == number || ranges[number].low >= range.high)
}

/// `with 1.2 M positions in 800 ms`
impl std::fmt::Display for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = if self.positions == 1 { "" } else { "s" };
        write!(
            f,
            "with {} position{plural} in {}",
            rounded(self.positions),
            duration(self.time)
        )
    }
}

/// How far a search has come, for a meter.
pub(crate) fn so_far(progress: &Progress, seeds: u8) -> String {
    let &Progress { low, high, .. } = progress;
    Range { low, high }.in_words(seeds).unwrap_or_default()
}
