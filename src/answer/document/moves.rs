//! Moves: the legal moves of a position, with their worth, and the moves of a line.

use granero::{AssessedMove, House, Move, Ply, Position, Ruleset, Side, Turn};
use serde::Serialize;

use super::parts::{over, worth_of_move};
use crate::proven::MoveRange;
use crate::words::range::Range;
use crate::{PlayedLine, PositionAnswer, object};

/// The output of `granero moves --json`.
pub fn moves(position: &Position, ruleset: Ruleset) -> impl Serialize + use<> {
    let (end, moves) = match ruleset.turn(position) {
        Turn::Play(moves) => (None, moves.iter().map(legal_move).collect()),
        Turn::Over(end) => (Some(over(&end)), Vec::new()),
    };
    object! {
        rules: ruleset.name(),
        position: position.houses(),
        seeds: position.seeds(),
        over: end,
        moves: moves,
    }
}

/// The seeds that a move captures.
fn capture(play: &Move) -> impl Serialize + use<> {
    object! {
        captured: play.captured,
        conceded?: play.ends_game.then_some(play.conceded),
    }
}

/// A move by the rules alone.
fn legal_move(play: &Move) -> impl Serialize + use<> {
    object! {
        house: play.house.letter(Side::South),
        index: play.house.index(),
        ..capture: capture(play),
        position: play.position.houses(),
    }
}

/// A move with its worth, and its proven range if a search was made.
pub(super) fn assessed_move(
    answer: &PositionAnswer<'_>,
    assessed: &AssessedMove,
    proven: Option<&MoveRange>,
) -> impl Serialize + use<> {
    let cycles = answer.tables.cycles();
    let play = &assessed.play;
    // Before the move.
    let seeds = play.position.seeds() + play.captured + play.conceded;
    object! {
        house: play.house.letter(Side::South),
        ..capture: capture(play),
        ..worth: worth_of_move(cycles, assessed.worth, play),
        range?: Range::of_cut_off(assessed.clamped, seeds),
        proven?: proven.map(|proven| proven.range),
        outcome: answer.outcome(assessed, proven),
        estimate?: answer.estimate_of(assessed, proven),
        best: assessed.best,
        position: play.position.houses(),
    }
}

/// A move of a line, and the seeds that both players have captured after it.
pub(super) fn line_move(played: &PlayedLine<'_>, ply: &Ply) -> impl Serialize + use<> {
    object! {
        r#move: ply.play.house.letter(ply.before.to_move()),
        ..capture: capture(&ply.play),
        position: ply.play.position.houses(),
        south: played.captured(&ply.after, Side::South),
        north: played.captured(&ply.after, Side::North),
    }
}

/// The houses of the player to move that cannot be played.
pub(super) fn illegal_moves(rules: Ruleset, position: &Position) -> Vec<impl Serialize + use<>> {
    let refused = House::ALL
        .into_iter()
        .filter_map(|house| rules.play(position, house).err());
    let illegal = refused.map(|illegal| {
        object! {
            house: illegal.house.letter(Side::South),
            reason: illegal.refusal.name(),
            text: illegal.refusal.to_string(),
        }
    });
    illegal.collect()
}
