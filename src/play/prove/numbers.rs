//! Proof numbers and disproof numbers of a question.

use super::oracle::Bounds;

/// A number from here on means: only by a repetition.
pub(super) const ENDLESS: u16 = 60_000;

/// This number means: not at all.
pub(super) const NEVER: u16 = 65_000;

/// The proof number and the disproof number of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    pub(super) proof: u16,
    pub(super) disproof: u16,
}

/// The place where a node keeps its note about a question. Questions that differ by one, and their
/// counterparts for the other player, have different places.
pub(super) fn note_place(least: i8) -> usize {
    usize::from(least > 0) * 2 + usize::from(least & 1 != 0)
}

impl ProofNumbers {
    /// The numbers of a question that no thread has looked at, by the number of open moves.
    pub(super) fn unknown(open: u8) -> ProofNumbers {
        ProofNumbers {
            proof: 1,
            disproof: u16::from(open).max(1),
        }
    }
}

pub(super) const PROVEN: ProofNumbers = ProofNumbers {
    proof: 0,
    disproof: NEVER,
};

pub(super) const REFUTED: ProofNumbers = ProofNumbers {
    proof: NEVER,
    disproof: 0,
};

/// The numbers of a question at the end of a line that is too long.
pub(super) const UNDECIDED: ProofNumbers = ProofNumbers {
    proof: ENDLESS,
    disproof: ENDLESS,
};

/// The numbers of a question, if the bounds decide it.
pub(super) fn decided(bounds: Bounds, least: i8) -> Option<ProofNumbers> {
    if bounds.low >= least {
        Some(PROVEN)
    } else if bounds.high < least {
        Some(REFUTED)
    } else {
        None
    }
}
