//! Best lines.

use granero::line::{LineEnd, Unproven};
use granero::notation::{PositionText, aalina};
use granero::{Cycles, Situation, Tables};

use super::moves::LineMove;
use super::parts::{RulesAndCycles, Served};
use super::position::RatedPosition;
use crate::line::{LineScore, OwnSideCycle};
use crate::{BestLines, PlayedLine, documents};

documents! {
    /// The output of `granero line --json`, and the server's answer.
    #[schemars(rename = "Line")]
    pub struct LineJson(tables: &Tables, text: &PositionText, best: Option<&BestLines<'_>>) {
        let position = text.position();
        // If the tables cannot be read, nothing is known.
        let (value, kept) = match best {
            Some(best) => (best.value, best.kept),
            None => (None, tables.clamped_value(&position).unwrap_or(None)),
        };
        let proven = best.and_then(|best| best.proven.as_ref());
        let start = text.situation().unwrap_or_else(|| Situation::open_for(tables.extent(), position));
        let first = best.map(|best| &best.first);
        let realises_bounds = kept.is_none()
            && first.is_some_and(|played| !matches!(played.line.end, LineEnd::Unproven(_)));
        let lines = best.into_iter().flat_map(BestLines::lines).filter(|_| realises_bounds);
        ..tables: RulesAndCycles = RulesAndCycles::from(tables),
        ..position: RatedPosition = RatedPosition::new(tables, &position, value, kept, proven),
        /// Moves to the first capture or the end; `null` if there is none.
        distance: Option<usize> = first.and_then(|played| played.line.distance().moves()),
        ..line: PlayedLineJson = PlayedLineJson::new(start, first),
        /// With `own-side`: the line of `low`, also given above, and the line of `high` if it differs; empty if the
        /// line stops beyond the tables.
        lines?: Vec<LineOfBound> = match tables.cycles() {
            Cycles::Split => None,
            Cycles::OwnSide => Some(lines.map(|played| LineOfBound::new(start, played)).collect()),
        },
        ..served: Option<Served> = None,
    }

    /// The line of a bound.
    struct LineOfBound(start: Situation, played: &PlayedLine<'_>) {
        /// `low` or `high`.
        bound: &'static str = played.line.measure.name(),
        /// The bound, which the line achieves.
        value: i8 = played.line.value.seeds(),
        ..line: PlayedLineJson = PlayedLineJson::new(start, Some(played)),
    }

    /// A line, played.
    struct PlayedLineJson(start: Situation, played: Option<&PlayedLine<'_>>) {
        /// Position and moves in Aalina's notation; if no stores were written, South is to move and the other
        /// seeds are shared.
        game: String = match played {
            Some(played) => aalina::write_game(&played.game),
            None => aalina::write(&start),
        },
        /// Empty if the value is unknown.
        moves: Vec<LineMove> = played.map_or(Vec::new(), |played| {
            played.plies.iter().map(|ply| LineMove::new(played, ply)).collect()
        }),
        /// How it ends; `null` if the value is unknown.
        end: Option<End> = played.map(|played| End::new(&played.line.end, played.own_side_cycle.as_ref())),
        /// The score at the end; `null` if the value is unknown.
        score: Option<LineScore> = played.map(PlayedLine::score),
    }

    /// How a line ends.
    struct End(end: &LineEnd, own_side: Option<&OwnSideCycle>) {
        let (reason, cycle) = match *end {
            LineEnd::Over(over) => (over.reason.name(), None),
            LineEnd::GrandSlam => ("grand-slam", None),
            LineEnd::Cycle { from, proven } => ("cycle", Some((from, proven))),
            LineEnd::Unexplored => ("unexplored", None),
            LineEnd::Unproven(Unproven::NoMove) => ("unproven", None),
            LineEnd::Unproven(Unproven::NoProgress) => ("no-progress", None),
        };
        /// As in `over`; `grand-slam`: the last move ends the game; `cycle`; `unexplored`: the search reached its
        /// limit; beyond the tables `unproven`: no move is proven to be best; `no-progress`: such moves lead to no end.
        reason: &'static str = reason,
        /// Only in a cycle: moves before its first position.
        from?: usize = cycle.map(|(from, _)| from),
        /// Only in a cycle: best moves certainly lead to no capture or end; if `false`, only the value is certain.
        proven?: bool = cycle.map(|(_, proven)| proven).filter(|_| own_side.is_none()),
        /// Only in a cycle by `own-side`, in place of `proven`: the difference of the sides in each of its positions,
        /// as the first player to move sees it.
        differences?: Vec<i8> = own_side.map(|cycle| cycle.differences.clone()),
        /// The one that counts: in the line of `low` the smallest, in the line of `high` the largest.
        counts?: i8 = own_side.map(|cycle| cycle.counts),
    }
}

impl LineJson {
    /// The server's answer: the verb's document, and what a page needs to show it.
    #[must_use]
    pub fn served(self, text: &PositionText) -> LineJson {
        let served = Some(Served::new(text.situation()));
        LineJson { served, ..self }
    }
}
