//! The assessment of a position and each of its moves.

use std::cmp::Reverse;

use crate::error::TableError;
use granero_game::rules::{GameOver, Move, Turn};
use granero_game::{Clamped, Kind, Measured, Position, Value};

/// The assessment of a position and each of its moves by tables.
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
    /// The value to the player to move; `None` beyond the tables, or if deciding tables have cut it off.
    pub value: Option<Measured<Value>>,
    /// The value as far as it is known; `None` only beyond the tables.
    pub clamped: Option<Measured<Clamped>>,
    /// The legal moves, the best first, and moves of unknown value last; equal moves are in the order of
    /// their houses.
    pub moves: Vec<AssessedMove>,
    /// The end of the game, if there are no moves.
    pub over: Option<GameOver>,
}

/// A legal move and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssessedMove {
    /// The move.
    pub play: Move,
    /// The value to the player who makes it; `None` if the position after it is beyond the tables, or if
    /// deciding tables have cut it off.
    pub value: Option<Measured<Value>>,
    /// The value as far as it is known, cut off at the limit of the position before the move; `None` only
    /// beyond the tables.
    pub clamped: Option<Measured<Clamped>>,
    /// True for a best move: no move has a higher low bound, and no move with an equal low bound has a
    /// higher high bound. `false` if the value of the position is unknown. In deciding tables, all moves
    /// that decide the game are equal.
    pub best: bool,
}

impl AssessedMove {
    /// The value of the move, if it is known and does not depend on how endless cycles are decided.
    pub fn exact(&self) -> Option<Value> {
        self.value?.exact()
    }
}

impl Assessment {
    /// Assesses a position; `numbers` looks up the value of positions, cut off at their limits.
    ///
    /// If the value of all its moves is known, so is the value of the position, even beyond the tables.
    pub(super) fn new(
        kind: Kind,
        position: &Position,
        mut numbers: impl FnMut(&Position) -> Result<Option<Measured<Value>>, TableError>,
    ) -> Result<Assessment, TableError> {
        let seeds = position.seeds();
        let cut = |numbers: Measured<Value>| numbers.map(|number| number.cut(kind.limit(seeds)));
        let clamped =
            |numbers: Measured<Value>| numbers.map(|number| Clamped::new(kind, seeds, number));
        // There are no limits for positions with more seeds than the game.
        let in_game = seeds <= kind.extent.max_seeds();
        let plays = match kind.rules.turn(position) {
            Turn::Play(plays) => plays,
            Turn::Over(over) => {
                let value = kind.cycles.measures().map(|_| over.value);
                let clamped = clamped(cut(value));
                return Ok(Assessment {
                    position: *position,
                    value: clamped.exactly(),
                    clamped: Some(clamped),
                    moves: Vec::new(),
                    over: Some(over),
                });
            }
        };
        let mut moves = Vec::with_capacity(plays.len());
        for &play in &plays {
            let child = numbers(&play.position)?.filter(|_| in_game);
            let clamped = child.map(|child| clamped(cut(play.value(child))));
            moves.push(AssessedMove {
                play,
                value: clamped.and_then(Measured::exactly),
                clamped,
                best: false,
            });
        }
        let number = |assessed: &AssessedMove| assessed.clamped.map(Measured::numbers);
        moves.sort_by_key(|assessed| Reverse(number(assessed)));
        let first = number(&moves[0]);
        // The two bounds of the position may come from different moves.
        let best = moves.iter().map(number).reduce(|best, numbers| {
            let better = best?.zip(numbers?);
            Some(better.map(|(best, number)| best.max(number)))
        });
        let best = best.flatten();
        for assessed in &mut moves {
            assessed.best = best.is_some() && number(assessed) == first;
        }
        let clamped = best.map(clamped);
        Ok(Assessment {
            position: *position,
            value: clamped.and_then(Measured::exactly),
            clamped,
            moves,
            over: None,
        })
    }

    /// The value of the position, if it is known and does not depend on how endless cycles are decided.
    pub fn exact(&self) -> Option<Value> {
        self.value?.exact()
    }

    /// The best moves; none if the game is over, or if the value of the position is unknown.
    pub fn best(&self) -> impl Iterator<Item = &AssessedMove> {
        self.moves.iter().filter(|assessed| assessed.best)
    }
}
