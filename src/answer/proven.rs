//! What a search has proven of a position beyond the tables.

use std::cmp::Reverse;
use std::time::Duration;

use granero::prove::{Ended, Proof, ProofProgress};
use granero::{AssessedMove, Assessment, Cycles, Measured, Move, Side, Value};

use crate::range::Range;

/// What was proven of a position, and with what effort.
pub struct Proven {
    pub range: Range,
    /// The moves, the best known first.
    pub(crate) moves: Vec<ProvenPlay>,
    pub effort: Effort,
    pub ended: Ended,
}

/// What was proven of a move.
pub struct ProvenPlay {
    pub(crate) play: Move,
    pub range: Range,
    /// Whether it is certainly a best one.
    pub(crate) best: bool,
    /// Whether no move is known to be better: it has the highest low end, and of several such
    /// moves the highest high end. `false` if nothing tells the moves apart.
    pub best_known: bool,
}

/// What a search took.
#[derive(Clone, Copy)]
pub struct Effort {
    pub(crate) positions: u64,
    pub(crate) time: Duration,
}

impl Proven {
    pub(crate) fn of(proof: &Proof) -> Proven {
        let moves = proof.moves.iter().map(|proven| ProvenPlay {
            play: proven.play,
            range: Range {
                low: proven.low,
                // No move is worth more than the position.
                high: proven.high.min(proof.high),
            },
            best: proof.best().any(|best| best == proven),
            best_known: proof.best_known().any(|best| best == proven),
        });
        let mut moves: Vec<ProvenPlay> = moves.collect();
        moves.sort_by_key(|proven| Reverse(proven.range));
        Proven {
            range: proof.into(),
            moves,
            effort: Effort {
                positions: proof.nodes,
                time: proof.time,
            },
            ended: proof.ended,
        }
    }

    /// Adds to an assessment what is certain: values where bounds meet, and the moves that are
    /// best. Its moves get the order of these.
    pub(super) fn add_to(&self, cycles: Cycles, assessment: &mut Assessment) {
        let worth = |range: Range| -> Option<Measured<Value>> {
            let value = range.exact()?;
            Some(cycles.measures().map(|_| value))
        };
        assessment.worth = assessment.worth.or_else(|| worth(self.range));
        let moves = self.moves.iter().map(|proven| {
            let mut known = assessment.moves.iter();
            let known = known.find(|assessed| assessed.play == proven.play);
            AssessedMove {
                play: proven.play,
                worth: known
                    .and_then(|assessed| assessed.worth)
                    .or_else(|| worth(proven.range)),
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

/// How far a search has come, for a meter.
pub fn so_far(progress: &ProofProgress, seeds: u8) -> String {
    let &ProofProgress { low, high, .. } = progress;
    Range { low, high }.in_words(seeds).unwrap_or_default()
}
