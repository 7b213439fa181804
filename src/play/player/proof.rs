//! Near the tables: which moves are best, or not worth a search, is often proven.

use std::ops::ControlFlow;

use crate::prove::{Budget, ProvenMove, Prover};
use granero_game::rules::Move;
use granero_game::{Position, Value};
use granero_table::{TableError, Tables};

/// How many seeds more than the tables a position has at most for which proofs are searched for.
/// With more, little is proven in the time of a move.
const NEAR: u8 = 8;

/// The moves that are left to choose from.
pub(super) struct Left {
    moves: Vec<ProvenMove>,
}

impl Left {
    /// Searches for proofs; `None` for positions that are too far from the tables. If some moves
    /// are certainly best, these are left; otherwise those that are not certainly worse than
    /// another.
    pub(super) fn by_proof(
        tables: &Tables,
        prover: Prover<'_>,
        position: &Position,
        budget: Budget,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Left>, TableError> {
        let near = tables.max_seeds().map(|seeds| seeds.saturating_add(NEAR));
        if near < Some(position.seeds()) {
            return Ok(None);
        }
        let proof = prover.prove(position, budget, |_| match stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })?;
        let may_be_best = |proven: &&ProvenMove| proven.high >= proof.low;
        let mut moves: Vec<ProvenMove> = proof.best().copied().collect();
        if moves.is_empty() {
            moves = proof.moves.iter().filter(may_be_best).copied().collect();
        }
        Ok(Some(Left { moves }))
    }

    /// Whether it is known what they are worth.
    pub(super) fn are_settled(&self) -> bool {
        self.moves.iter().all(|proven| proven.low == proven.high)
    }

    pub(super) fn plays(&self) -> Vec<Move> {
        self.moves.iter().map(|proven| proven.play).collect()
    }

    /// What a move is worth, as far as it is proven; `value` is what a search says of it.
    pub(super) fn worth(&self, play: &Move, value: Value) -> (Value, bool) {
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
