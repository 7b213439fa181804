//! The value of a position and of each of its moves.

use granero::{Clamped, Measured, Value};
use pyo3::prelude::*;

use crate::position::Position;
use crate::rules::{GameOver, Move};

/// The least and the most that the player to move gets, as far as it is known.
pub(crate) type Range = (i8, i8);

/// The range of a value with `seeds` seeds on the board.
pub(crate) fn range(clamped: Measured<Clamped>, seeds: u8) -> Range {
    let [least, most] = clamped.range(seeds).map(Value::seeds);
    (least, most)
}

/// The range of a value.
pub(crate) fn range_of(value: Measured<Value>) -> Range {
    (value.low().seeds(), value.high().seeds())
}

/// A range in words.
pub(crate) fn text_of(range: Option<Range>) -> String {
    match range {
        None => "unknown".into(),
        Some((least, most)) if least == most => format!("{least:+}"),
        Some((least, most)) => format!("{least:+} to {most:+}"),
    }
}

/// The value of a position and each of its moves.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct Assessment {
    /// The position.
    position: Position,
    /// The value of the position, if the tables have it exactly.
    value: Option<i8>,
    /// The least and the most that the position is worth; None beyond the tables.
    range: Option<Range>,
    /// The legal moves, the best first.
    moves: Vec<AssessedMove>,
    /// The best moves.
    best: Vec<AssessedMove>,
    /// The end of the game; None if there are moves.
    over: Option<GameOver>,
}

impl From<granero::Assessment> for Assessment {
    fn from(found: granero::Assessment) -> Assessment {
        let range = |clamped| range(clamped, found.position.seeds());
        let moves = found.moves.iter().map(|assessed| AssessedMove {
            play: Move::from(assessed.play),
            house: assessed.play.house.to_string(),
            value: assessed.exact().map(Value::seeds),
            range: assessed.clamped.map(range),
            best: assessed.best,
        });
        let moves: Vec<AssessedMove> = moves.collect();
        Assessment {
            position: Position(found.position),
            value: found.exact().map(Value::seeds),
            range: found.clamped.map(range),
            best: moves.iter().filter(|played| played.best).cloned().collect(),
            moves,
            over: found.over.map(GameOver::from),
        }
    }
}

shown!(Assessment, it => "<Assessment of {}, value {}>", it.position.0, text_of(it.range));

/// A legal move and its value to the player who makes it.
#[pyclass(frozen, eq, get_all, module = "granero")]
#[derive(Clone, PartialEq)]
pub(crate) struct AssessedMove {
    /// The move.
    play: Move,
    /// The house that is sown: "A" to "F".
    house: String,
    /// The value of the move, if the tables have it exactly.
    value: Option<i8>,
    /// The least and the most that the move is worth; None beyond the tables.
    range: Option<Range>,
    /// True for a best move.
    best: bool,
}

shown!(AssessedMove, it => "<AssessedMove {}, value {}>", it.house, text_of(it.range));
