//! Rulesets, moves, and the end of the game.

use granero::{House, Turn};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errors;
use crate::position::Position;

/// A set of rules, by its name.
///
/// >>> Ruleset("abapa").summary
/// 'The international rules: a grand slam is a legal move, but captures nothing.'
#[pyclass(frozen, eq, hash, str = "{0}", module = "granero")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ruleset(pub(crate) granero::Ruleset);

#[pymethods]
impl Ruleset {
    #[new]
    #[pyo3(signature = (name = "abapa"))]
    fn new(name: &str) -> PyResult<Ruleset> {
        name.parse().map(Ruleset).map_err(errors::of_value)
    }

    /// All rulesets, the default first.
    #[staticmethod]
    fn all() -> Vec<Ruleset> {
        granero::Ruleset::ALL.map(Ruleset).to_vec()
    }

    /// The name.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The ruleset in one plain sentence.
    #[getter]
    fn summary(&self) -> &'static str {
        self.0.summary()
    }

    /// The legal moves of a position; none if the game is over.
    fn moves(&self, position: Position) -> Vec<Move> {
        self.0
            .moves(&position.0)
            .into_iter()
            .map(Move::from)
            .collect()
    }

    /// Plays a house, "A" to "F".
    fn play(&self, position: Position, house: HouseLetter) -> PyResult<Move> {
        let played = self.0.play(&position.0, house.0);
        played.map(Move::from).map_err(illegal)
    }

    /// The end of the game in a position; None if there are moves.
    fn over(&self, position: Position) -> Option<GameOver> {
        match self.0.turn(&position.0) {
            Turn::Play(_) => None,
            Turn::Over(over) => Some(over.into()),
        }
    }

    fn __repr__(&self) -> String {
        format!("Ruleset('{}')", self.0)
    }

    fn __getnewargs__(&self) -> (&'static str,) {
        (self.0.name(),)
    }
}

/// A legal move and its result.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Move {
    /// The house that is sown: "A" to "F".
    house: String,
    /// The seeds that the mover captures.
    captured: u8,
    /// The seeds that the opponent gets at once.
    conceded: u8,
    /// True if the move itself ends the game.
    ends_game: bool,
    /// The position after the move, seen from the opponent.
    position: Position,
}

impl From<granero::Move> for Move {
    fn from(play: granero::Move) -> Move {
        Move {
            house: play.house.to_string(),
            captured: play.captured,
            conceded: play.conceded,
            ends_game: play.ends_game,
            position: Position(play.position),
        }
    }
}

shown!(Move, it => "<Move {}, captures {}>", it.house, it.captured);

/// The end of the game: its reason, and the value of the position.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct GameOver {
    /// The reason as a name: "no-seeds", "cannot-feed" or "only-grand-slams".
    name: &'static str,
    /// The reason as a clause for people.
    reason: String,
    /// The value of the position to the player whose turn it would be.
    value: i8,
}

impl From<granero::rules::GameOver> for GameOver {
    fn from(over: granero::rules::GameOver) -> GameOver {
        GameOver {
            name: over.reason.name(),
            reason: over.reason.to_string(),
            value: over.value.seeds(),
        }
    }
}

shown!(GameOver, it => "<GameOver {}, value {:+}>", it.name, it.value);

/// The exception for a move that is not legal.
pub(crate) fn illegal(error: granero::rules::IllegalMove) -> PyErr {
    errors::raise("IllegalMove", error.to_string())
}

/// An argument for a ruleset: a ruleset or its name.
impl<'a, 'py> FromPyObject<'a, 'py> for Ruleset {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Ruleset> {
        if let Ok(ruleset) = given.cast::<Ruleset>() {
            return Ok(*ruleset.get());
        }
        let name: String = given
            .extract()
            .map_err(|_| PyTypeError::new_err("a ruleset is a Ruleset or its name"))?;
        Ruleset::new(&name)
    }
}

/// A house by its letter, whichever side it is named for.
pub(crate) struct HouseLetter(pub(crate) House);

impl<'a, 'py> FromPyObject<'a, 'py> for HouseLetter {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<HouseLetter> {
        let name: String = given.extract()?;
        let is_named = |house: &House| house.to_string().eq_ignore_ascii_case(&name);
        let house = House::ALL.into_iter().find(is_named);
        let house = house.ok_or_else(|| PyValueError::new_err("a house is a letter, A to F"))?;
        Ok(HouseLetter(house))
    }
}
