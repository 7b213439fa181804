//! The solver: the exact value of every position of a layer, given the layers below.
//!
//! There are two conventions for endless play: with `split`, every position has one value; with `own-side`, it has two
//! bounds. The module `sweep` solves a layer.

use std::convert::Infallible;
use std::sync::Arc;

use crate::checkpoint::{CheckpointStore, NoCheckpoints};
pub use crate::progress::Progress;
use crate::sweep::{Moved, Peers, SweptLayer, Tables, Within};
use granero_game::{Bound, Kind, Measured};
use granero_table::TableError;
use granero_table::first_error::{FirstError, Stopped};
use granero_table::index::Layer;
use granero_table::rows::RowMoves;
pub use granero_table::rows::TurnedLayer;

/// Solves layers by the rules of one ruleset.
///
/// ```
/// use std::sync::Arc;
///
/// use granero::index::Layer;
/// use granero::solver::{Solver, TurnedLayer};
/// use granero::{Bound, Cycles, Measured, Ruleset};
///
/// let solver = Solver::new((Ruleset::Abapa, Cycles::Split), 4);
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
pub struct Solver(Tables);

impl Solver {
    /// A solver for the layers from 0 to `max_seeds`.
    ///
    /// # Panics
    ///
    /// If `max_seeds` is above the seeds of the game, or of the one that values decide.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::solver::Solver;
    /// use granero::{Cycles, Extent, Ruleset};
    ///
    /// // In a game of two seeds, two on the board are all.
    /// let extent = Extent::deciding(2).unwrap();
    /// let solver = Solver::new((Ruleset::Abapa, Cycles::Split, extent), 2);
    /// let empty = solver.solve(Layer::new(0).unwrap(), |_, _| Err(()), |_| {});
    /// assert_eq!(empty.unwrap().low(), [0]);
    /// ```
    pub fn new(kind: impl Into<Kind>, max_seeds: u8) -> Solver {
        let kind = kind.into();
        assert!(max_seeds <= kind.extent.max_seeds(), "{max_seeds} seeds");
        Solver(Tables::new(RowMoves::new(kind, max_seeds)))
    }

    /// Solves a layer: the values of its positions in index order, or their bounds.
    ///
    /// All threads of the pool in which this is called (see the crate `rayon`) take part.
    ///
    /// `smaller` returns the layers that captures lead to, with values of the same extent; it is called
    /// in falling order for values; for bounds in this order for the low ones, the high ones, and once more. `progress` is told about the state of the work.
    ///
    /// # Errors
    ///
    /// The errors of `smaller`.
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
    /// let solver = Solver::new((Ruleset::Abapa, Cycles::OwnSide), 0);
    /// let bounds = solver.solve(Layer::new(0).unwrap(), |_, _| Err(()), |_| {});
    /// assert_eq!(bounds, Ok(Measured::Bounds { low: vec![0], high: vec![0] }));
    /// ```
    pub fn solve<E>(
        &self,
        layer: Layer,
        mut smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
        progress: impl Fn(Progress),
    ) -> Result<Measured<Vec<i8>>, E> {
        self.check(layer);
        let first = FirstError::none();
        let solved = self.0.solve(
            layer,
            &mut |seeds, bound, _| smaller(seeds, bound).map_err(|error| first.keep(error)),
            None,
            &mut NoCheckpoints,
            &|found| {
                progress(found);
                Ok(())
            },
        );
        Ok(first.of(solved)?.in_order())
    }

    /// Like [`solve`](Solver::solve), with less memory, and with checkpoints.
    ///
    /// * `smaller` may return only a part of a layer, which begins at the given place. It is then asked
    ///   for the next part.
    /// * With `within`, the layer is larger than memory: it lies in temporary files, and the work on them is returned.
    /// * It goes on from a checkpoint if there is one.
    /// * The first error of `progress` ends the work.
    pub(crate) fn solve_in_parts<E: From<TableError> + Send>(
        &self,
        layer: Layer,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
        within: Option<Within>,
        checkpoints: &mut dyn CheckpointStore,
        progress: impl Fn(Progress) -> Result<(), E>,
    ) -> Result<(SweptLayer, Option<Moved>), E> {
        self.check(layer);
        let first = FirstError::none();
        let smaller = &mut |seeds, bound, from| {
            smaller(seeds, bound, from).map_err(|error| first.keep(error))
        };
        let progress = &|found| progress(found).map_err(|error| first.keep(error));
        let solved = match within {
            None => {
                let solved = self.0.solve(layer, smaller, None, checkpoints, progress);
                solved.map(|values| (values, None))
            }
            Some(within) => {
                let fail = &|error: TableError| first.keep(error.into());
                let solved = self
                    .0
                    .solve_in_shares(within, fail, smaller, checkpoints, progress);
                solved.map(|(values, moved)| (values, Some(moved)))
            }
        };
        first.of(solved)
    }

    fn check(&self, layer: Layer) {
        assert!(layer.seeds() <= self.0.rows.max_seeds(), "{layer:?}");
    }
}

#[doc(hidden)]
impl Solver {
    /// The moves of rows.
    pub fn rows(&self) -> &RowMoves {
        &self.0.rows
    }

    /// Like [`solve_in_parts`](Solver::solve_in_parts), together with other processes. All of them return the values, of
    /// which this one maps as much as it may take memory.
    pub fn solve_together(
        &self,
        layer: Layer,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, Stopped>,
        peers: &mut dyn Peers,
        resident: u64,
        checkpoints: &mut dyn CheckpointStore,
        progress: impl Fn(Progress),
    ) -> Result<SweptLayer, Stopped> {
        self.0.solve(
            layer,
            &mut smaller,
            Some((peers, resident)),
            checkpoints,
            &|found| {
                progress(found);
                Ok(())
            },
        )
    }
}

/// Solves all layers from 0 up to `max_seeds` seeds, and keeps them in memory.
///
/// ```
/// use granero::{Cycles, Measured, Ruleset, solver};
///
/// let layers = solver::solve_all((Ruleset::Abapa, Cycles::Split), 4, 1);
/// let Measured::Value(values) = &layers[4] else { panic!() };
/// let wins = values.iter().filter(|&&value| value > 0).count();
/// assert_eq!(wins, 577);
/// ```
///
/// # Panics
///
/// As [`Solver::new`].
pub fn solve_all(kind: impl Into<Kind>, max_seeds: u8, threads: usize) -> Vec<Measured<Vec<i8>>> {
    let solver = Solver::new(kind, max_seeds);
    in_pool(threads, || {
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

/// Calls `work` in a pool of `threads` threads, or in the current pool if the system gives no more
/// threads.
pub(crate) fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
