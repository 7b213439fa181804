//! The solver: the exact worth of every position of a layer, given the layers below.
//!
//! There are two conventions for endless play (see [`Cycles`]): with `split`, every position
//! has one value; with `own-side`, it has two bounds. Several workers solve a layer together.
//! Each owns some half-boards, and with them positions and news.
//!
//! A module imports only from lines below its own:
//!
//! ```text
//! split  bounds          what is news, in which order, and what it means: one convention each
//! team                   the workers of a layer: ownership, memory layout, threads
//! worker                 one worker
//! serving  scanner       news is taken to predecessors · settled positions are found
//! dispatcher             orders on their way: positions that have a settled child
//! updating               orders are carried out, and settle positions
//! reporter               reports on their way: settled positions become news
//! task                   what all workers are given
//! captures  parcels      the first pass, with captures · what workers send each other
//! last_resort codes      moves that the graph lacks · what is known of a position, in one byte
//! news                   settled positions that predecessors do not know of
//! graph  layout          moves between half-boards · where a worker keeps what it owns
//! ownership  exchange    which worker owns what · parcels, a bounded number of them
//! prefetch  search       memory that is needed soon · the bytes of a row that matter
//! ```
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
mod team;
mod updating;
mod worker;

use std::convert::Infallible;
use std::sync::Arc;

use rayon::prelude::*;

use self::captures::Captures;
use self::codes::Codes;
use self::graph::HalfGraph;
use self::ownership::Ownership;
use self::team::Team;
use self::worker::Worker;
use crate::cycles::Cycles;
use crate::index::Layer;
use crate::measured::{Bound, Measured};
pub use crate::rows::TurnedLayer;
use crate::rows::{MAX_CAPTURED, RowMoves};
use crate::rules::Ruleset;

/// The most seeds that a layer can have to be solved: what is known of a position must
/// fit into a byte.
pub const MAX_SEEDS: u8 = codes::MAX_SEEDS;

/// The most memory in bytes that `threads` workers take for what they tell each other, whatever
/// the order of their work, and for what they have at hand.
pub(crate) fn parcel_memory(threads: usize) -> u64 {
    Team::memory(threads)
}

/// One worker solves layers with fewer positions: that takes no time, and workers that wait
/// for each other would take some.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It looks up captures of this number of seeds, from 2 on.
    Captures(u8),
    /// It decides a threshold. With one value for each position: which positions are worth this
    /// number of seeds to either side. With bounds: this is the number of thresholds that are not
    /// decided yet. Either way the number falls from the seeds of the layer to 1.
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
        let graph = |workers| HalfGraph::new(rows.clone(), Ownership::among(workers));
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
        solve(self.cycles, &self.team(layer), smaller, &progress)
    }

    fn team(&self, layer: Layer) -> Team<'_> {
        match &self.shared {
            Some(shared) if layer.len() >= WORTH_SHARING => Team::new(layer, shared),
            _ => Team::new(layer, &self.single),
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

/// Does something in a pool of `threads` threads, or in the current pool if the system gives no
/// more threads.
fn in_pool<T: Send>(threads: usize, work: impl Fn() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

fn solve<E>(
    cycles: Cycles,
    team: &Team<'_>,
    mut smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<Measured<Vec<i8>>, E> {
    match cycles {
        Cycles::Split => {
            let smaller = |seeds| smaller(seeds, Bound::Low);
            solve_values(team, smaller, progress).map(Measured::Value)
        }
        Cycles::OwnSide => solve_bounds(team, smaller, progress),
    }
}

fn solve_values<E>(
    team: &Team<'_>,
    mut smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<Vec<i8>, E> {
    let seeds = team.seeds();
    let codes = Codes::new(seeds);

    // One smaller layer at a time, so that no more than one need be in memory.
    let passes = team.passes();
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

    let bytes = team.work(&last_resorts, values, |id, task, values| {
        split::run(Worker::new(id, task, vec![values]), codes, |threshold| {
            if id == 0 {
                progress(Progress::Threshold(threshold));
            }
        })
    });
    Ok(team.assemble(&codes.values(), &bytes))
}

fn solve_bounds<E>(
    team: &Team<'_>,
    mut smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
    progress: &(impl Fn(Progress) + Sync),
) -> Result<Measured<Vec<i8>>, E> {
    let seeds = team.seeds();
    // By worker, then by plane: what captures give to the side to move. For the favoured side
    // that is its high bound, for the other side its low bound.
    let passes = team.passes();
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
    let results = team.work(&last_resorts, starts, |id, task, start| {
        start.run(id, task, &tally, |left| {
            if id == 0 {
                progress(Progress::Threshold(left));
            }
        })
    });
    let (high, low): (Vec<_>, Vec<_>) = results.into_iter().map(|[high, low]| (high, low)).unzip();
    let high = team.assemble(&bounds::highs(seeds), &high);
    let low = team.assemble(&bounds::lows(seeds), &low);
    Ok(Measured::Bounds { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However long a worker is held up, no more is under way than there is room for, no worker
    /// waits for ever, and the results are the same.
    #[test]
    fn any_worker_may_be_held_up() {
        const SEEDS: u8 = 7;
        for ruleset in [Ruleset::Abapa, Ruleset::Awari, Ruleset::Italian] {
            let rows = Arc::new(RowMoves::new(ruleset, SEEDS));
            for cycles in Cycles::ALL {
                let layers = solve_all(ruleset, cycles, SEEDS, 1);
                let smaller = |seeds: u8, bound| {
                    let values = layers[usize::from(seeds)].get(bound);
                    let layer = Layer::new(seeds).unwrap();
                    Ok::<_, Infallible>(Arc::new(TurnedLayer::new(layer, values)))
                };
                for (workers, slowest) in [(2, 0), (2, 1), (4, 3), (8, 0)] {
                    let graph = HalfGraph::new(rows.clone(), Ownership::among(workers));
                    let team = Team::held_up(Layer::new(SEEDS).unwrap(), &graph, slowest);
                    let Ok(values) = solve(cycles, &team, smaller, &|_| {});
                    assert!(values == layers[usize::from(SEEDS)]);
                    // The inboxes of the worker that is held up were full, and none was fuller.
                    let mut most = team.most_under_way().into_iter();
                    assert!(most.all(|most| (1..=workers).contains(&most)));
                }
            }
        }
    }
}
