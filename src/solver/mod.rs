//! The solver: the exact value of every position of a layer, given the layers below.
//!
//! Endless play is worth 0 (the convention `split`). The pieces, each in its file:
//!
//! * [`graph`](self): moves between half-boards, the same for all layers;
//! * captures: the first pass, which looks captures up in the smaller layers;
//! * propagate: news of settled positions goes to their predecessors, in falling order
//!   of values, until nothing changes;
//! * codes, plane, share, exchange: what is known of a position in one byte, where it
//!   lies in memory, who owns it, and how owners exchange work.
//!
//! The result does not depend on the number of workers or the order of their work: what
//! is settled at a threshold is a least fixed point, which is unique.

mod captures;
mod codes;
mod exchange;
mod graph;
mod plane;
mod prefetch;
mod propagate;
mod share;
mod turned;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use self::captures::Captures;
use self::codes::Codes;
use self::exchange::Exchange;
use self::graph::HalfGraph;
use self::plane::Plane;
use self::propagate::{Task, Worker};
use self::share::Share;
use self::turned::TurnedLayer;
use crate::index::{Layer, half};
use crate::rules::Ruleset;

/// The most seeds that a layer can have to be solved: what is known of a position must
/// fit into a byte.
///
/// ```
/// assert_eq!(granero::solver::MAX_SEEDS, 35);
/// ```
pub const MAX_SEEDS: u8 = codes::MAX_SEEDS;

/// The most seeds that one move can capture: three in each of six houses.
const MAX_CAPTURED: u8 = 18;

/// Layers with fewer positions are solved by one worker: they take no time, and waiting
/// for each other would.
const WORTH_SHARING: u64 = 200_000;

/// Solves layers, one after the other.
///
/// ```
/// use granero::Ruleset;
/// use granero::index::Layer;
/// use granero::solver::Solver;
///
/// let mut solver = Solver::new(Ruleset::Abapa, 4, 1);
/// for seeds in 0..=4 {
///     let values = solver.solve_next();
///     assert_eq!(values.len() as u64, Layer::new(seeds).unwrap().len());
/// }
/// ```
#[derive(Debug)]
pub struct Solver {
    ruleset: Ruleset,
    /// For one worker, and for all.
    single: HalfGraph,
    shared: Option<HalfGraph>,
    solved: Vec<Arc<TurnedLayer>>,
}

impl Solver {
    /// A solver for the layers from 0 to `max_seeds`.
    ///
    /// # Panics
    ///
    /// If `max_seeds` is above [`MAX_SEEDS`], or there is not a thread at least.
    pub fn new(ruleset: Ruleset, max_seeds: u8, threads: usize) -> Solver {
        assert!(max_seeds <= MAX_SEEDS);
        assert!(threads > 0);
        let graph = |workers| HalfGraph::new(ruleset, max_seeds, Share::among(workers));
        Solver {
            ruleset,
            single: graph(1),
            shared: (threads > 1).then(|| graph(threads)),
            solved: Vec::new(),
        }
    }

    /// The rules.
    pub fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// Solves the next layer: the values of its positions in index order.
    pub fn solve_next(&mut self) -> Vec<i8> {
        let seeds = self.solved.len() as u8;
        let layer = Layer::new(seeds).expect("no more seeds than the solver was made for");
        let graph = match &self.shared {
            Some(shared) if layer.len() >= WORTH_SHARING => shared,
            _ => &self.single,
        };
        let values = solve(graph, layer, &self.solved);
        self.solved.push(Arc::new(TurnedLayer::new(layer, &values)));
        values
    }
}

fn solve(graph: &HalfGraph, layer: Layer, solved: &[Arc<TurnedLayer>]) -> Vec<i8> {
    let seeds = layer.seeds();
    let share = graph.share;
    let codes = Codes::new(seeds);
    let planes: Vec<Plane> = (0..share.workers())
        .map(|worker| Plane::new(seeds, share, worker))
        .collect();

    // Captures, one smaller layer at a time, so that one is needed at a time.
    let passes: Vec<Captures<'_>> = planes
        .iter()
        .enumerate()
        .map(|(worker, plane)| Captures {
            graph,
            plane,
            seeds,
            worker,
        })
        .collect();
    let mut values: Vec<Vec<u8>> = passes.par_iter().map(Captures::start).collect();
    for captured in 1..=MAX_CAPTURED.min(seeds) {
        let smaller = &solved[usize::from(seeds - captured)];
        let workers = passes.par_iter().zip(&mut values);
        workers.for_each(|(pass, values)| pass.add(values, captured, smaller));
    }
    let workers = passes.par_iter().zip(&mut values);
    let mut last_resorts: Vec<_> = workers
        .flat_map_iter(|(pass, values)| pass.finish(values, codes))
        .collect();
    last_resorts.sort_unstable();

    let exchange = Exchange::among(share.workers());
    let cancelled = AtomicBool::new(false);
    let task = Task {
        graph,
        seeds,
        planes: &planes,
        exchange: &exchange,
        last_resorts: &last_resorts,
        cancelled: &cancelled,
    };
    // Workers wait for each other, so each needs a thread of its own.
    let values: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let threads: Vec<_> = values
            .into_iter()
            .enumerate()
            .map(|(id, values)| scope.spawn(move || Worker::new(id, task, values).run(|_| {})))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a worker does not panic"))
            .collect()
    });
    assemble(layer, graph.share, &planes, codes, &values)
}

/// Puts the workers' rows together in index order, as values.
fn assemble(
    layer: Layer,
    share: Share,
    planes: &[Plane],
    codes: Codes,
    bytes: &[Vec<u8>],
) -> Vec<i8> {
    let decode = codes.values();
    let mut values = vec![0; layer.len() as usize];
    for own_seeds in 0..=layer.seeds() {
        let start = layer.block_start(own_seeds) as usize;
        let end = layer.block_start(own_seeds + 1) as usize;
        let row_len = half::count(layer.seeds() - own_seeds) as usize;
        let rows = values[start..end].par_chunks_exact_mut(row_len);
        rows.enumerate().for_each(|(rank, row)| {
            let (owner, local) = share.place(rank as u32);
            let from = planes[owner].row_start(own_seeds, local);
            for (value, &byte) in row.iter_mut().zip(&bytes[owner][from..]) {
                *value = decode[usize::from(byte)];
            }
        });
    }
    values
}
