//! The worth of a position and of each of its moves.

use granero::{Clamped, Measured, Value};
use pyo3::prelude::*;

use crate::position::Position;
use crate::rules::{GameOver, Move};

/// The least and the most that the player to move gets, as far as it is known.
pub(crate) type Range = (i8, i8);

/// The range of a worth with `seeds` seeds on the board.
pub(crate) fn range(clamped: Measured<Clamped>, seeds: u8) -> Range {
    let [least, most] = clamped.range(seeds).map(Value::seeds);
    (least, most)
}

/// The range of a worth.
pub(crate) fn range_of(worth: Measured<Value>) -> Range {
    (worth.low().seeds(), worth.high().seeds())
}

fn text_of(worth: Option<Measured<Clamped>>) -> String {
    worth.map_or("unknown".into(), |worth| worth.to_string())
}

/// The worth of a position and each of its moves.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Assessment(pub(crate) granero::Assessment);

#[pymethods]
impl Assessment {
    /// The position.
    #[getter]
    fn position(&self) -> Position {
        Position(self.0.position)
    }

    /// The value of the position, if the tables have it exactly.
    #[getter]
    fn value(&self) -> Option<i8> {
        self.0.value().map(Value::seeds)
    }

    /// The least and the most that the position is worth; None beyond the tables.
    #[getter]
    fn range(&self) -> Option<Range> {
        let seeds = self.0.position.seeds();
        self.0.clamped.map(|clamped| range(clamped, seeds))
    }

    /// The legal moves, the best first.
    #[getter]
    fn moves(&self) -> Vec<AssessedMove> {
        let seeds = self.0.position.seeds();
        let moves = self.0.moves.iter();
        moves
            .map(|&assessed| AssessedMove { assessed, seeds })
            .collect()
    }

    /// The best moves.
    #[getter]
    fn best(&self) -> Vec<AssessedMove> {
        let mut moves = self.moves();
        moves.retain(|assessed| assessed.assessed.best);
        moves
    }

    /// The end of the game; None if there are moves.
    #[getter]
    fn over(&self) -> Option<GameOver> {
        self.0.over.map(GameOver)
    }

    fn __repr__(&self) -> String {
        let worth = text_of(self.0.clamped);
        format!("<Assessment of {}, worth {worth}>", self.0.position)
    }
}

/// A legal move and its worth to the player who makes it.
#[pyclass(frozen, eq, module = "granero")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct AssessedMove {
    assessed: granero::AssessedMove,
    /// The seeds on the board before the move.
    seeds: u8,
}

#[pymethods]
impl AssessedMove {
    /// The move.
    #[getter]
    fn play(&self) -> Move {
        Move(self.assessed.play)
    }

    /// The house that is sown: "A" to "F".
    #[getter]
    fn house(&self) -> String {
        self.assessed.play.house.to_string()
    }

    /// The value of the move, if the tables have it exactly.
    #[getter]
    fn value(&self) -> Option<i8> {
        self.assessed.value().map(Value::seeds)
    }

    /// The least and the most that the move is worth; None beyond the tables.
    #[getter]
    fn range(&self) -> Option<Range> {
        let clamped = self.assessed.clamped;
        clamped.map(|clamped| range(clamped, self.seeds))
    }

    /// True for a best move.
    #[getter]
    fn best(&self) -> bool {
        self.assessed.best
    }

    fn __repr__(&self) -> String {
        let worth = text_of(self.assessed.clamped);
        format!("<AssessedMove {}, worth {worth}>", self.house())
    }
}
