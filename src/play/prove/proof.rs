//! The results of a search: proven bounds of a position and of its moves.

use std::time::Duration;

use granero_game::Value;
use granero_game::rules::Move;

/// The progress of a prover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofProgress {
    /// The least that the player to move gets, as far as it is proven.
    pub low: Value,
    /// The most that the player to move gets, as far as it is proven.
    pub high: Value,
    /// The number of positions looked at.
    pub nodes: u64,
    /// The time since the beginning.
    pub time: Duration,
}

/// Proven bounds of a position.
///
/// With endless play by `split`, `low` and `high` are bounds of its value. By `own-side`, the
/// mover gets at least `low` and at most `high` however an endless cycle is decided: `low` is
/// not above the low bound that tables would have, and `high` not below the high bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The least that the player to move gets.
    pub low: Value,
    /// The most that the player to move gets.
    pub high: Value,
    /// The legal moves in the order of their houses, none if the game is over.
    pub moves: Vec<ProvenMove>,
    /// The number of positions that were looked at, apart from those in the tables.
    pub nodes: u64,
    /// The time it took.
    pub time: Duration,
    /// Why the search ended.
    pub ended: Ended,
}

/// A legal move with proven bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenMove {
    /// The move.
    pub play: Move,
    /// The least that it is worth to the player who makes it.
    pub low: Value,
    /// The most that it is worth to the player who makes it.
    pub high: Value,
}

/// Why a prover ended its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ended {
    /// The bounds meet, or there is nothing left to look at.
    Settled,
    /// The budget of positions is spent.
    Nodes,
    /// The budget of time is spent.
    Time,
    /// The memory is full.
    Memory,
    /// The caller ended it.
    Stopped,
}

impl Proof {
    /// Adds an earlier proof of the same position: the bounds of both hold.
    #[must_use]
    pub fn joined(mut self, earlier: &Proof) -> Proof {
        self.low = self.low.max(earlier.low);
        self.high = self.high.min(earlier.high);
        for (proven, earlier) in self.moves.iter_mut().zip(&earlier.moves) {
            proven.low = proven.low.max(earlier.low);
            proven.high = proven.high.min(earlier.high);
        }
        self.nodes += earlier.nodes;
        self.time += earlier.time;
        self
    }

    /// The moves that are certainly best: each gives at least what any other gives at most.
    pub fn best(&self) -> impl DoubleEndedIterator<Item = &ProvenMove> {
        self.moves.iter().filter(|best| {
            let mut others = self.moves.iter().filter(|other| other.play != best.play);
            others.all(|other| best.low >= other.high.min(self.high))
        })
    }

    /// The best moves as far as is known: they have the highest low bound, and of several such moves
    /// the highest high bound. None if nothing tells the moves apart.
    pub fn best_known(&self) -> impl Iterator<Item = &ProvenMove> {
        let most = self.high;
        let bounds = move |proven: &ProvenMove| Some((proven.low, proven.high.min(most)));
        let known = self.moves.iter().map(bounds).max().flatten();
        let is_known = move |proven: &&ProvenMove| bounds(proven) == known;
        let tells_apart =
            self.best().next().is_some() || !self.moves.iter().all(|proven| is_known(&proven));
        self.moves
            .iter()
            .filter(move |proven| tells_apart && is_known(proven))
    }
}

impl Ended {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Ended::Settled => "settled",
            Ended::Nodes => "positions",
            Ended::Time => "time",
            Ended::Memory => "memory",
            Ended::Stopped => "stopped",
        }
    }
}

/// A bound as a value. No bound exceeds the seeds of the game.
pub(super) fn value(seeds: i8) -> Value {
    Value::new(seeds).unwrap_or(Value::ZERO)
}
