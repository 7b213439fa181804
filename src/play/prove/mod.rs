//! Proven bounds for positions with more seeds than the tables have.
//!
//! A [`Prover`] searches from a position into the tables. Whenever it ends, what it says is
//! proven: the value of the position is not below the low bound and not above the high one. The
//! longer it searches, the closer the bounds get; often they meet.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use granero::prove::{Budget, Prover};
//! use granero::{Position, Tables};
//!
//! let tables = Tables::sample();
//! let position: Position = "1 2 0 0 1 1 / 2 0 3 1 0 1".parse()?;
//! assert_eq!(tables.worth(&position)?, None);
//! let budget = Budget::nodes(10_000);
//! let proof = Prover::new(&tables).prove(&position, budget, |_| ControlFlow::Continue(()))?;
//! assert!(proof.low <= proof.high);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/prove.md` in the repository proves that the bounds hold.

mod graph;
mod limits;
mod node;
mod safety;
mod search;
mod source;

use std::ops::ControlFlow;
use std::time::Duration;

use web_time::Instant;

use granero_game::rules::board::Board;
use granero_game::rules::{Move, Ruleset};
use granero_game::{Cycles, Position, Value};
use granero_table::{TableError, Tables};
use graph::Graph;
use limits::{Limits, Watch};
use search::Threads;
use source::{Bounds, Source};

/// Proves bounds of positions.
///
/// Look-ups in the tables take much of its time: [`TableOptions::in_memory`] makes them
/// fast.
///
/// [`TableOptions::in_memory`]: granero_table::TableOptions::in_memory
#[derive(Clone, Copy, Debug)]
pub struct Prover<'a> {
    rules: Ruleset,
    cycles: Cycles,
    tables: Option<&'a Tables>,
    memory: u64,
    threads: Threads,
}

/// How long a prover searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most positions that it looks at, apart from those in the tables.
    pub nodes: u64,
    /// The most time that it takes.
    pub time: Option<Duration>,
}

/// How far a prover has come.
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

/// What is proven of a position.
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

/// A legal move, and what is proven of it.
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
    /// As many positions as the budget allows were looked at.
    Nodes,
    /// The time was over.
    Time,
    /// The memory was full.
    Memory,
    /// The caller ended it.
    Stopped,
}

impl Proof {
    /// The moves that are certainly best: each gives at least what any other gives at most.
    pub fn best(&self) -> impl DoubleEndedIterator<Item = &ProvenMove> {
        self.moves.iter().filter(|best| {
            let mut others = self.moves.iter().filter(|other| other.play != best.play);
            others.all(|other| best.low >= other.high.min(self.high))
        })
    }

    /// The moves that no other is known to be better than: they have the highest low bound, and of
    /// several such moves the highest high bound. None if nothing tells the moves apart.
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

impl Budget {
    /// A number of positions, and all the time they take.
    pub const fn nodes(nodes: u64) -> Budget {
        Budget { nodes, time: None }
    }

    /// Some time, and as many positions as possible.
    pub const fn time(time: Duration) -> Budget {
        Budget {
            nodes: u64::MAX,
            time: Some(time),
        }
    }
}

impl<'a> Prover<'a> {
    /// The memory that a prover uses at most, unless told otherwise: 1 GiB.
    pub const MEMORY: u64 = 1 << 30;

    /// The most threads of a search.
    pub const MOST_THREADS: usize = node::MOST_THREADS;

    /// A prover by the rules of some tables and their convention for endless play.
    pub fn new(tables: &'a Tables) -> Prover<'a> {
        Prover {
            rules: tables.rules(),
            cycles: tables.cycles(),
            tables: Some(tables),
            memory: Prover::MEMORY,
            threads: Threads::ONE,
        }
    }

    /// A prover that can only search.
    pub fn without_tables(rules: Ruleset, cycles: Cycles) -> Prover<'static> {
        Prover {
            rules,
            cycles,
            tables: None,
            memory: Prover::MEMORY,
            threads: Threads::ONE,
        }
    }

    /// Sets how many bytes of memory it uses at most.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Prover<'a> {
        self.memory = bytes;
        self
    }

    /// Sets how many threads search, one unless told otherwise. No more than
    /// [`MOST_THREADS`](Prover::MOST_THREADS) do.
    ///
    /// With one thread the same number of positions proves the same on every machine. Several
    /// prove more in the same time, but not always the same.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Prover<'a> {
        self.threads.number = threads.clamp(1, Prover::MOST_THREADS);
        self
    }

    /// Has the other threads begin only when some positions have been looked at: a short search is not
    /// worth them, and proves the same on every machine without them. Unless this is set, they begin
    /// at once.
    #[must_use]
    pub fn alone_for(mut self, nodes: u64) -> Prover<'a> {
        self.threads.alone_for = nodes;
        self
    }

    /// Proves bounds of a position. `watch` is called now and then, and may end the search.
    ///
    /// # Errors
    ///
    /// When the tables are damaged or cannot be read. Then nothing is proven.
    pub fn prove(
        &self,
        position: &Position,
        budget: Budget,
        mut watch: impl FnMut(&ProofProgress) -> ControlFlow<()>,
    ) -> Result<Proof, TableError> {
        // The search is compiled here, and not with the caller.
        self.prove_watched(position, budget, &mut watch)
    }

    fn prove_watched(
        &self,
        position: &Position,
        budget: Budget,
        watch: Watch<'_>,
    ) -> Result<Proof, TableError> {
        let start = Instant::now();
        let source = Source {
            rules: self.rules,
            cycles: self.cycles,
            tables: self.tables,
        };
        let root = Board::of(position);
        let graph = Graph::new(source, root, self.memory)?;
        if let Some(bounds) = source.look_up(root)? {
            graph.node(0).tighten(bounds);
            return self.proof(position, &graph, start, Ended::Settled);
        }
        let limits = Limits { start, budget };
        let (graph, ended) = search::run(graph, self.threads, limits, watch)?;
        self.proof(position, &graph, start, ended)
    }

    fn proof(
        &self,
        position: &Position,
        graph: &Graph<'_>,
        start: Instant,
        ended: Ended,
    ) -> Result<Proof, TableError> {
        let plays = self.rules.moves(position);
        let mut moves = Vec::with_capacity(plays.len());
        for &play in &plays {
            let board = Board::of(&play.position);
            let child = match graph.source().look_up(board)? {
                Some(bounds) => bounds,
                None => match graph.find(board) {
                    Some(number) => graph.bounds(number),
                    None => graph.source().glance(board)?.bounds,
                },
            };
            moves.push(ProvenMove {
                play,
                low: play.value(value(child.high)),
                high: play.value(value(child.low)),
            });
        }
        let Bounds { low, high } = graph.bounds(0);
        let (mut low, mut high) = (value(low), value(high));
        // A position whose moves were not looked at may be worth more than it knows of.
        if let Some(most) = moves.iter().map(|proven| proven.high).max() {
            high = high.min(most);
        }
        if let Some(least) = moves.iter().map(|proven| proven.low).max() {
            low = low.max(least);
        }
        Ok(Proof {
            low,
            high,
            moves,
            nodes: graph.seen(),
            time: start.elapsed(),
            ended,
        })
    }
}

/// A bound as a value. No bound is beyond what the seeds of the game allow.
fn value(seeds: i8) -> Value {
    Value::new(seeds).unwrap_or(Value::ZERO)
}
