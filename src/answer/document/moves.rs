//! Moves: the legal moves of a position, with their worth, and the moves of a line.

use granero::{AssessedMove, Cycles, House, Move, Ply, Position, Ruleset, Side, Turn};
use serde::Serialize;

use super::parts::over::OverJson;
use super::parts::worth::WorthJson;
use crate::PlayedLine;
use crate::words::range::Range;

/// The output of `granero moves --json`.
#[derive(Serialize)]
pub struct MovesDocument {
    rules: &'static str,
    position: [u8; 12],
    seeds: u8,
    over: Option<OverJson>,
    moves: Vec<LegalMoveJson>,
}

impl MovesDocument {
    pub fn of(position: &Position, ruleset: Ruleset) -> MovesDocument {
        let (over, moves) = match ruleset.turn(position) {
            Turn::Play(moves) => (None, moves.iter().map(LegalMoveJson::from).collect()),
            Turn::Over(over) => (Some(OverJson::from(&over)), Vec::new()),
        };
        MovesDocument {
            rules: ruleset.name(),
            position: position.houses(),
            seeds: position.seeds(),
            over,
            moves,
        }
    }
}

/// The seeds that a move captures.
#[derive(Serialize)]
struct CaptureJson {
    captured: u8,
    /// Set if the move ends the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    conceded: Option<u8>,
}

/// A move by the rules alone.
#[derive(Serialize)]
struct LegalMoveJson {
    house: char,
    index: usize,
    #[serde(flatten)]
    capture: CaptureJson,
    position: [u8; 12],
}

#[derive(Serialize)]
pub(super) struct AssessedMoveJson {
    house: char,
    #[serde(flatten)]
    capture: CaptureJson,
    #[serde(flatten)]
    worth: WorthJson,
    /// The range that this lies in, if deciding tables have cut it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    /// Its proven range, if a search was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<Range>,
    best: bool,
    position: [u8; 12],
}

/// A move of a line, and the seeds that both players have captured after it.
#[derive(Serialize)]
pub(super) struct LineMoveJson {
    r#move: char,
    #[serde(flatten)]
    capture: CaptureJson,
    position: [u8; 12],
    south: u8,
    north: u8,
}

/// A house that cannot be played.
#[derive(Serialize)]
pub(super) struct IllegalMoveJson {
    house: char,
    reason: &'static str,
    text: String,
}

impl From<&Move> for CaptureJson {
    fn from(play: &Move) -> CaptureJson {
        CaptureJson {
            captured: play.captured,
            conceded: play.ends_game.then_some(play.conceded),
        }
    }
}

impl From<&Move> for LegalMoveJson {
    fn from(play: &Move) -> LegalMoveJson {
        LegalMoveJson {
            house: play.house.letter(Side::South),
            index: play.house.index(),
            capture: CaptureJson::from(play),
            position: play.position.houses(),
        }
    }
}

impl AssessedMoveJson {
    pub(super) fn of(
        cycles: Cycles,
        assessed: &AssessedMove,
        proven: Option<Range>,
    ) -> AssessedMoveJson {
        let play = &assessed.play;
        // Before the move.
        let seeds = play.position.seeds() + play.captured + play.conceded;
        AssessedMoveJson {
            house: play.house.letter(Side::South),
            capture: CaptureJson::from(play),
            worth: WorthJson::of_move(cycles, assessed.worth, play),
            range: Range::of_cut_off(assessed.clamped, seeds),
            proven,
            best: assessed.best,
            position: play.position.houses(),
        }
    }
}

impl LineMoveJson {
    pub(super) fn of(played: &PlayedLine<'_>, ply: &Ply) -> LineMoveJson {
        LineMoveJson {
            r#move: ply.play.house.letter(ply.before.to_move()),
            capture: CaptureJson::from(&ply.play),
            position: ply.play.position.houses(),
            south: played.captured(&ply.after, Side::South),
            north: played.captured(&ply.after, Side::North),
        }
    }
}

impl IllegalMoveJson {
    /// The houses of the player to move that cannot be played.
    pub(super) fn all_of(rules: Ruleset, position: &Position) -> Vec<IllegalMoveJson> {
        let refused = House::ALL
            .into_iter()
            .filter_map(|house| rules.play(position, house).err());
        refused
            .map(|illegal| IllegalMoveJson {
                house: illegal.house.letter(Side::South),
                reason: illegal.refusal.name(),
                text: illegal.refusal.to_string(),
            })
            .collect()
    }
}
