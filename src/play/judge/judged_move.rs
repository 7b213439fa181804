//! A move of a game, judged by the tables or by a proof.

use super::class::Class;
use crate::prove::Proof;
use granero_game::rules::Move;
use granero_game::{FinalScore, Measured, Ply, Side, Value};
use granero_table::Assessment;

/// A move that was played, compared with the best moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedMove {
    /// The number of the move, counted from 1 for each player's move.
    pub number: usize,
    /// The move, and the situation before it.
    pub ply: Ply,
    /// The value of the position before it to the player who moved.
    pub value: Measured<Value>,
    /// The value of the move to that player.
    pub played: Measured<Value>,
    /// The player for whom the game says that endless play is decided; then tables give values.
    pub favours: Option<Side>,
    /// The source of the judgement.
    pub source: Source,
}

/// The source of a judgement: what is known of the position before a move, and of each of its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The tables have it.
    Tables(Assessment),
    /// A proof beyond the tables, tightened by proofs of the next positions. Bounds then say what is proven.
    Proof(Proof),
}

impl JudgedMove {
    /// Judges a move by a proof of the position before it, and by the value of the position after it.
    /// `None` if the proof is of another position.
    pub(super) fn by_proof(
        number: usize,
        ply: Ply,
        mut proof: Proof,
        child: Option<Measured<Value>>,
    ) -> Option<JudgedMove> {
        let mut moves = proof.moves.iter_mut();
        let played = moves.find(|proven| proven.play == ply.play)?;
        // Both proofs hold for the same move.
        if let Some(child) = child {
            let value = ply.play.value(child);
            played.low = played.low.max(value.low());
            played.high = played.high.min(value.high());
        }
        let (low, high) = (played.low, played.high);
        proof.low = proof.low.max(low);
        let most = proof.moves.iter().map(|proven| proven.high).max()?;
        proof.high = proof.high.min(most);
        let bounds = |low, high| Measured::Bounds { low, high };
        Some(JudgedMove {
            number,
            ply,
            value: bounds(proof.low, proof.high),
            played: bounds(low, high.min(proof.high)),
            favours: None,
            source: Source::Proof(proof),
        })
    }

    /// The side that moved.
    pub fn side(&self) -> Side {
        self.ply.before.to_move()
    }

    /// The proof behind the judgement, beyond the tables.
    pub fn proof(&self) -> Option<&Proof> {
        match &self.source {
            Source::Tables(_) => None,
            Source::Proof(proof) => Some(proof),
        }
    }

    /// Returns true if hardly anything is proven: more than half of all results are possible before the
    /// move and after it, and it need not have lost anything.
    pub fn is_unknown(&self) -> bool {
        let seeds = self.ply.before.position().seeds();
        let is_wide =
            |value: Measured<Value>| value.high().seeds().abs_diff(value.low().seeds()) > seeds;
        self.proof().is_some()
            && is_wide(self.value)
            && is_wide(self.played)
            && self.lost_at_least() == 0
            && !self.is_best()
    }

    /// The least by which the move made the difference between the players worse for the player who
    /// moved. With bounds, the guaranteed difference counts.
    pub fn lost_at_least(&self) -> u8 {
        match &self.source {
            Source::Tables(_) => lost(self.value.low(), self.played.low()),
            Source::Proof(_) => lost(self.value.low(), self.played.high()),
        }
    }

    /// The most by which it may have made that difference worse.
    pub fn lost_at_most(&self) -> u8 {
        let Some(proof) = self.proof() else {
            return self.lost_at_least();
        };
        let others = proof.moves.iter();
        let others = others.filter(|proven| proven.play != self.ply.play);
        let best = others.map(|proven| proven.high.min(proof.high)).max();
        best.map_or(0, |best| lost(best, self.played.low()))
    }

    /// The attainable difference that is smaller after the move than after the best moves, if it
    /// guarantees as much as they do. Otherwise 0, and always 0 for values; `None` if it is not proven.
    pub fn given_up(&self) -> Option<u8> {
        let assessment = match &self.source {
            // A move gives something up only if it gives nothing away.
            Source::Proof(_) => {
                return (self.lost_at_least() > 0 || self.lost_at_most() == 0).then_some(0);
            }
            Source::Tables(assessment) => assessment,
        };
        let best = assessment.best().next().and_then(|best| best.value);
        Some(match best {
            Some(best) if self.favours.is_none() && best.low() == self.played.low() => {
                lost(best.high(), self.played.high())
            }
            _ => 0,
        })
    }

    /// Returns true if the move is certainly one of the best: it gives nothing away, and nothing up.
    pub fn is_best(&self) -> bool {
        self.lost_at_most() == 0 && self.given_up() == Some(0)
    }

    /// Returns true if the move is certainly best, or certainly is not.
    pub fn is_settled(&self) -> bool {
        self.proof().is_none() || self.is_best() || self.lost_at_least() > 0
    }

    /// The moves of the position that are certainly best; if endless play is decided for a player, those
    /// that are best then.
    pub fn best(&self) -> Vec<Move> {
        let assessment = match &self.source {
            Source::Proof(proof) => return proof.best().map(|best| best.play).collect(),
            Source::Tables(assessment) => assessment,
        };
        let moves = assessment.moves.iter().filter(|found| match self.favours {
            None => found.best,
            Some(_) => {
                let value = found.value;
                value.map(|value| for_favoured(value, self.favours, self.side()))
                    == Some(self.value)
            }
        });
        moves.map(|best| best.play).collect()
    }

    /// The best moves as far as is known: [`best`](Self::best), if a proof settles it.
    pub fn best_known(&self) -> Vec<Move> {
        match &self.source {
            Source::Proof(proof) => proof.best_known().map(|best| best.play).collect(),
            Source::Tables(_) => self.best(),
        }
    }

    /// The class of the move, if it is the same for all values within the bounds.
    pub fn class(&self) -> Option<Class> {
        Some(self.class_at_least()).filter(|&class| class == self.class_at_most())
    }

    /// The mildest class that the move may have. With bounds of tables, the guaranteed end of the game
    /// counts; if nothing guaranteed was given away, the attainable one.
    pub fn class_at_least(&self) -> Class {
        let (promised, left) = (self.promised(), self.left());
        let is_wrong = self.lost_at_least() > 0 || self.given_up() > Some(0);
        let ends = match (&self.source, self.lost_at_least()) {
            (Source::Proof(_), _) => [promised.low(), left.high()],
            (Source::Tables(_), 0) => [promised.high(), left.high()],
            (Source::Tables(_), _) => [promised.low(), left.low()],
        };
        Class::new(&self.ply.before, is_wrong, ends)
    }

    /// The worst class that the move may have.
    pub fn class_at_most(&self) -> Class {
        match self.source {
            Source::Tables(_) => self.class_at_least(),
            Source::Proof(_) => {
                let ends = [self.promised().high(), self.left().low()];
                Class::new(&self.ply.before, !self.is_best(), ends)
            }
        }
    }

    /// The end of the game with best play from before the move; two bounds for the player who moves.
    pub fn promised(&self) -> Measured<FinalScore> {
        self.value
            .map(|value| FinalScore::new(&self.ply.before, value))
    }

    /// The end of the game with best play after the move; two bounds for the player who moved.
    pub fn left(&self) -> Measured<FinalScore> {
        self.played
            .map(|value| FinalScore::new(&self.ply.before, value))
    }
}

/// The number by which a value is smaller than another one.
fn lost(best: Value, played: Value) -> u8 {
    u8::try_from(best.seeds() - played.seeds()).unwrap_or(0)
}

/// The value to a side if endless play is decided for a player.
pub(super) fn for_favoured(
    value: Measured<Value>,
    favours: Option<Side>,
    side: Side,
) -> Measured<Value> {
    match favours {
        None => value,
        Some(favoured) if favoured == side => Measured::Value(value.high()),
        Some(_) => Measured::Value(value.low()),
    }
}
