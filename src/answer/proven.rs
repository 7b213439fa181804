//! The results of a search beyond the tables.

use std::cmp::Reverse;

use granero::prove::{Proof, ProofProgress, ProvenMove};
use granero::{AssessedMove, Assessment, Cycles, Measured, Side, Value};

use crate::words::{Range, duration, rounded};

impl From<&Proof> for Range {
    fn from(&Proof { low, high, .. }: &Proof) -> Range {
        Range { low, high }
    }
}

impl From<&ProvenMove> for Range {
    fn from(&ProvenMove { low, high, .. }: &ProvenMove) -> Range {
        Range { low, high }
    }
}

/// A proof with its moves in order, the best known first. None of them is worth more than the position.
pub(crate) fn ordered(proof: &Proof) -> Proof {
    let mut proof = proof.clone();
    for proven in &mut proof.moves {
        proven.high = proven.high.min(proof.high);
    }
    proof
        .moves
        .sort_by_key(|proven| Reverse(Range::from(proven)));
    proof
}

/// Adds to an assessment the values whose ranges are exact, and the moves that are certainly best. Its moves get the
/// order of the proof.
pub(crate) fn add(proof: &Proof, cycles: Cycles, assessment: &mut Assessment) {
    let value = |range: Range| -> Option<Measured<Value>> {
        let value = range.exact()?;
        Some(cycles.measures().map(|_| value))
    };
    assessment.value = assessment.value.or_else(|| value(proof.into()));
    let moves = proof.moves.iter().map(|proven| {
        let mut known = assessment.moves.iter();
        let known = known.find(|assessed| assessed.play == proven.play);
        AssessedMove {
            play: proven.play,
            value: known
                .and_then(|assessed| assessed.value)
                .or_else(|| value(proven.into())),
            clamped: known.and_then(|assessed| assessed.clamped),
            best: proof.best().any(|best| best == proven),
        }
    });
    assessment.moves = moves.collect();
}

/// The letters of the best known moves.
pub fn best_known(proof: &Proof, side: Side) -> Vec<char> {
    let letter = |proven: &ProvenMove| proven.play.house.letter(side);
    proof.best_known().map(letter).collect()
}

/// The effort of a search: `with 1.2 M positions in 800 ms`.
pub fn effort(proof: &Proof) -> String {
    let plural = if proof.nodes == 1 { "" } else { "s" };
    let (positions, time) = (rounded(proof.nodes), duration(proof.time));
    format!("with {positions} position{plural} in {time}")
}

/// The range that a search has proven so far, in words for a meter.
pub fn so_far(progress: &ProofProgress, seeds: u8) -> String {
    let &ProofProgress { low, high, .. } = progress;
    Range { low, high }.in_words(seeds).unwrap_or_default()
}
