//! The moves that proofs leave to choose from: near the tables, a proof often tells which moves are
//! best, or which need no search.

use std::ops::ControlFlow;

use crate::prove::{Budget, ProvenMove, Prover};
use granero_game::rules::Move;
use granero_game::{Position, Value};
use granero_table::{TableError, Tables};

/// A position is searched for proofs if it has at most this many seeds more than the tables. With
/// more, little is proven in the time of a move.
const NEAR: u8 = 8;

/// The moves that are left to choose from.
pub(super) struct Candidates {
    moves: Vec<ProvenMove>,
}

impl Candidates {
    /// Searches for proofs; `None` if the position is too far from the tables. If some moves are
    /// certainly best, they are the candidates; otherwise all moves that are not certainly worse than
    /// another.
    pub(super) fn by_proof(
        tables: &Tables,
        prover: Prover<'_>,
        position: &Position,
        budget: Budget,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Candidates>, TableError> {
        let near = tables.max_seeds().map(|seeds| seeds.saturating_add(NEAR));
        if near < Some(position.seeds()) {
            return Ok(None);
        }
        let proof = prover.prove(position, budget, |_| {
            if stop() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        let may_be_best = |proven: &&ProvenMove| proven.high >= proof.low;
        let mut moves: Vec<ProvenMove> = proof.best().copied().collect();
        if moves.is_empty() {
            moves = proof.moves.iter().filter(may_be_best).copied().collect();
        }
        Ok(Some(Candidates { moves }))
    }

    /// Returns true if the values of all candidates are proven.
    pub(super) fn are_settled(&self) -> bool {
        self.moves.iter().all(|proven| proven.low == proven.high)
    }

    pub(super) fn plays(&self) -> Vec<Move> {
        self.moves.iter().map(|proven| proven.play).collect()
    }

    /// The value of a move within its proven bounds, and true if it is proven; `value` is the estimate
    /// of a search.
    pub(super) fn value(&self, play: &Move, value: Value) -> (Value, bool) {
        let mut moves = self.moves.iter();
        match moves.find(|proven| proven.play == *play) {
            Some(proven) => (
                value.max(proven.low).min(proven.high),
                proven.low == proven.high,
            ),
            None => (value, false),
        }
    }
}
