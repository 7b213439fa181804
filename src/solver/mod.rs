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
mod dispatcher;
mod exchange;
mod graph;
mod last_resort;
mod layout;
mod news;
mod ownership;
mod parcels;
mod prefetch;
mod reporter;
mod scanner;
mod search;
mod serving;
mod split;
mod task;
mod updating;
mod worker;

use std::convert::Infallible;
use std::sync::Arc;

use rayon::prelude::*;

use self::captures::Captures;
use self::codes::Codes;
use self::exchange::Exchange;
use self::graph::HalfGraph;
use self::last_resort::LastResortMove;
use self::layout::Layout;
use self::ownership::Ownership;
use self::parcels::{Orders, Reports};
use self::task::Task;
use self::worker::{UNDER_WAY, Worker};
use crate::cycles::Measure;
use crate::index::Layer;
use crate::layer_values::LayerValues;
pub use crate::rows::TurnedLayer;
use crate::rows::{Block, MAX_CAPTURED, RowMoves};
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
    worker::memory(threads)
}

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
    /// It decides a threshold of so many, from the number of seeds of the layer down to 1:
    /// which positions are worth so many seeds to either side; or, where positions have
    /// bounds, who gets one of so many results that are not decided yet.
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
        let graph = |workers| HalfGraph::new(rows.clone(), Ownership::among(workers));
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
        solve(&self.ground(layer), smaller, &progress)
    }

    /// Solves a layer where endless play gives each player the seeds on the own side: the
    /// bounds of its positions.
    ///
    /// As [`solve`](Solver::solve); `smaller` is asked for either bound of the layers that
    /// captures lead to.
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
    /// use granero::{LayerValues, Ruleset, solver::Solver};
    ///
    /// let solver = Solver::new(Ruleset::Abapa, 0, 1);
    /// let bounds = solver.solve_bounds(Layer::new(0).unwrap(), |_, _| Err(()), |_| {});
    /// assert_eq!(bounds, Ok(LayerValues::Bounds { low: vec![0], high: vec![0] }));
    /// ```
    pub fn solve_bounds<E>(
        &self,
        layer: Layer,
        smaller: impl FnMut(u8, Measure) -> Result<Arc<TurnedLayer>, E>,
        progress: impl Fn(Progress) + Sync,
    ) -> Result<LayerValues, E> {
        solve_bounds(&self.ground(layer), smaller, &progress)
    }

    fn ground(&self, layer: Layer) -> Ground<'_> {
        match &self.shared {
            Some(shared) if layer.len() >= WORTH_SHARING => Ground::new(shared, layer),
            _ => Ground::new(&self.single, layer),
        }
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
    in_pool(threads, || {
        let solver = Solver::new(ruleset, max_seeds, threads);
        let mut turned: Vec<Arc<TurnedLayer>> = Vec::new();
        let layers = Layer::all().take(usize::from(max_seeds) + 1);
        let solve = |layer| {
            let smaller = |seeds: u8| Ok::<_, Infallible>(turned[usize::from(seeds)].clone());
            let Ok(values) = solver.solve(layer, smaller, |_| {});
            turned.push(Arc::new(TurnedLayer::new(layer, &values)));
            values
        };
        layers.map(solve).collect()
    })
}

/// The same where endless play gives each player the seeds on the own side: the bounds of
/// all positions.
///
/// ```
/// use granero::{LayerValues, Ruleset, solver};
///
/// let layers = solver::solve_all_bounds(Ruleset::Abapa, 4, 1);
/// let LayerValues::Bounds { low, high } = &layers[4] else { panic!() };
/// let exact = low.iter().zip(high).filter(|(low, high)| low == high).count();
/// assert_eq!(exact, 994);
/// ```
///
/// # Panics
///
/// As [`Solver::new`].
pub fn solve_all_bounds(ruleset: Ruleset, max_seeds: u8, threads: usize) -> Vec<LayerValues> {
    in_pool(threads, || {
        let solver = Solver::new(ruleset, max_seeds, threads);
        let mut turned: Vec<Vec<Arc<TurnedLayer>>> = Vec::new();
        let layers = Layer::all().take(usize::from(max_seeds) + 1);
        let solve = |layer| {
            let smaller = |seeds: u8, measure| {
                let of_measure = usize::from(measure == Measure::High);
                Ok::<_, Infallible>(turned[usize::from(seeds)][of_measure].clone())
            };
            let Ok(bounds) = solver.solve_bounds(layer, smaller, |_| {});
            let turn = |(_, values)| Arc::new(TurnedLayer::new(layer, values));
            turned.push(bounds.measures().map(turn).collect());
            bounds
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
    layouts: Vec<Layout>,
    exchange: Exchange<Reports, Orders>,
}

impl<'a> Ground<'a> {
    fn new(graph: &'a HalfGraph, layer: Layer) -> Ground<'a> {
        let ownership = graph.ownership;
        let layout = |worker| Layout::new(layer, ownership, worker);
        Ground {
            graph,
            layer,
            layouts: (0..ownership.workers()).map(layout).collect(),
            exchange: Exchange::among(ownership.workers(), UNDER_WAY, Reports::new, Orders::new),
        }
    }

    /// What the workers do in their first pass.
    fn passes(&self) -> Vec<Captures<'_>> {
        let pass = |layout| Captures {
            graph: self.graph,
            layout,
            seeds: self.layer.seeds(),
        };
        self.layouts.iter().map(pass).collect()
    }

    /// Has the workers work, each in a thread of its own, for they wait for each other.
    fn work<I: Send, O: Send>(
        &self,
        last_resorts: &[LastResortMove],
        inputs: Vec<I>,
        work: impl Fn(usize, Task<'_>, I) -> O + Sync,
    ) -> Vec<O> {
        let task = Task {
            graph: self.graph,
            seeds: self.layer.seeds(),
            layouts: &self.layouts,
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
        let ownership = self.graph.ownership;
        let mut values = vec![0; self.layer.len() as usize];
        for block in Block::all(self.layer) {
            block.par_rows(&mut values).for_each(|(row, values)| {
                let (owner, local) = ownership.place(row.rank());
                let from = self.layouts[owner].row_start(row.own_seeds(), local);
                for (value, &byte) in values.iter_mut().zip(&bytes[owner][from..]) {
                    *value = decode[usize::from(byte)];
                }
            });
        }
        values
    }
}

fn solve<E>(
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
    mut smaller: impl FnMut(u8, Measure) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<LayerValues, E> {
    let seeds = ground.layer.seeds();
    // By worker, then by plane: what captures give to whoever is to move. The favoured side
    // gets its high bound, and the other one its low bound.
    let passes = ground.passes();
    let start = |pass: &Captures<'_>| [pass.start(), pass.start()];
    let mut captures: Vec<[Vec<u8>; 2]> = passes.par_iter().map(start).collect();
    for captured in 2..=MAX_CAPTURED.min(seeds) {
        progress(Progress::Captures(captured));
        for (plane, measure) in [
            (bounds::FAVOURED, Measure::High),
            (bounds::OTHER, Measure::Low),
        ] {
            let smaller = smaller(seeds - captured, measure.of_child())?;
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
    Ok(LayerValues::Bounds { low, high })
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
            let layers = solve_all(ruleset, SEEDS, 1);
            let bounds = solve_all_bounds(ruleset, SEEDS, 1);
            let turn = |seeds: u8, values: &[i8]| {
                let layer = Layer::new(seeds).unwrap();
                Ok::<_, Infallible>(Arc::new(TurnedLayer::new(layer, values)))
            };
            let smaller = |seeds: u8| turn(seeds, &layers[usize::from(seeds)]);
            let smaller_bounds = |seeds: u8, measure| {
                let mut measures = bounds[usize::from(seeds)].measures();
                turn(seeds, measures.find(|found| found.0 == measure).unwrap().1)
            };
            let rows = Arc::new(RowMoves::new(ruleset, SEEDS));
            for (workers, slowest) in [(2, 0), (2, 1), (4, 3), (8, 0)] {
                let graph = HalfGraph::new(rows.clone(), Ownership::among(workers));
                let ground = || {
                    let mut ground = Ground::new(&graph, Layer::new(SEEDS).unwrap());
                    let exchange = Exchange::among(workers, 1, Reports::new, Orders::new);
                    let rank = |worker| usize::from(worker == slowest);
                    ground.exchange = exchange.with_ranks((0..workers).map(rank).collect());
                    ground
                };
                // The inboxes of the worker that is held up were full, and none was fuller.
                let check = |ground: &Ground<'_>| {
                    let mut most = ground.exchange.most_under_way().into_iter();
                    assert!(most.all(|most| (1..=workers).contains(&most)));
                };
                let split = ground();
                let Ok(values) = solve(&split, smaller, &|_| {});
                assert!(values == layers[usize::from(SEEDS)]);
                check(&split);
                let own_side = ground();
                let Ok(values) = solve_bounds(&own_side, smaller_bounds, &|_| {});
                assert!(values == bounds[usize::from(SEEDS)]);
                check(&own_side);
            }
        }
    }
}
