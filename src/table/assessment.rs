//! What tables say about a position and each of its moves.

use std::cmp::Reverse;

use super::error::TableError;
use crate::cycles::Cycles;
use crate::measured::Measured;
use crate::position::Position;
use crate::rules::{GameOver, Move, Ruleset, Turn};
use crate::value::Value;

/// What tables say about a position and each of its moves.
///
/// ```no_run
/// use granero::Tables;
///
/// let tables = Tables::open("granero-db")?;
/// let assessment = tables.assess(&"1 1 0 2 4 0 1 1 1 0 0 0".parse().unwrap())?;
/// for best in assessment.best() {
///     println!("{}", best.play.house);
/// }
/// # Ok::<(), granero::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The position.
    pub position: Position,
    /// What it is worth to the player to move; `None` beyond the tables.
    pub worth: Option<Measured<Value>>,
    /// The legal moves, the best first and those of unknown worth last; equal moves are in the
    /// order of their houses.
    pub moves: Vec<AssessedMove>,
    /// Why there are no moves, if there are none.
    pub over: Option<GameOver>,
}

/// A legal move and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssessedMove {
    /// The move.
    pub play: Move,
    /// What it is worth to the player who makes it; `None` if the position after it is beyond
    /// the tables.
    pub worth: Option<Measured<Value>>,
    /// Whether it is a best move: no move has a higher low bound, and no move with the same low
    /// bound a higher high bound. `false` if the worth of the position is unknown.
    pub best: bool,
}

impl AssessedMove {
    /// The value of the move, if it is known and does not depend on how an endless cycle is
    /// decided.
    pub fn value(&self) -> Option<Value> {
        self.worth?.exact()
    }
}

impl Assessment {
    /// Assesses a position; `worth` looks up what positions are worth.
    ///
    /// If the worth of all its moves is known, that of the position is, even beyond the tables.
    pub(super) fn new(
        ruleset: Ruleset,
        cycles: Cycles,
        position: &Position,
        mut worth: impl FnMut(&Position) -> Result<Option<Measured<Value>>, TableError>,
    ) -> Result<Assessment, TableError> {
        let plays = match ruleset.turn(position) {
            Turn::Play(plays) => plays,
            Turn::Over(over) => {
                return Ok(Assessment {
                    position: *position,
                    worth: Some(cycles.measures().map(|_| over.value)),
                    moves: Vec::new(),
                    over: Some(over),
                });
            }
        };
        let mut moves = Vec::with_capacity(plays.len());
        for &play in &plays {
            let child = worth(&play.position)?;
            moves.push(AssessedMove {
                play,
                worth: child.map(|child| play.worth(child)),
                best: false,
            });
        }
        moves.sort_by_key(|assessed| Reverse(assessed.worth));
        let first = moves[0].worth;
        // The two bounds of the position may come from different moves.
        let best = moves
            .iter()
            .map(|assessed| assessed.worth)
            .reduce(|best, worth| {
                let better = best?.zip(worth?);
                Some(better.map(|(best, worth)| best.max(worth)))
            });
        let worth = best.flatten();
        for assessed in &mut moves {
            assessed.best = worth.is_some() && assessed.worth == first;
        }
        Ok(Assessment {
            position: *position,
            worth,
            moves,
            over: None,
        })
    }

    /// The value of the position, if it is known and does not depend on how an endless cycle
    /// is decided.
    pub fn value(&self) -> Option<Value> {
        self.worth?.exact()
    }

    /// The best moves; none if the game is over, or if the worth of the position is unknown.
    pub fn best(&self) -> impl Iterator<Item = &AssessedMove> {
        self.moves.iter().filter(|assessed| assessed.best)
    }
}
