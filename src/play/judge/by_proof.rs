//! Moves beyond the tables, judged as far as they are proven.

use super::class::{Class, ends};
use crate::prove::Proof;
use granero_game::{FinalScore, Measured, Ply, Side, Value};

/// A move beyond the tables, compared with the other legal moves as far as proofs tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedByProof {
    /// The number of the move, counted from 1 for each player's move.
    pub number: usize,
    /// The move, and the situation before it.
    pub ply: Ply,
    /// The proof of the position before it, tightened by proofs of the positions after it.
    pub proof: Proof,
    /// The proven bounds of that position, for the player who moved.
    pub worth: Measured<Value>,
    /// The proven bounds of the move, for that player.
    pub played: Measured<Value>,
}

/// A summary of the moves of one player beyond the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofSummary<'a> {
    /// The number of moves that are proven to be best, or not to be.
    pub judged: usize,
    /// The number of these that are best.
    pub best: usize,
    /// The guaranteed seeds that the moves gave away at least, all together.
    pub given_away: u32,
    /// True if it is known for each move how many seeds it gave away.
    pub complete: bool,
    /// The move that gave away most for certain; of several the first. `None` if no move
    /// certainly gave any away.
    pub worst: Option<&'a JudgedByProof>,
    /// The number of moves that are certainly of each class, in the order of [`Class::WRONG`].
    pub wrong: [usize; 3],
    /// The number of all other moves, by the worst class that they may have, in the same order.
    pub unsettled: [usize; 3],
}

impl JudgedByProof {
    /// Judges a move by a proof of the position before it, and by the worth of the position after it.
    /// `None` if the proof is of another position.
    pub(super) fn new(
        number: usize,
        ply: Ply,
        mut proof: Proof,
        child: Option<Measured<Value>>,
    ) -> Option<JudgedByProof> {
        let mut moves = proof.moves.iter_mut();
        let played = moves.find(|proven| proven.play == ply.play)?;
        // Both proofs hold for the same move.
        if let Some(child) = child {
            let worth = ply.play.worth(child);
            played.low = played.low.max(worth.low());
            played.high = played.high.min(worth.high());
        }
        let (low, high) = (played.low, played.high);
        proof.low = proof.low.max(low);
        let most = proof.moves.iter().map(|proven| proven.high).max()?;
        proof.high = proof.high.min(most);
        Some(JudgedByProof {
            number,
            ply,
            worth: Measured::Bounds {
                low: proof.low,
                high: proof.high,
            },
            played: Measured::Bounds {
                low,
                high: high.min(proof.high),
            },
            proof,
        })
    }

    /// The side that moved.
    pub fn side(&self) -> Side {
        self.ply.before.to_move()
    }

    /// Returns true if nothing is proven of the position before the move: either player may get all
    /// seeds.
    pub fn is_unknown(&self) -> bool {
        let seeds = self.ply.before.position().seeds();
        self.worth.high().seeds().abs_diff(self.worth.low().seeds()) == 2 * seeds
    }

    /// The number of guaranteed seeds that the move certainly gives away.
    pub fn given_away_at_least(&self) -> u8 {
        lost(self.worth.low(), self.played.high())
    }

    /// The most guaranteed seeds that the move can give away.
    pub fn given_away_at_most(&self) -> u8 {
        let moves = self.proof.moves.iter();
        let others = moves.filter(|proven| proven.play != self.ply.play);
        let best = others.map(|proven| proven.high.min(self.proof.high)).max();
        best.map_or(0, |best| lost(best, self.played.low()))
    }

    /// Returns true if the move is certainly one of the best.
    pub fn is_best(&self) -> bool {
        self.given_away_at_most() == 0
    }

    /// The class of the move, if it is the same for all values within the bounds.
    pub fn class(&self) -> Option<Class> {
        Some(self.class_at_least()).filter(|&class| class == self.class_at_most())
    }

    /// The mildest class that the move may have.
    pub fn class_at_least(&self) -> Class {
        let ends = [self.promised().low(), self.left().high()];
        Class::new(&self.ply.before, self.given_away_at_least() > 0, ends)
    }

    /// The worst class that the move may have.
    pub fn class_at_most(&self) -> Class {
        let ends = [self.promised().high(), self.left().low()];
        Class::new(&self.ply.before, !self.is_best(), ends)
    }

    /// The end of the game with best play from before the move, at least and at most for the player
    /// who moved.
    pub fn promised(&self) -> Measured<FinalScore> {
        ends(&self.ply.before, self.worth)
    }

    /// The end of the game with best play after the move, at least and at most for the player who
    /// moved.
    pub fn left(&self) -> Measured<FinalScore> {
        ends(&self.ply.before, self.played)
    }
}

/// The number of seeds by which a move is worse than the best one.
fn lost(best: Value, played: Value) -> u8 {
    u8::try_from(best.seeds() - played.seeds()).unwrap_or(0)
}
