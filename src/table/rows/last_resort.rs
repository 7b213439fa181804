//! Positions without a move that is always legal.

use super::RowMoves;
use granero_game::Position;
use granero_game::rules::{Move, Turn};

/// An outcome of a position without a move that is always legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastResort {
    /// The game is over, or a move ends it, with this result to the mover.
    Result(i8),
    /// A quiet move, legal because there is no other, leads to this position.
    Quiet(Position),
}

impl RowMoves {
    /// The outcomes of a position without a move that is always legal: the end of the game, or the results
    /// of moves of last resort. There is at least one.
    pub fn last_resorts(&self, position: &Position) -> impl Iterator<Item = LastResort> {
        let (kind, seeds) = (self.kind, position.seeds());
        let result = move |result| LastResort::Result(kind.cut(seeds, result));
        let (over, moves) = match kind.rules.turn(position) {
            Turn::Over(over) => (Some(result(over.value.seeds())), None),
            Turn::Play(moves) => (None, Some(moves)),
        };
        let outcome = move |play: Move| {
            let child = play.position;
            if child.own_seeds() == 0 {
                // The opponent cannot move: the mover takes the rest.
                let mine = play.captured + child.seeds();
                return result(mine as i8 - play.conceded as i8);
            }
            assert_eq!(play.captured, 0, "last resorts capture all or nothing");
            LastResort::Quiet(child)
        };
        let moves = moves.into_iter().flatten();
        over.into_iter().chain(moves.map(outcome))
    }

    /// The value of a position without a move that is always legal; `value` gets the children in the same layer.
    #[cold]
    pub fn value_of_last_resort(&self, position: &Position, value: impl Fn(&Position) -> i8) -> i8 {
        let outcomes = self.last_resorts(position).map(|outcome| match outcome {
            LastResort::Result(result) => result,
            LastResort::Quiet(child) => -value(&child),
        });
        outcomes.max().expect("the end of the game, or a move")
    }
}
