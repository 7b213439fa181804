//! The solver: the exact worth of every position of a layer, given the layers below.
//!
//! What endless play is worth is one of two conventions (see [`Cycles`](crate::Cycles)):
//! with `split`, every position has one value; with `own-side`, it has two bounds. The
//! pieces, each in its file:
//!
//! * graph: moves between half-boards, the same for all layers;
//! * captures: the first pass, which looks captures up in the smaller layers;
//! * propagate: news of settled positions goes to their predecessors, until nothing
//!   changes;
//! * split, bounds: what is news, in which order, and what it makes of a position;
//! * search: finding the positions of a row that matter;
//! * codes, plane, share, exchange: what is known of a position in one byte, where it
//!   lies in memory, who owns it, and how owners exchange work.
//!
//! The result does not depend on the number of workers or the order of their work: what
//! is settled at a threshold is a least fixed point, which is unique.

mod bounds;
mod captures;
mod codes;
mod exchange;
mod graph;
mod plane;
mod prefetch;
mod propagate;
mod search;
mod share;
mod split;

use std::convert::Infallible;
use std::sync::Arc;

use rayon::prelude::*;

use self::captures::{Captures, LastResort};
use self::codes::Codes;
use self::exchange::Exchange;
use self::graph::HalfGraph;
use self::plane::Plane;
use self::propagate::{Orders, Reports, Task, UNDER_WAY, Worker, new_reports};
use self::share::Share;
use crate::cycles::Cycles;
use crate::index::{Layer, half};
use crate::measured::{Bound, Measured};
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

/// The most memory in bytes that workers take for what they tell each other, whatever the
/// order of their work.
pub(crate) fn parcel_memory(threads: usize) -> u64 {
    propagate::memory(threads)
}

/// Layers with fewer positions are solved by one worker: they take no time, and waiting
/// for each other would.
const WORTH_SHARING: u64 = 200_000;

/// Solves layers by the rules of one ruleset.
///
/// ```
/// use std::sync::Arc;
///
/// use granero::index::Layer;
/// use granero::solver::{Solver, TurnedLayer};
/// use granero::{Bound, Cycles, Measured, Ruleset};
///
/// let solver = Solver::new(Ruleset::Abapa, Cycles::Split, 4, 1);
/// let mut solved: Vec<Measured<Arc<TurnedLayer>>> = Vec::new();
/// for layer in Layer::all().take(5) {
///     let smaller = |seeds: u8, bound: Bound| {
///         Ok::<_, String>(solved[usize::from(seeds)].get(bound).clone())
///     };
///     let values = solver.solve(layer, smaller, |_| {})?;
///     let turn = |values: Vec<i8>| Arc::new(TurnedLayer::new(layer, &values));
///     solved.push(values.map(turn));
/// }
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    cycles: Cycles,
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
    /// It decides a threshold of so many, from the number of seeds of the layer down to 1:
    /// which positions are worth so many seeds to either side; or, where positions have
    /// bounds, who gets one of so many results that are not decided yet.
    Threshold(u8),
}

impl Solver {
    /// A solver for the layers from 0 to `max_seeds`.
    ///
    /// # Panics
    ///
    /// If `max_seeds` is above [`MAX_SEEDS`], or `threads` is 0 or above 256.
    pub fn new(ruleset: Ruleset, cycles: Cycles, max_seeds: u8, threads: usize) -> Solver {
        assert!(max_seeds <= MAX_SEEDS, "{max_seeds} seeds");
        let rows = Arc::new(RowMoves::new(ruleset, max_seeds));
        let graph = |workers| HalfGraph::new(rows.clone(), Share::among(workers));
        Solver {
            cycles,
            single: graph(1),
            shared: (threads != 1).then(|| graph(threads)),
            rows,
        }
    }

    /// The rules.
    pub fn ruleset(&self) -> Ruleset {
        self.rows.ruleset()
    }

    /// The convention for endless play.
    pub fn cycles(&self) -> Cycles {
        self.cycles
    }

    /// The moves of rows, which others may need, too.
    pub(crate) fn rows(&self) -> &RowMoves {
        &self.rows
    }

    /// Solves a layer: the values of its positions in index order, or their bounds.
    ///
    /// The workers are threads of their own; the rest is done by the threads of the pool
    /// (see the crate `rayon`) in which this is called.
    ///
    /// `smaller` is asked for the layers that captures lead to, in falling order, and for either
    /// bound where positions have bounds; a layer can be dropped as soon as the next one is
    /// asked for. `progress` is told where the work is.
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
    /// use granero::solver::Solver;
    /// use granero::{Cycles, Measured, Ruleset};
    ///
    /// // The empty board needs nothing.
    /// let solver = Solver::new(Ruleset::Abapa, Cycles::OwnSide, 0, 1);
    /// let bounds = solver.solve(Layer::new(0).unwrap(), |_, _| Err(()), |_| {});
    /// assert_eq!(bounds, Ok(Measured::Bounds { low: vec![0], high: vec![0] }));
    /// ```
    pub fn solve<E>(
        &self,
        layer: Layer,
        smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
        progress: impl Fn(Progress) + Sync,
    ) -> Result<Measured<Vec<i8>>, E> {
        solve(self.cycles, &self.ground(layer), smaller, &progress)
    }

    fn ground(&self, layer: Layer) -> Ground<'_> {
        match &self.shared {
            Some(shared) if layer.len() >= WORTH_SHARING => Ground::new(shared, layer),
            _ => Ground::new(&self.single, layer),
        }
    }
}

/// Solves all layers from 0 up to `max_seeds` seeds, and keeps them in memory.
///
/// ```
/// use granero::{Cycles, Measured, Ruleset, solver};
///
/// let layers = solver::solve_all(Ruleset::Abapa, Cycles::Split, 4, 1);
/// let Measured::Value(values) = &layers[4] else { panic!() };
/// let wins = values.iter().filter(|&&value| value > 0).count();
/// assert_eq!(wins, 577);
/// ```
///
/// # Panics
///
/// As [`Solver::new`].
pub fn solve_all(
    ruleset: Ruleset,
    cycles: Cycles,
    max_seeds: u8,
    threads: usize,
) -> Vec<Measured<Vec<i8>>> {
    in_pool(threads, || {
        let solver = Solver::new(ruleset, cycles, max_seeds, threads);
        let mut turned: Vec<Measured<Arc<TurnedLayer>>> = Vec::new();
        let layers = Layer::all().take(usize::from(max_seeds) + 1);
        let solve = |layer| {
            let smaller = |seeds: u8, bound| {
                Ok::<_, Infallible>(turned[usize::from(seeds)].get(bound).clone())
            };
            let Ok(values) = solver.solve(layer, smaller, |_| {});
            let turn = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
            turned.push(values.as_ref().map(turn));
            values
        };
        layers.map(solve).collect()
    })
}

/// Does something in a pool of so many threads. Without threads of its own, the work is done
/// by those that there are.
fn in_pool<T: Send>(threads: usize, work: impl Fn() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// A layer that is being solved: whose half-boards are whose, where all lies, and how the
/// workers reach each other.
struct Ground<'a> {
    graph: &'a HalfGraph,
    layer: Layer,
    planes: Vec<Plane>,
    exchange: Exchange<Reports, Orders>,
}

impl<'a> Ground<'a> {
    fn new(graph: &'a HalfGraph, layer: Layer) -> Ground<'a> {
        let share = graph.share;
        let plane = |worker| Plane::new(layer.seeds(), share, worker);
        Ground {
            graph,
            layer,
            planes: (0..share.workers()).map(plane).collect(),
            exchange: Exchange::among(share.workers(), UNDER_WAY, new_reports, Orders::new),
        }
    }

    /// What the workers do in their first pass.
    fn passes(&self) -> Vec<Captures<'_>> {
        let planes = self.planes.iter().enumerate();
        let pass = |(worker, plane)| Captures {
            graph: self.graph,
            plane,
            seeds: self.layer.seeds(),
            worker,
        };
        planes.map(pass).collect()
    }

    /// Has the workers work, each in a thread of its own, for they wait for each other.
    fn work<I: Send, O: Send>(
        &self,
        last_resorts: &[LastResort],
        inputs: Vec<I>,
        work: impl Fn(usize, Task<'_>, I) -> O + Sync,
    ) -> Vec<O> {
        let task = Task {
            graph: self.graph,
            seeds: self.layer.seeds(),
            planes: &self.planes,
            exchange: &self.exchange,
            last_resorts,
        };
        let work = &work;
        std::thread::scope(|scope| {
            let inputs = inputs.into_iter().enumerate();
            let threads: Vec<_> = inputs
                .map(|(id, input)| {
                    scope.spawn(move || {
                        let _guard = task.exchange.guard(id);
                        work(id, task, input)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a worker does not panic"))
                .collect()
        })
    }

    /// Puts the workers' rows together in index order, as values.
    fn assemble(&self, decode: &[i8; 256], bytes: &[Vec<u8>]) -> Vec<i8> {
        let Ground { layer, .. } = *self;
        let share = self.graph.share;
        let mut values = vec![0; layer.len() as usize];
        for own_seeds in 0..=layer.seeds() {
            let start = layer.matrix_start(own_seeds) as usize;
            let end = layer.matrix_start(own_seeds + 1) as usize;
            let row_len = half::count(layer.seeds() - own_seeds) as usize;
            let rows = values[start..end].par_chunks_exact_mut(row_len);
            rows.enumerate().for_each(|(rank, row)| {
                let (owner, local) = share.place(rank as u32);
                let from = self.planes[owner].row_start(own_seeds, local);
                for (value, &byte) in row.iter_mut().zip(&bytes[owner][from..]) {
                    *value = decode[usize::from(byte)];
                }
            });
        }
        values
    }
}

fn solve<E>(
    cycles: Cycles,
    ground: &Ground<'_>,
    mut smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<Measured<Vec<i8>>, E> {
    match cycles {
        Cycles::Split => {
            let smaller = |seeds| smaller(seeds, Bound::Low);
            solve_values(ground, smaller, progress).map(Measured::Value)
        }
        Cycles::OwnSide => solve_bounds(ground, smaller, progress),
    }
}

fn solve_values<E>(
    ground: &Ground<'_>,
    mut smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<Vec<i8>, E> {
    let seeds = ground.layer.seeds();
    let codes = Codes::new(seeds);

    // One smaller layer at a time, so that no more than one need be in memory.
    let passes = ground.passes();
    let mut values: Vec<Vec<u8>> = passes.par_iter().map(Captures::start).collect();
    for captured in 2..=MAX_CAPTURED.min(seeds) {
        progress(Progress::Captures(captured));
        let smaller = smaller(seeds - captured)?;
        let workers = passes.par_iter().zip(&mut values);
        workers.for_each(|(pass, values)| pass.add(values, captured, &smaller));
    }
    let workers = passes.par_iter().zip(&mut values);
    let mut last_resorts: Vec<_> = workers
        .flat_map_iter(|(pass, values)| {
            pass.finish(values, |_, best, quiet| codes.open(best, quiet))
        })
        .collect();
    last_resorts.sort_unstable();

    let bytes = ground.work(&last_resorts, values, |id, task, values| {
        split::run(Worker::new(id, task, vec![values]), codes, |threshold| {
            if id == 0 {
                progress(Progress::Threshold(threshold));
            }
        })
    });
    Ok(ground.assemble(&codes.values(), &bytes))
}

fn solve_bounds<E>(
    ground: &Ground<'_>,
    mut smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<Measured<Vec<i8>>, E> {
    let seeds = ground.layer.seeds();
    // By worker, then by plane: what captures give to whoever is to move. The favoured side
    // gets its high bound, and the other one its low bound.
    let passes = ground.passes();
    let start = |pass: &Captures<'_>| [pass.start(), pass.start()];
    let mut captures: Vec<[Vec<u8>; 2]> = passes.par_iter().map(start).collect();
    for captured in 2..=MAX_CAPTURED.min(seeds) {
        progress(Progress::Captures(captured));
        for (plane, bound) in [(bounds::FAVOURED, Bound::High), (bounds::OTHER, Bound::Low)] {
            let smaller = smaller(seeds - captured, bound.of_child())?;
            let workers = passes.par_iter().zip(&mut captures);
            workers.for_each(|(pass, captures)| {
                pass.add(&mut captures[plane], captured, &smaller);
            });
        }
    }
    let workers = passes.par_iter().zip(captures);
    let (starts, last_resorts): (Vec<_>, Vec<_>) = workers
        .map(|(pass, captures)| bounds::Start::new(pass, captures))
        .unzip();
    let mut last_resorts: Vec<_> = last_resorts.into_iter().flatten().collect();
    last_resorts.sort_unstable();

    let tally = bounds::Tally::default();
    let results = ground.work(&last_resorts, starts, |id, task, start| {
        start.run(id, task, &tally, |left| {
            if id == 0 {
                progress(Progress::Threshold(left));
            }
        })
    });
    let (high, low): (Vec<_>, Vec<_>) = results.into_iter().map(|[high, low]| (high, low)).unzip();
    let high = ground.assemble(&bounds::highs(seeds), &high);
    let low = ground.assemble(&bounds::lows(seeds), &low);
    Ok(Measured::Bounds { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However long a worker is held up, there is no more under way than there is room for,
    /// nobody waits for ever, and the results are the same.
    #[test]
    fn any_worker_may_be_held_up() {
        const SEEDS: u8 = 7;
        for ruleset in [Ruleset::Abapa, Ruleset::Awari, Ruleset::Italian] {
            let rows = Arc::new(RowMoves::new(ruleset, SEEDS));
            for (workers, slowest) in [(2, 0), (2, 1), (4, 3), (8, 0)] {
                let graph = HalfGraph::new(rows.clone(), Share::among(workers));
                for cycles in Cycles::ALL {
                    let layers = solve_all(ruleset, cycles, SEEDS, 1);
                    let smaller = |seeds: u8, bound| {
                        let values = layers[usize::from(seeds)].get(bound);
                        let layer = Layer::new(seeds).unwrap();
                        Ok::<_, Infallible>(Arc::new(TurnedLayer::new(layer, values)))
                    };
                    let mut ground = Ground::new(&graph, Layer::new(SEEDS).unwrap());
                    let exchange = Exchange::among(workers, 1, new_reports, Orders::new);
                    let rank = |worker| usize::from(worker == slowest);
                    ground.exchange = exchange.with_ranks((0..workers).map(rank).collect());
                    let Ok(values) = solve(cycles, &ground, smaller, &|_| {});
                    assert!(values == layers[usize::from(SEEDS)]);
                    // The inboxes of the worker that is held up were full, and none was fuller.
                    let mut most = ground.exchange.most_under_way().into_iter();
                    assert!(most.all(|most| (1..=workers).contains(&most)));
                }
            }
        }
    }
}
