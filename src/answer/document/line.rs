//! Best lines.

use granero::line::{LineEnd, Unproven};
use granero::notation::{PositionText, aalina};
use granero::{Cycles, Situation, Tables};
use serde::Serialize;

use super::UNIT;
use super::moves::line_move;
use super::parts::{RulesAndCycles, situation};
use super::position::position_fields;
use crate::{BestLines, PlayedLine, object};

/// The output of `granero line --json`.
pub fn line(best: &BestLines<'_>) -> impl Serialize {
    let position = best.text.position();
    let bound_lines = best.lines().map(|played| {
        object! {
            bound: played.line.measure.name(),
            value: played.line.value.seeds(),
            ..line: played_line(played),
        }
    });
    let proven = best.proven.as_ref().map(|proven| &proven.position);
    let realises_bounds =
        best.kept.is_none() && !matches!(best.first.line.end, LineEnd::Unproven(_));
    object! {
        ..tables: RulesAndCycles::from(best.tables),
        ..position: position_fields(best.tables, &position, best.worth, best.kept, proven),
        // The moves of the first line to the next capture.
        distance: best.first.line.distance().moves(),
        ..line: played_line(&best.first),
        // If positions have bounds: this line again, and the line of the other bound.
        lines?: match best.tables.cycles() {
            Cycles::Split => None,
            Cycles::OwnSide => Some(bound_lines.filter(|_| realises_bounds).collect::<Vec<_>>()),
        },
    }
}

/// The document if the tables do not reach the position, or have cut off its worth.
pub fn unknown_line(tables: &Tables, text: &PositionText) -> impl Serialize {
    let position = text.position();
    let start = text.situation();
    let start = start.unwrap_or_else(|| Situation::open_for(tables.extent(), position));
    // If the tables cannot be read, nothing is known.
    let clamped = tables.clamped_worth(&position).unwrap_or(None);
    object! {
        ..tables: RulesAndCycles::from(tables),
        ..position: position_fields(tables, &position, None, clamped, None),
        distance: (),
        game: aalina::write(&start),
        moves: [(); 0],
        end: (),
        score: (),
        lines?: (tables.cycles() == Cycles::OwnSide).then_some([(); 0]),
    }
}

/// The server's answer: the verb's document, and what a page needs to show it.
pub fn served_line(line: impl Serialize, text: &PositionText) -> impl Serialize {
    object! {
        ..line: line,
        unit: UNIT,
        situation?: text.situation().map(situation),
    }
}

fn played_line(played: &PlayedLine<'_>) -> impl Serialize + use<> {
    let moves = played.plies.iter().map(|ply| line_move(played, ply));
    object! {
        game: aalina::write_game(&played.game),
        moves: moves.collect::<Vec<_>>(),
        end: end(played),
        score: played.score(),
    }
}

fn end(played: &PlayedLine<'_>) -> impl Serialize + use<> {
    let (reason, cycle) = match played.line.end {
        LineEnd::Over(over) => (over.reason.name(), None),
        LineEnd::GrandSlam => ("grand-slam", None),
        LineEnd::Cycle { from, proven } => ("cycle", Some((from, proven))),
        LineEnd::Unexplored => ("unexplored", None),
        LineEnd::Unproven(Unproven::NoMove) => ("unproven", None),
        LineEnd::Unproven(Unproven::NoProgress) => ("no-progress", None),
    };
    let own_side = played.own_side_cycle.as_ref();
    let proven = cycle.map(|(_, proven)| proven);
    object! {
        reason: reason,
        from?: cycle.map(|(from, _)| from),
        // In the line of a bound it has no meaning.
        proven?: proven.filter(|_| own_side.is_none()),
        // For each position of the cycle: the seeds on the side of the player to move at the start,
        // minus the opponent's.
        differences?: own_side.map(|cycle| cycle.differences.clone()),
        // The difference that counts.
        counts?: own_side.map(|cycle| cycle.counts),
    }
}
