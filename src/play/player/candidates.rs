//! The moves that proofs leave to choose from: near the tables, a proof often tells which moves are
//! best, or which need no search.

use std::ops::ControlFlow;

use crate::prove::{Budget, ProvenMove, Prover};
use granero_game::Position;
use granero_table::{TableError, Tables};

/// A position is searched for proofs if it has at most this many seeds more than the tables. With
/// more, little is proven in the time of a move.
const NEAR: u8 = 8;

/// Searches for proofs; `None` if the position is too far from the tables. If some moves are
/// certainly best, they are the candidates; otherwise all moves that are not certainly worse than
/// another.
pub(super) fn by_proof(
    tables: &Tables,
    prover: Prover<'_>,
    position: &Position,
    budget: Budget,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<ProvenMove>>, TableError> {
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
    let best: Vec<ProvenMove> = proof.best().copied().collect();
    if !best.is_empty() {
        return Ok(Some(best));
    }
    let may_be_best = |proven: &ProvenMove| proven.high >= proof.low;
    Ok(Some(proof.moves.into_iter().filter(may_be_best).collect()))
}
