//! What tables say about a position and each of its moves.

use std::cmp::Reverse;

use super::error::TableError;
use crate::position::Position;
use crate::rules::{GameOver, Move, Ruleset, Turn};
use crate::value::Value;

/// What tables say about a position and each of its moves.
///
/// ```no_run
/// use granero::table::Tables;
///
/// let tables = Tables::open("granero-db")?;
/// let assessment = tables.assess(&"1 1 0 2 4 0 1 1 1 0 0 0".parse().unwrap())?;
/// for best in assessment.best() {
///     println!("{}", best.play.house);
/// }
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The position.
    pub position: Position,
    /// What it is worth to the player to move; `None` if the tables do not reach so far.
    pub value: Option<Value>,
    /// The legal moves, the best first and those of unknown value last; moves worth the
    /// same in the order of their houses.
    pub moves: Vec<AssessedMove>,
    /// Why there are no moves, if there are none.
    pub over: Option<GameOver>,
}

/// A legal move and what it is worth.
///
/// ```
/// use granero::table::AssessedMove;
///
/// fn describe(assessed: &AssessedMove) -> String {
///     match assessed.value {
///         Some(value) => format!("{}: {value}", assessed.play.house),
///         None => format!("{}: ?", assessed.play.house),
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssessedMove {
    /// The move.
    pub play: Move,
    /// What it is worth to the player who makes it; `None` if the tables do not reach the
    /// position that it leads to.
    pub value: Option<Value>,
    /// Whether no move is worth more. Never so while the value of the position is
    /// unknown.
    pub best: bool,
}

impl Assessment {
    /// Assesses a position, with `value` for what positions are worth.
    ///
    /// A position beyond the tables has a value all the same if all its moves have.
    pub(super) fn new(
        ruleset: Ruleset,
        position: &Position,
        mut value: impl FnMut(&Position) -> Result<Option<Value>, TableError>,
    ) -> Result<Assessment, TableError> {
        let plays = match ruleset.turn(position) {
            Turn::Play(plays) => plays,
            Turn::Over(over) => {
                return Ok(Assessment {
                    position: *position,
                    value: Some(over.value),
                    moves: Vec::new(),
                    over: Some(over),
                });
            }
        };
        let mut moves = Vec::with_capacity(plays.len());
        for &play in &plays {
            let child = value(&play.position)?;
            moves.push(AssessedMove {
                play,
                value: child.map(|child| play.value(child)),
                best: false,
            });
        }
        moves.sort_by_key(|assessed| Reverse(assessed.value));
        let all_known = moves.iter().all(|assessed| assessed.value.is_some());
        let best = moves[0].value.filter(|_| all_known);
        for assessed in &mut moves {
            assessed.best = best.is_some() && assessed.value == best;
        }
        Ok(Assessment {
            position: *position,
            value: best,
            moves,
            over: None,
        })
    }

    /// The best moves; none if the game is over, or if the tables do not reach so far.
    ///
    /// ```no_run
    /// # use granero::{Position, table::Tables};
    /// let tables = Tables::open("granero-db")?;
    /// assert_eq!(tables.assess(&Position::EMPTY)?.best().count(), 0);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn best(&self) -> impl Iterator<Item = &AssessedMove> {
        self.moves.iter().filter(|assessed| assessed.best)
    }
}
