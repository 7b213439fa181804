//! Proven bounds for positions with more seeds than the tables have.
//!
//! A [`Prover`] searches from a position into the tables. Whenever it ends, its bounds are
//! proven: the value of the position is not below the low bound and not above the high bound. The
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
//! assert_eq!(tables.value(&position)?, None);
//! let budget = Budget::nodes(10_000);
//! let proof = Prover::new(&tables).prove(&position, budget, |_| ControlFlow::Continue(()))?;
//! assert!(proof.low <= proof.high);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/internals/prove.md` in the repository proves that the bounds hold.
//!
//! * `graph`, `node`: the positions that were looked at, the moves between them, and their bounds;
//! * `oracle`: the bounds of a position by tables and rules, without a search;
//! * `search`, `numbers`, `plan`: the choice of the positions to expand, by proof numbers;
//! * `threads`, `shared`: several threads in one search;
//! * `safety`: proofs by endless play;
//! * `budget`: the limits of a search;
//! * `proof`: the results.

mod budget;
mod graph;
mod node;
mod numbers;
mod oracle;
mod plan;
mod proof;
mod safety;
mod search;
mod shared;
mod threads;

use std::ops::ControlFlow;

use web_time::Instant;

pub use budget::Budget;
pub use proof::{Ended, Proof, ProofProgress, ProvenMove};

use budget::Watcher;
use granero_game::rules::Ruleset;
use granero_game::{Cycles, Position};
use granero_table::{TableError, Tables};
use graph::Graph;
use oracle::{Bounds, Oracle};
use proof::value;

/// Proves bounds of positions.
///
/// Look-ups in the tables take much of its time: [`TableOptions::in_memory`] makes them
/// fast.
///
/// [`TableOptions::in_memory`]: granero_table::TableOptions::in_memory
#[derive(Clone, Copy, Debug)]
pub struct Prover<'a> {
    oracle: Oracle<'a>,
    memory: u64,
    threads: usize,
    /// About the number of positions that the first thread looks at before the others join it.
    alone_for: u64,
}

impl<'a> Prover<'a> {
    /// The default limit of memory: 1 GiB.
    pub const MEMORY: u64 = 1 << 30;

    /// The most threads of a search.
    pub const MOST_THREADS: usize = node::MOST_THREADS;

    /// Creates a prover with tables, their rules and their convention for endless play.
    pub fn new(tables: &'a Tables) -> Prover<'a> {
        let mut prover = Prover::without_tables(tables.rules(), tables.cycles());
        prover.oracle.tables = Some(tables);
        prover
    }

    /// Creates a prover that can only search.
    pub fn without_tables(rules: Ruleset, cycles: Cycles) -> Prover<'a> {
        Prover {
            oracle: Oracle {
                rules,
                cycles,
                tables: None,
            },
            memory: Prover::MEMORY,
            threads: 1,
            alone_for: 0,
        }
    }

    /// Sets the most memory that it uses, in bytes (default: [`MEMORY`](Prover::MEMORY)).
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Prover<'a> {
        self.memory = bytes;
        self
    }

    /// Sets the number of threads that search (default: 1), at most
    /// [`MOST_THREADS`](Prover::MOST_THREADS).
    ///
    /// With one thread the same number of positions proves the same on every machine. Several threads
    /// prove more in the same time, but not always the same.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Prover<'a> {
        self.threads = threads.clamp(1, Prover::MOST_THREADS);
        self
    }

    /// Starts the other threads only after this number of positions (default: at once): a short search
    /// is not worth them, and without them proves the same on every machine.
    #[must_use]
    pub fn alone_for(mut self, nodes: u64) -> Prover<'a> {
        self.alone_for = nodes;
        self
    }

    /// Proves bounds of a position. `watch` is called now and then, and may end the search.
    pub fn prove(
        &self,
        position: &Position,
        budget: Budget,
        mut watch: impl FnMut(&ProofProgress) -> ControlFlow<()>,
    ) -> Result<Proof, TableError> {
        // The search is compiled here, and not with the caller.
        self.prove_watched(position, budget, &mut watch)
    }

    /// Proves bounds of a position in two searches, the second only if the first has proven something.
    pub fn prove_unless_hopeless(
        &self,
        position: &Position,
        budget: Budget,
        mut watch: impl FnMut(&ProofProgress) -> ControlFlow<()>,
    ) -> Result<Proof, TableError> {
        let mut proof = self.prove_watched(position, budget.first(), &mut watch)?;
        while let Some(next) = budget.next(Some(&proof), position.seeds()) {
            let longer = self.prove_watched(position, next, &mut watch)?;
            proof = longer.joined(&proof);
        }
        Ok(proof)
    }

    fn prove_watched(
        &self,
        position: &Position,
        budget: Budget,
        watch: Watcher<'_>,
    ) -> Result<Proof, TableError> {
        let start = Instant::now();
        let graph = Graph::new(self.oracle, position, self.memory)?;
        if let Some(bounds) = self.oracle.look_up(position)? {
            graph.node(0).tighten(bounds);
            return self.proof(position, &graph, start, Ended::Settled);
        }
        let (number, budget) = (self.threads, (start, budget));
        let (graph, ended) = threads::run(graph, number, self.alone_for, budget, watch)?;
        self.proof(position, &graph, start, ended)
    }

    fn proof(
        &self,
        position: &Position,
        graph: &Graph<'_>,
        start: Instant,
        ended: Ended,
    ) -> Result<Proof, TableError> {
        let plays = self.oracle.rules.moves(position);
        let mut moves = Vec::with_capacity(plays.len());
        for &play in &plays {
            let next = &play.position;
            let child = match self.oracle.look_up(next)? {
                Some(bounds) => bounds,
                None => match graph.find(next) {
                    Some(number) => graph.bounds(number),
                    None => self.oracle.one_ply(next)?.bounds,
                },
            };
            moves.push(ProvenMove {
                play,
                low: play.exact_value(value(child.high)),
                high: play.exact_value(value(child.low)),
            });
        }
        let Bounds { low, high } = graph.bounds(0);
        let (mut low, mut high) = (value(low), value(high));
        // The moves may prove more than the bounds of a position that was not expanded.
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
