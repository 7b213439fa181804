//! What is known of a position before anything is searched: the end of the game, what the tables
//! say of its children, and what the number of seeds allows.

use granero_game::rules::board::{Board, BoardMove};
use granero_game::rules::{Ruleset, Variation};
use granero_game::{Cycles, Value};
use granero_table::{TableError, Tables};

/// The bounds of what a position is worth to the player to move: `low ..= high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i8,
    pub(super) high: i8,
}

/// Less than any value.
pub(super) const NOTHING: i8 = -100;

impl Bounds {
    /// Those of a position of which only the seeds are known.
    pub(super) fn trivial(seeds: u8) -> Bounds {
        Bounds {
            low: -(seeds as i8),
            high: seeds as i8,
        }
    }

    pub(super) fn exact(value: i8) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }

    pub(super) fn meet(self) -> bool {
        self.low == self.high
    }

    /// Takes into account a move that gains some seeds and leads to a child with bounds.
    pub(super) fn join(&mut self, gain: i8, child: Bounds) {
        self.low = self.low.max(gain - child.high);
        self.high = self.high.max(gain - child.low);
    }
}

/// What is known of a position at once.
pub(super) struct Glance {
    /// What all moves give together.
    pub(super) bounds: Bounds,
    /// What the moves give that lead into the tables.
    pub(super) outside: Bounds,
    /// The number of other moves.
    pub(super) open: u8,
}

/// Rules, a convention for endless play, and perhaps tables.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) rules: Ruleset,
    pub(super) cycles: Cycles,
    pub(super) tables: Option<&'a Tables>,
}

impl Source<'_> {
    fn variation(&self) -> &'static Variation {
        self.rules.variation()
    }

    /// What the tables say of a board; `None` beyond them.
    pub(super) fn look_up(&self, board: Board) -> Result<Option<Bounds>, TableError> {
        let Some(tables) = self.tables else {
            return Ok(None);
        };
        if tables.max_seeds() < Some(board.seeds()) {
            return Ok(None);
        }
        let worth = tables.clamped_worth(&board.position())?;
        Ok(worth.map(|worth| {
            let [low, high] = worth.range(board.seeds()).map(Value::seeds);
            Bounds { low, high }
        }))
    }

    /// What endless play is worth to the mover of a board if this board is the one that counts.
    pub(super) fn endless(&self, board: Board) -> i8 {
        match self.cycles {
            Cycles::Split => 0,
            Cycles::OwnSide => board.own_seeds() as i8 - board.opponents_seeds() as i8,
        }
    }

    /// Looks at a board and its moves.
    pub(super) fn glance(&self, board: Board) -> Result<Glance, TableError> {
        let steps = board.steps(self.variation());
        let nothing = Bounds::exact(NOTHING);
        let mut glance = Glance {
            bounds: nothing,
            outside: nothing,
            open: 0,
        };
        if steps.is_empty() {
            let value = board.own_seeds() as i8 - board.opponents_seeds() as i8;
            glance.bounds = Bounds::exact(value);
            glance.outside = glance.bounds;
        }
        for &BoardMove { gain, board, .. } in steps.iter() {
            match self.look_up(board)? {
                Some(child) => glance.outside.join(gain, child),
                None => {
                    glance.open += 1;
                    glance.bounds.join(gain, Bounds::trivial(board.seeds()));
                }
            }
        }
        glance.bounds.low = glance.bounds.low.max(glance.outside.low);
        glance.bounds.high = glance.bounds.high.max(glance.outside.high);
        Ok(glance)
    }
}
