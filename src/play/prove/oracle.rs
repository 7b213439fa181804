//! The bounds of a position before any search: by the end of the game, by the tables, and by the
//! number of seeds.

use granero_game::rules::Ruleset;
use granero_game::{Cycles, Position, Value};
use granero_table::{TableError, Tables};

/// Bounds of the value of a position to the player to move: `low ..= high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i8,
    pub(super) high: i8,
}

/// Less than any value.
pub(super) const NOTHING: i8 = -100;

impl Bounds {
    pub(super) fn exact(value: i8) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }

    pub(super) fn meet(self) -> bool {
        self.low == self.high
    }

    /// Adds a move that gains some seeds and leads to a child with bounds.
    pub(super) fn join(&mut self, gain: i8, child: Bounds) {
        self.low = self.low.max(gain - child.high);
        self.high = self.high.max(gain - child.low);
    }
}

/// The bounds of a position, by a search of one ply.
pub(super) struct OnePlyBounds {
    /// The bounds by all moves.
    pub(super) bounds: Bounds,
    /// The bounds by the moves that lead into the tables.
    pub(super) outside: Bounds,
    /// The number of other moves.
    pub(super) open: u8,
}

/// Bounds positions by the rules, a convention for endless play, and tables if there are any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Oracle<'a> {
    pub(super) rules: Ruleset,
    pub(super) cycles: Cycles,
    pub(super) tables: Option<&'a Tables>,
}

impl Oracle<'_> {
    /// The bounds of a position by the tables; `None` beyond them.
    pub(super) fn look_up(&self, position: &Position) -> Result<Option<Bounds>, TableError> {
        let Some(tables) = self.tables else {
            return Ok(None);
        };
        if tables.max_seeds() < Some(position.seeds()) {
            return Ok(None);
        }
        let value = tables.clamped_value(position)?;
        Ok(value.map(|value| {
            let [low, high] = value.range(position.seeds()).map(Value::seeds);
            Bounds { low, high }
        }))
    }

    /// The value of endless play to the mover of a position if this position counts.
    pub(super) fn endless(&self, position: &Position) -> i8 {
        match self.cycles {
            Cycles::Split => 0,
            Cycles::OwnSide => position.own_seeds() as i8 - position.opponents_seeds() as i8,
        }
    }

    /// Looks at a position and its moves.
    pub(super) fn one_ply(&self, position: &Position) -> Result<OnePlyBounds, TableError> {
        let plays = self.rules.moves(position);
        let nothing = Bounds::exact(NOTHING);
        let mut found = OnePlyBounds {
            bounds: nothing,
            outside: nothing,
            open: 0,
        };
        if plays.is_empty() {
            let value = position.own_seeds() as i8 - position.opponents_seeds() as i8;
            found.bounds = Bounds::exact(value);
            found.outside = found.bounds;
        }
        for play in &plays {
            match self.look_up(&play.position)? {
                Some(child) => found.outside.join(play.gain(), child),
                None => {
                    found.open += 1;
                    // As many seeds as there are, either way.
                    let high = play.position.seeds() as i8;
                    found.bounds.join(play.gain(), Bounds { low: -high, high });
                }
            }
        }
        found.bounds.low = found.bounds.low.max(found.outside.low);
        found.bounds.high = found.bounds.high.max(found.outside.high);
        Ok(found)
    }
}
