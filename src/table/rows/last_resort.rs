//! Positions without a move that is always legal.

use granero_game::Position;
use granero_game::rules::{Move, Ruleset, Turn};

/// An outcome of a position without a move that is always legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastResort {
    /// The game is over, or a move ends it, with this result to the mover.
    Result(i8),
    /// A quiet move, legal because there is no other, leads to this position.
    Quiet(Position),
}

/// The outcomes of a position without a move that is always legal: the end of the game, or the results of
/// moves of last resort. There is at least one.
pub(super) fn last_resorts(
    ruleset: Ruleset,
    position: &Position,
) -> impl Iterator<Item = LastResort> {
    let (over, moves) = match ruleset.turn(position) {
        Turn::Over(over) => (Some(LastResort::Result(over.value.seeds())), None),
        Turn::Play(moves) => (None, Some(moves)),
    };
    let moves = moves.into_iter().flatten();
    over.into_iter().chain(moves.map(|play| outcome(&play)))
}

fn outcome(play: &Move) -> LastResort {
    let child = play.position;
    if child.own_seeds() == 0 {
        // The opponent cannot move: the mover takes the rest.
        let mine = play.captured + child.seeds();
        return LastResort::Result(mine as i8 - play.conceded as i8);
    }
    assert_eq!(play.captured, 0, "last resorts capture all or nothing");
    LastResort::Quiet(child)
}
