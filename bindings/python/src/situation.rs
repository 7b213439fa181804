//! Positions with the rest of the game.

use granero::Side;
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errors;
use crate::position::{self, Position};
use crate::rules::{HouseLetter, Move, Ruleset, illegal};

/// A position with the seeds that each side has captured, and the side to move.
///
/// Text without these has South to move, and the captured seeds shared equally.
#[pyclass(frozen, eq, str = "{0}", module = "granero")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Situation(pub(crate) granero::Situation);

#[pymethods]
impl Situation {
    #[new]
    fn new(text: Situation) -> Situation {
        text
    }

    /// The start of a game of 12, 24, 36 or 48 seeds, South to move.
    #[staticmethod]
    #[pyo3(signature = (game = 48))]
    fn start(game: u8) -> PyResult<Situation> {
        let opening = granero::Situation::opening(game);
        let error = || PyValueError::new_err("a game begins with 12, 24, 36 or 48 seeds");
        opening.map(Situation).ok_or_else(error)
    }

    /// All seeds of the game, in houses and stores.
    #[getter]
    fn game(&self) -> u8 {
        self.0.game()
    }

    /// The position, seen from the side to move.
    #[getter]
    fn position(&self) -> Position {
        Position(self.0.position())
    }

    /// The side to move: "South" or "North".
    #[getter(to_move)]
    fn side_to_move(&self) -> String {
        self.0.to_move().to_string()
    }

    /// The seeds that South has captured.
    #[getter]
    fn south(&self) -> u8 {
        self.0.store(Side::South)
    }

    /// The seeds that North has captured.
    #[getter]
    fn north(&self) -> u8 {
        self.0.store(Side::North)
    }

    /// Plays a house of the side to move: the move, and the situation after it.
    fn play(&self, ruleset: Ruleset, house: HouseLetter) -> PyResult<(Move, Situation)> {
        let played = self.0.play(ruleset.0, house.0).map_err(illegal)?;
        Ok((Move::from(played.0), Situation(played.1)))
    }

    /// The board as a table for notebooks: North's houses above, the captured seeds beside them.
    fn _repr_html_(&self) -> String {
        let position = self.0.position();
        let board = match self.0.to_move() {
            Side::South => position,
            Side::North => position.turned(),
        };
        let stores = [self.north(), self.south()];
        let stores = stores.map(|seeds| format!("<th rowspan=2>{seeds}</th>"));
        let [north, south] = &stores;
        let caption = format!("<caption>{} to move</caption>", self.0.to_move());
        position::table(&board, [&caption, north, south])
    }

    fn __repr__(&self) -> String {
        format!("Situation('{}')", self.0)
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }
}

/// An argument for a situation: a situation or its text.
impl<'a, 'py> FromPyObject<'a, 'py> for Situation {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Situation> {
        if let Ok(situation) = given.cast::<Situation>() {
            return Ok(*situation.get());
        }
        let text: String = given
            .extract()
            .map_err(|_| PyTypeError::new_err("a situation is a Situation or its text"))?;
        Situation::of_text(&text)
    }
}

impl Situation {
    /// Reads a situation.
    pub(crate) fn of_text(text: &str) -> PyResult<Situation> {
        text.parse().map(Situation).map_err(errors::of_notation)
    }
}

/// A side by its name.
pub(crate) fn side(name: &str) -> PyResult<Side> {
    let mut sides = [Side::South, Side::North].into_iter();
    let named = sides.find(|side| side.to_string() == name);
    named.ok_or_else(|| PyValueError::new_err("a side is 'South' or 'North'"))
}
