//! Positions.

use granero::notation::PositionText;
use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors;

/// The seeds in the twelve houses, seen from the player to move: that player's houses A to F, then
/// the opponent's.
///
/// A position is made from text in any notation, or from twelve numbers.
///
/// >>> Position("0 1 0 2 0 1 / 0 2 0 1 1 0").seeds
/// 8
#[pyclass(frozen, eq, hash, ord, str = "{0}", module = "granero")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub(crate) struct Position(pub(crate) granero::Position);

#[pymethods]
impl Position {
    #[new]
    fn new(position: Position) -> Position {
        position
    }

    /// The position in which every game starts.
    #[staticmethod]
    fn start() -> Position {
        Position(granero::Position::START)
    }

    /// The seeds in the twelve houses.
    #[getter]
    fn houses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.houses())
    }

    /// The seeds on the board.
    #[getter]
    fn seeds(&self) -> u8 {
        self.0.seeds()
    }

    /// The board seen from the other side.
    fn turned(&self) -> Position {
        Position(self.0.turned())
    }

    /// The board as two rows of text, the player's to move below.
    fn board(&self) -> String {
        format!("{:#}", self.0)
    }

    /// The board as a table for notebooks, the player's to move below.
    fn _repr_html_(&self) -> String {
        table(&self.0, [""; 3])
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.0)
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }
}

/// A table of HTML with a caption, and with cells to the left and to the right of a board.
pub(crate) fn table(board: &granero::Position, [caption, left, right]: [&str; 3]) -> String {
    let cells = |seeds: &u8| format!("<td>{seeds}</td>");
    let houses = board.houses();
    let (below, above) = houses.split_at(6);
    let above: String = above.iter().rev().map(cells).collect();
    let below: String = below.iter().map(cells).collect();
    format!("<table>{caption}<tr>{left}{above}{right}</tr><tr>{below}</tr></table>")
}

/// An argument for a position: a position, what has one, text in any notation, or twelve numbers.
impl<'a, 'py> FromPyObject<'a, 'py> for Position {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Position> {
        if let Ok(position) = given.cast::<Position>() {
            return Ok(*position.get());
        }
        // Of a situation, a move, an assessment or a proof.
        if let Ok(position) = given.getattr("position")
            && let Ok(position) = position.cast::<Position>()
        {
            return Ok(*position.get());
        }
        if let Ok(text) = given.extract::<String>() {
            let text: PositionText = text.parse().map_err(errors::of_notation)?;
            return Ok(Position(text.position()));
        }
        let houses: [u8; 12] = given.extract().map_err(|_| {
            PyTypeError::new_err("a position is a Position, text, or twelve numbers of seeds")
        })?;
        let position = granero::Position::new(houses);
        position.map(Position).map_err(errors::of_value)
    }
}
