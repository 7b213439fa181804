//! The solver: the exact value of every position of a layer, given the layers below.
//!
//! Endless play is worth 0 (the convention `split`). The pieces, each in its file:
//!
//! * graph: moves between half-boards, the same for all layers;
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

use std::convert::Infallible;
use std::sync::Arc;

use rayon::prelude::*;

use self::captures::Captures;
use self::codes::Codes;
use self::exchange::Exchange;
use self::graph::HalfGraph;
use self::plane::Plane;
use self::propagate::{Task, Worker};
use self::share::Share;
use crate::index::{Layer, half};
pub use crate::rows::TurnedLayer;
use crate::rows::{MAX_CAPTURED, RowMoves};
use crate::rules::Ruleset;

/// The most seeds that a layer can have to be solved: what is known of a position must
/// fit into a byte.
///
/// ```
/// assert_eq!(granero::solver::MAX_SEEDS, 35);
/// ```
pub const MAX_SEEDS: u8 = codes::MAX_SEEDS;

/// Layers with fewer positions are solved by one worker: they take no time, and waiting
/// for each other would.
const WORTH_SHARING: u64 = 200_000;

/// Solves layers by the rules of one ruleset.
///
/// ```
/// use std::sync::Arc;
///
/// use granero::Ruleset;
/// use granero::index::Layer;
/// use granero::solver::{Solver, TurnedLayer};
///
/// let solver = Solver::new(Ruleset::Abapa, 4, 1);
/// let mut solved: Vec<Arc<TurnedLayer>> = Vec::new();
/// for layer in Layer::all().take(5) {
///     let smaller = |seeds: u8| Ok::<_, String>(solved[usize::from(seeds)].clone());
///     let values = solver.solve(layer, smaller, |_| {})?;
///     solved.push(Arc::new(TurnedLayer::new(layer, &values)));
/// }
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    rows: Arc<RowMoves>,
    /// For one worker, and for several.
    single: HalfGraph,
    shared: Option<HalfGraph>,
}

/// Where the solver is in its work on a layer.
///
/// ```
/// use granero::solver::Progress;
///
/// assert_ne!(Progress::Captures(2), Progress::Threshold(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It looks up captures of so many seeds, from 1 on.
    Captures(u8),
    /// It settles positions that are worth so many seeds to either side, from all seeds
    /// of the layer down to 1.
    Threshold(u8),
}

impl Solver {
    /// A solver for the layers from 0 to `max_seeds`.
    ///
    /// ```
    /// # use granero::{Ruleset, solver::Solver};
    /// assert_eq!(Solver::new(Ruleset::Awari, 3, 2).ruleset(), Ruleset::Awari);
    /// ```
    ///
    /// # Panics
    ///
    /// If `max_seeds` is above [`MAX_SEEDS`], or `threads` is 0 or above 256.
    pub fn new(ruleset: Ruleset, max_seeds: u8, threads: usize) -> Solver {
        assert!(max_seeds <= MAX_SEEDS, "{max_seeds} seeds");
        let rows = Arc::new(RowMoves::new(ruleset, max_seeds));
        let graph = |workers| HalfGraph::new(rows.clone(), Share::among(workers));
        Solver {
            single: graph(1),
            shared: (threads != 1).then(|| graph(threads)),
            rows,
        }
    }

    /// The rules.
    ///
    /// ```
    /// # use granero::{Ruleset, solver::Solver};
    /// assert_eq!(Solver::new(Ruleset::Italian, 0, 1).ruleset(), Ruleset::Italian);
    /// ```
    pub fn ruleset(&self) -> Ruleset {
        self.rows.ruleset()
    }

    /// The moves of rows, which others may need, too.
    pub(crate) fn rows(&self) -> &RowMoves {
        &self.rows
    }

    /// Solves a layer: the values of its positions in index order.
    ///
    /// The workers are threads of their own; the rest is done by the threads of the pool
    /// (see the crate `rayon`) in which this is called.
    ///
    /// `smaller` is asked for the layers that captures lead to, in falling order; a
    /// layer can be dropped as soon as the next one is asked for. `progress` is told
    /// where the work is.
    ///
    /// # Errors
    ///
    /// Those of `smaller`.
    ///
    /// # Panics
    ///
    /// If the layer has more seeds than the solver was made for.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::{Ruleset, solver::Solver};
    ///
    /// // The empty board needs nothing.
    /// let solver = Solver::new(Ruleset::Abapa, 0, 1);
    /// let values = solver.solve(Layer::new(0).unwrap(), |_| Err(()), |_| {});
    /// assert_eq!(values, Ok(vec![0]));
    /// ```
    pub fn solve<E>(
        &self,
        layer: Layer,
        smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
        progress: impl Fn(Progress) + Sync,
    ) -> Result<Vec<i8>, E> {
        let graph = match &self.shared {
            Some(shared) if layer.len() >= WORTH_SHARING => shared,
            _ => &self.single,
        };
        solve(graph, layer, smaller, &progress)
    }
}

/// Solves all layers from 0 up to some number of seeds, and keeps them in memory.
///
/// ```
/// use granero::{Ruleset, solver};
///
/// let layers = solver::solve_all(Ruleset::Abapa, 4, 1);
/// let wins = layers[4].iter().filter(|&&value| value > 0).count();
/// assert_eq!(wins, 577);
/// ```
///
/// # Panics
///
/// As [`Solver::new`].
pub fn solve_all(ruleset: Ruleset, max_seeds: u8, threads: usize) -> Vec<Vec<i8>> {
    // Without threads of its own, the work is done by those that there are.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let solve_them = || solve_all_here(ruleset, max_seeds, threads);
    match pool {
        Ok(pool) => pool.install(solve_them),
        Err(_) => solve_them(),
    }
}

fn solve_all_here(ruleset: Ruleset, max_seeds: u8, threads: usize) -> Vec<Vec<i8>> {
    let solver = Solver::new(ruleset, max_seeds, threads);
    let mut turned: Vec<Arc<TurnedLayer>> = Vec::new();
    let mut all = Vec::new();
    for layer in Layer::all().take(usize::from(max_seeds) + 1) {
        let smaller = |seeds: u8| Ok::<_, Infallible>(turned[usize::from(seeds)].clone());
        let Ok(values) = solver.solve(layer, smaller, |_| {});
        turned.push(Arc::new(TurnedLayer::new(layer, &values)));
        all.push(values);
    }
    all
}

fn solve<E>(
    graph: &HalfGraph,
    layer: Layer,
    mut smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<Vec<i8>, E> {
    let seeds = layer.seeds();
    let share = graph.share;
    let codes = Codes::new(seeds);
    let planes: Vec<Plane> = (0..share.workers())
        .map(|worker| Plane::new(seeds, share, worker))
        .collect();

    // One smaller layer at a time, so that no more than one need be in memory.
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
    for captured in 2..=MAX_CAPTURED.min(seeds) {
        progress(Progress::Captures(captured));
        let smaller = smaller(seeds - captured)?;
        let workers = passes.par_iter().zip(&mut values);
        workers.for_each(|(pass, values)| pass.add(values, captured, &smaller));
    }
    let workers = passes.par_iter().zip(&mut values);
    let mut last_resorts: Vec<_> = workers
        .flat_map_iter(|(pass, values)| pass.finish(values, codes))
        .collect();
    last_resorts.sort_unstable();

    let exchange = Exchange::among(share.workers());
    let task = Task {
        graph,
        seeds,
        planes: &planes,
        exchange: &exchange,
        last_resorts: &last_resorts,
    };
    // Workers wait for each other, so each needs a thread of its own.
    let values: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let threads: Vec<_> = values
            .into_iter()
            .enumerate()
            .map(|(id, values)| {
                scope.spawn(move || {
                    let _guard = task.exchange.guard();
                    Worker::new(id, task, values).run(|threshold| {
                        if id == 0 {
                            progress(Progress::Threshold(threshold));
                        }
                    })
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a worker does not panic"))
            .collect()
    });
    Ok(assemble(layer, graph.share, &planes, codes, &values))
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
