//! Positions with the rest of the game.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors;
use crate::position::Position;
use crate::rules::{HouseLetter, Move, RulesetLike, illegal};

/// A position with the seeds that each side has captured, and the side to move.
#[pyclass(frozen, eq, module = "granero", from_py_object)]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Situation(pub(crate) granero::Situation);

#[pymethods]
impl Situation {
    #[new]
    fn new(text: &str) -> PyResult<Situation> {
        text.parse().map(Situation).map_err(errors::of_notation)
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
        self.0.store(granero::Side::South)
    }

    /// The seeds that North has captured.
    #[getter]
    fn north(&self) -> u8 {
        self.0.store(granero::Side::North)
    }

    /// Plays a house of the side to move: the move, and the situation after it.
    fn play(&self, ruleset: RulesetLike, house: HouseLetter) -> PyResult<(Move, Situation)> {
        let played = self.0.play(ruleset.0, house.0).map_err(illegal)?;
        Ok((Move(played.0), Situation(played.1)))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Situation('{}')", self.0)
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }
}

/// A side by its name.
pub(crate) fn side(name: &str) -> PyResult<granero::Side> {
    let mut sides = [granero::Side::South, granero::Side::North].into_iter();
    let named = sides.find(|side| side.to_string() == name);
    named.ok_or_else(|| PyValueError::new_err("a side is 'South' or 'North'"))
}
