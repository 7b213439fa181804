//! Best lines.

use granero::line::{LineEnd, Unproven};
use granero::notation::{PositionText, aalina};
use granero::{Cycles, Situation, Tables};
use serde::Serialize;

use super::UNIT;
use super::moves::LineMoveJson;
use super::parts::rules_and_cycles::RulesAndCycles;
use super::parts::situation::SituationJson;
use super::position::PositionJson;
use crate::played::LineScore;
use crate::{BestLines, PlayedLine};

/// The output of `granero line --json`.
#[derive(Serialize)]
pub struct LineDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    #[serde(flatten)]
    position: PositionJson,
    /// The moves of the first line to the next capture.
    distance: Option<usize>,
    #[serde(flatten)]
    line: LineJson,
    /// Set if positions have bounds: this line again, and the line of the other bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<BoundLineJson>>,
}

/// The server's answer: the verb's document, and what a page needs to show it.
#[derive(Serialize)]
pub struct ServedLineDocument {
    #[serde(flatten)]
    line: LineDocument,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    situation: Option<SituationJson>,
}

#[derive(Serialize)]
struct LineJson {
    game: String,
    moves: Vec<LineMoveJson>,
    end: Option<EndJson>,
    score: Option<LineScore>,
}

#[derive(Serialize)]
struct BoundLineJson {
    bound: &'static str,
    value: i8,
    #[serde(flatten)]
    line: LineJson,
}

#[derive(Serialize)]
struct EndJson {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    /// `None` in the line of a bound, where it has no meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<bool>,
    /// For each position of the cycle: the seeds on the side of the player to move at the start,
    /// minus the opponent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<Vec<i8>>,
    /// The difference that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<i8>,
}

impl LineDocument {
    /// The document if the tables do not reach the position, or have cut off its worth.
    pub fn unknown(tables: &Tables, text: &PositionText) -> LineDocument {
        let position = text.position();
        let situation = text.situation();
        LineDocument {
            tables: RulesAndCycles::from(tables),
            // If the tables cannot be read, nothing is known.
            position: PositionJson::new(
                tables,
                &position,
                None,
                tables.clamped_worth(&position).unwrap_or(None),
                None,
            ),
            distance: None,
            line: LineJson {
                game: aalina::write(
                    &situation.unwrap_or_else(|| Situation::open_for(tables.extent(), position)),
                ),
                moves: Vec::new(),
                end: None,
                score: None,
            },
            lines: lines_of(tables, Vec::new),
        }
    }
}

impl From<&BestLines<'_>> for LineDocument {
    fn from(best: &BestLines<'_>) -> LineDocument {
        let position = best.text.position();
        let lines = best.lines().map(|played| BoundLineJson {
            bound: played.line.measure.name(),
            value: played.line.value.seeds(),
            line: LineJson::from(played),
        });
        let proven = best.proven.as_ref().map(|proven| &proven.position);
        LineDocument {
            tables: RulesAndCycles::from(best.tables),
            position: PositionJson::new(best.tables, &position, best.worth, best.kept, proven),
            distance: best.first.line.distance().moves(),
            line: LineJson::from(&best.first),
            lines: lines_of(best.tables, || match (best.first.line.end, best.kept) {
                // Such lines realise no bound.
                (LineEnd::Unproven(_), _) | (_, Some(_)) => Vec::new(),
                _ => lines.collect(),
            }),
        }
    }
}

/// The lines of both bounds, if positions have bounds.
fn lines_of(
    tables: &Tables,
    lines: impl FnOnce() -> Vec<BoundLineJson>,
) -> Option<Vec<BoundLineJson>> {
    match tables.cycles() {
        Cycles::Split => None,
        Cycles::OwnSide => Some(lines()),
    }
}

impl ServedLineDocument {
    pub fn new(line: LineDocument, text: &PositionText) -> ServedLineDocument {
        ServedLineDocument {
            line,
            unit: UNIT,
            situation: text.situation().map(SituationJson::from),
        }
    }
}

impl From<&PlayedLine<'_>> for LineJson {
    fn from(played: &PlayedLine<'_>) -> LineJson {
        let moves = played.plies.iter();
        LineJson {
            game: aalina::write_game(&played.game),
            moves: moves.map(|ply| LineMoveJson::of(played, ply)).collect(),
            end: Some(EndJson::from(played)),
            score: Some(played.score()),
        }
    }
}

impl From<&PlayedLine<'_>> for EndJson {
    fn from(played: &PlayedLine<'_>) -> EndJson {
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
        EndJson {
            reason,
            from: cycle.map(|(from, _)| from),
            proven: proven.filter(|_| own_side.is_none()),
            differences: own_side.map(|cycle| cycle.differences.clone()),
            counts: own_side.map(|cycle| cycle.counts),
        }
    }
}
