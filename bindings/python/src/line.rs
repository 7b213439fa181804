//! Best lines.

use granero::line::{LineEnd, Unproven};
use pyo3::prelude::*;

use crate::rules::{GameOver, Move};
use crate::situation::Situation;

/// A best line of play, to the end of the game or into a cycle.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Line {
    found: granero::line::Line,
    /// The number that the line realises: "value", "low" or "high".
    #[pyo3(get)]
    measure: &'static str,
    /// That value or bound.
    #[pyo3(get)]
    value: i8,
    /// The moves.
    #[pyo3(get)]
    moves: Vec<Move>,
    /// The end of the line: "over", "grand-slam", "cycle", or "unexplored" if the search reached its limit.
    #[pyo3(get)]
    end: &'static str,
    /// The end of the game at the end of the line; None if the game goes on.
    #[pyo3(get)]
    over: Option<GameOver>,
    /// If the line ends in a cycle: the number of moves before the position to which the last move leads
    /// back.
    #[pyo3(get)]
    cycle_from: Option<usize>,
}

impl From<granero::line::Line> for Line {
    fn from(found: granero::line::Line) -> Line {
        let (end, over, cycle_from) = match found.end {
            LineEnd::Over(over) => ("over", Some(over.into()), None),
            LineEnd::GrandSlam => ("grand-slam", None, None),
            LineEnd::Cycle { from, .. } => ("cycle", None, Some(from)),
            LineEnd::Unexplored => ("unexplored", None, None),
            LineEnd::Unproven(Unproven::NoMove) => ("unproven", None, None),
            LineEnd::Unproven(Unproven::NoProgress) => ("no-progress", None, None),
        };
        Line {
            measure: found.measure.name(),
            value: found.value.seeds(),
            moves: found.moves.iter().copied().map(Move::from).collect(),
            end,
            over,
            cycle_from,
            found,
        }
    }
}

#[pymethods]
impl Line {
    /// The line as a game in Aalina's notation, from a situation with its first position.
    fn game(&self, start: Situation) -> String {
        granero::notation::aalina::write_game(&self.found.game(start.0))
    }

    fn __len__(&self) -> usize {
        self.moves.len()
    }

    fn __repr__(&self) -> String {
        let (moves, value) = (self.moves.len(), self.value);
        format!("<Line of {moves} moves, {} {value:+}>", self.measure)
    }
}
