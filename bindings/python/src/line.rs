//! Best lines.

use granero::line::{LineEnd, Unproven};
use pyo3::prelude::*;

use crate::rules::{GameOver, Move};
use crate::situation::Situation;

/// A best line of play, to the end of the game or into a cycle.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Line(pub(crate) granero::line::Line);

#[pymethods]
impl Line {
    /// The number that the line realises: "value", "low" or "high".
    #[getter]
    fn measure(&self) -> &'static str {
        self.0.measure.name()
    }

    /// That value or bound.
    #[getter]
    fn value(&self) -> i8 {
        self.0.value.seeds()
    }

    /// The moves.
    #[getter]
    fn moves(&self) -> Vec<Move> {
        self.0.moves.iter().copied().map(Move).collect()
    }

    /// The end of the line: "over", "grand-slam", "cycle", or "unexplored" if the search reached its limit.
    #[getter]
    fn end(&self) -> &'static str {
        match self.0.end {
            LineEnd::Over(_) => "over",
            LineEnd::GrandSlam => "grand-slam",
            LineEnd::Cycle { .. } => "cycle",
            LineEnd::Unexplored => "unexplored",
            LineEnd::Unproven(Unproven::NoMove) => "unproven",
            LineEnd::Unproven(Unproven::NoProgress) => "no-progress",
        }
    }

    /// The end of the game at the end of the line; None if the game goes on.
    #[getter]
    fn over(&self) -> Option<GameOver> {
        match self.0.end {
            LineEnd::Over(over) => Some(GameOver(over)),
            _ => None,
        }
    }

    /// If the line ends in a cycle: the number of moves before the position to which the last move
    /// leads back.
    #[getter]
    fn cycle_from(&self) -> Option<usize> {
        match self.0.end {
            LineEnd::Cycle { from, .. } => Some(from),
            _ => None,
        }
    }

    /// The line as a game in Aalina's notation, from a situation with its first position.
    fn game(&self, start: Situation) -> String {
        granero::notation::aalina::write_game(&self.0.game(start.0))
    }

    fn __len__(&self) -> usize {
        self.0.moves.len()
    }

    fn __repr__(&self) -> String {
        let (moves, value) = (self.0.moves.len(), self.0.value);
        format!("<Line of {moves} moves, {} {value}>", self.measure())
    }
}
