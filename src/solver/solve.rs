//! The solver: the exact worth of every position of a layer, given the layers below.
//!
//! There are two conventions for endless play (see [`Cycles`]): with `split`, every position
//! has one value; with `own-side`, it has two bounds. All threads solve a layer together, and
//! share what is known of its positions.
//!
//! The result does not depend on the number of threads or the order of their work: what
//! is settled at a threshold is a least fixed point, which is unique.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use crate::checkpoint::state::{Checkpoints, NoCheckpoints};
use crate::cluster::{Cluster, ClusterError};
use crate::graph::half_graph::HalfGraph;
use crate::graph::layout::Layout;
use crate::graph::numbering::Numbering;
use crate::known::arena;
pub use crate::passes::progress::Progress;
pub(crate) use crate::passes::solved::SolvedLayer;
use crate::passes::task::Task;
use crate::passes::work;
use crate::ranks::post::{Nobody, Office};
use crate::ranks::share::Share;
use granero_game::rules::Ruleset;
use granero_game::{Bound, Cycles, Extent, Kind, Measured};
use granero_table::first_error::{FirstError, Stopped};
use granero_table::index::Layer;
use granero_table::rows::RowMoves;
pub use granero_table::rows::TurnedLayer;

/// With fewer positions for each thread, threads cost more than they gain.
pub(crate) const WORTH_A_THREAD: u64 = work::WORTH_A_THREAD;

/// The memory in bytes that `threads` threads take for what they have at hand, each and together.
pub(crate) fn memory_at_hand(threads: usize) -> u64 {
    (threads * work::MEMORY + work::SHARED_MEMORY) as u64
}

/// The memory in bytes that a rank takes for parcels to and from others.
pub(crate) fn memory_of_post(ranks: usize) -> u64 {
    Office::memory(ranks)
}

/// The memory in bytes for the news of a layer while it is solved.
pub(crate) fn news_bytes(layer: Layer) -> u64 {
    (2 * 8 * Layout::new(layer).news_words()) as u64
}

/// The memory in bytes for what is known of a layer while it is solved, beside a byte for each position
/// and measure.
pub(crate) fn status_bytes(cycles: Cycles, layer: Layer) -> u64 {
    let layout = Layout::new(layer);
    match cycles {
        Cycles::Split => 0,
        Cycles::OwnSide if arena::Codes::have_room(layer.seeds()) => layout.plane_len() as u64,
        Cycles::OwnSide => (layout.plane_len() + arena::beyond_len(&layout)) as u64,
    }
}

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
pub struct Solver {
    cycles: Cycles,
    graph: HalfGraph,
    /// Up to which values bytes may count moves beside them: more than there are, but in tests.
    most_counted: u8,
}

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
        let graph = HalfGraph::new(RowMoves::new(kind, max_seeds));
        Solver {
            cycles: kind.cycles,
            graph,
            most_counted: u8::MAX,
        }
    }

    /// The solver of one of several ranks that solve layers together. `bands` divides the half-boards
    /// of the mover with some number of seeds; each band has one owner.
    pub(crate) fn of_rank<B: Iterator<Item = Range<u32>>>(
        kind: Kind,
        max_seeds: u8,
        cluster: &Cluster,
        bands: impl Fn(u8) -> B,
    ) -> Solver {
        assert!(max_seeds <= kind.extent.max_seeds(), "{max_seeds} seeds");
        let rows = RowMoves::new(kind, max_seeds);
        let numbering = Numbering::new(max_seeds);
        let share = Share::new(&numbering, cluster.rank(), cluster.ranks(), bands);
        Solver {
            cycles: kind.cycles,
            graph: HalfGraph::of_share(rows, numbering, Some(share)),
            most_counted: u8::MAX,
        }
    }

    /// The rank that owns the rows of a half-board of the mover, given its seeds and rank.
    pub(crate) fn owner(&self, own_seeds: u8, rank: u32) -> usize {
        let number = self.graph.numbering.number(own_seeds, rank);
        self.graph.owner(own_seeds, number)
    }

    /// The rules.
    pub fn ruleset(&self) -> Ruleset {
        self.graph.rows.ruleset()
    }

    /// The convention for endless play.
    pub fn cycles(&self) -> Cycles {
        self.cycles
    }

    /// How far values go.
    pub fn extent(&self) -> Extent {
        self.graph.rows.limits().extent()
    }

    /// The moves of rows, which others may need, too.
    pub(crate) fn rows(&self) -> &RowMoves {
        &self.graph.rows
    }

    /// Solves a layer: the values of its positions in index order, or their bounds.
    ///
    /// All threads of the pool in which this is called (see the crate `rayon`) take part.
    ///
    /// `smaller` is asked for the layers that captures lead to, in falling order, with values of the
    /// same extent, and for either bound where positions have bounds; a layer can be dropped as soon
    /// as the next one is asked for. `progress` is told where the work is.
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
        let smaller = |seeds, bound, _| smaller(seeds, bound);
        let progress = |found| {
            progress(found);
            Ok(())
        };
        let solved = self.solve_in_parts(layer, smaller, &mut NoCheckpoints, progress)?;
        Ok(solved.in_order())
    }

    /// The same with less memory: `smaller` may return a part of a layer that begins at some
    /// place, and is then asked for the next part; what the positions are worth stays where
    /// it was found; the solver goes on from a checkpoint; and an error of `progress` ends the work.
    pub(crate) fn solve_in_parts<E>(
        &self,
        layer: Layer,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
        checkpoints: &mut dyn Checkpoints,
        progress: impl Fn(Progress) -> Result<(), E>,
    ) -> Result<SolvedLayer<'_>, E> {
        let first = FirstError::none();
        let solved = self.solve_alone(
            layer,
            &mut |seeds, bound, from| {
                smaller(seeds, bound, from).map_err(|error| first.keep(error))
            },
            checkpoints,
            &|found| progress(found).map_err(|error| first.keep(error)),
        );
        first.of(solved)
    }

    fn solve_alone(
        &self,
        layer: Layer,
        smaller: &mut dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, Stopped>,
        checkpoints: &mut dyn Checkpoints,
        progress: &dyn Fn(Progress) -> Result<(), Stopped>,
    ) -> Result<SolvedLayer<'_>, Stopped> {
        assert!(
            layer.seeds() <= self.graph.numbering.max_seeds(),
            "{layer:?}"
        );
        let layout = Layout::new(layer);
        let mut task = Task {
            graph: &self.graph,
            layout: &layout,
            progress,
            checkpoints,
            most_counted: self.most_counted,
        };
        let solved = match self.cycles {
            Cycles::Split => {
                let mut smaller = |seeds, from| smaller(seeds, Bound::Low, from);
                let begun = task.begin_values(&Nobody, &mut smaller)?;
                let values = task.values(begun, &Nobody)?;
                Measured::Value(values)
            }
            Cycles::OwnSide => {
                let begun = task.begin_bounds(&Nobody, smaller)?;
                let (low, high) = task.bounds(begun, &Nobody)?;
                Measured::Bounds { low, high }
            }
        };
        let mut solved = SolvedLayer::new(&self.graph, layout, solved);
        solved.work_out_full();
        Ok(solved)
    }

    /// Solves a layer together with the other ranks, which do the same. Finds what this rank owns, but
    /// for the positions that cannot come about, see [`SolvedLayer::raise_full`]. Of the checkpoints, those
    /// of rank 0 count, and have the rows of all.
    pub(crate) fn solve_together<E: From<ClusterError>>(
        &self,
        layer: Layer,
        cluster: &mut Cluster,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
        checkpoints: &mut dyn Checkpoints,
        progress: impl Fn(Progress),
    ) -> Result<SolvedLayer<'_>, E> {
        let layout = Layout::of_rows(layer, |own_seeds| self.graph.rows_of(own_seeds));
        let progress = |found| {
            progress(found);
            Ok(())
        };
        let mut task = Task {
            graph: &self.graph,
            layout: &layout,
            progress: &progress,
            checkpoints,
            most_counted: self.most_counted,
        };
        let mut post = Office::new(&self.graph, cluster);
        let solved = match self.cycles {
            Cycles::Split => {
                let mut smaller = |seeds, from| smaller(seeds, Bound::Low, from);
                let begun = task.begin_values(&post, &mut smaller)?;
                post.tell(&begun.lists.last_resorts)?;
                Measured::Value(task.values(begun, &post)?)
            }
            Cycles::OwnSide => {
                let begun = task.begin_bounds(&post, &mut smaller)?;
                post.tell(&begun.lists.last_resorts)?;
                let (low, high) = task.bounds(begun, &post)?;
                Measured::Bounds { low, high }
            }
        };
        Ok(SolvedLayer::new(&self.graph, layout, solved))
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
    let kind = kind.into();
    in_pool(threads, || {
        let solver = Solver::new(kind, max_seeds);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::state::{Sink, Source};
    use crate::cluster::channels;
    use granero_table::first_error::Stopped;
    use granero_table::index::half;
    use granero_table::rows::{LayerValues, Matrix};

    /// Solves all layers with bytes that count moves beside values up to some number of seeds only.
    fn with_few_counted(kind: Kind, seeds: u8, most_counted: u8) -> Vec<Measured<Vec<i8>>> {
        let mut solver = Solver::new(kind, seeds);
        solver.most_counted = most_counted;
        let mut turned: Vec<Measured<Arc<TurnedLayer>>> = Vec::new();
        let layers = Layer::all().take(usize::from(seeds) + 1);
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
    }

    fn bytes_that_count_less_make_no_difference_up_to(
        cycles: Cycles,
        extent: Extent,
        seeds: u8,
        threads: usize,
    ) {
        for ruleset in Ruleset::ALL {
            let kind = Kind::from((ruleset, cycles, extent));
            let layers = solve_all(kind, seeds, 1);
            for most_counted in [0, 4] {
                let found = in_pool(threads, || with_few_counted(kind, seeds, most_counted));
                assert!(found == layers, "{kind:?}, {most_counted}");
            }
        }
    }

    #[test]
    fn bytes_that_count_less_make_no_difference() {
        bytes_that_count_less_make_no_difference_up_to(Cycles::Split, Extent::FULL, 8, 3);
        bytes_that_count_less_make_no_difference_up_to(Cycles::OwnSide, Extent::FULL, 6, 3);
    }

    #[test]
    #[ignore = "slow: .ci/long has it"]
    fn bytes_that_count_less_make_no_difference_at_length() {
        let deciding = Extent::deciding(10).unwrap();
        // Threads are delayed in tests, so the largest layers have one.
        for (most, threads) in [(13, 1), (10, 3)] {
            bytes_that_count_less_make_no_difference_up_to(
                Cycles::Split,
                Extent::FULL,
                most,
                threads,
            );
        }
        bytes_that_count_less_make_no_difference_up_to(Cycles::OwnSide, Extent::FULL, 9, 3);
        bytes_that_count_less_make_no_difference_up_to(Cycles::OwnSide, deciding, 8, 3);
    }

    fn smaller_layers_can_come_row_by_row_up_to(seeds: u8) {
        for ruleset in Ruleset::ALL {
            for cycles in Cycles::ALL {
                let layers = solve_all((ruleset, cycles), seeds, 1);
                let turn = |(layer, values): (Layer, &Measured<Vec<i8>>)| {
                    values
                        .as_ref()
                        .map(|values| TurnedLayer::new(layer, values))
                };
                let turned: Vec<_> = Layer::all().zip(&layers).map(turn).collect();
                // A part for each row.
                let row = |seeds: u8, bound, from: usize| {
                    let layer = turned[usize::from(seeds)].get(bound);
                    let rows = Matrix::all(layer.layer())
                        .flat_map(|matrix| (0..matrix.rows()).map(move |rank| matrix.row(rank)));
                    let row = { rows }.find(|row| row.start() == from).unwrap();
                    let values = layer.values()[row.places()].to_vec();
                    let part = TurnedLayer::part(layer.layer(), from, values);
                    Ok::<_, Infallible>(Arc::new(part))
                };
                let solver = Solver::new((ruleset, cycles), seeds);
                for (layer, values) in Layer::all().zip(&layers) {
                    let Ok(solved) =
                        solver.solve_in_parts(layer, row, &mut NoCheckpoints, |_| Ok(()));
                    assert!(solved.in_order() == *values, "{ruleset}, {layer:?}");
                }
            }
        }
    }

    /// To go through a layer once for each row of all smaller ones takes long.
    #[test]
    fn smaller_layers_can_come_row_by_row() {
        smaller_layers_can_come_row_by_row_up_to(6);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn smaller_layers_can_come_row_by_row_up_to_8_seeds() {
        smaller_layers_can_come_row_by_row_up_to(8);
    }

    /// The lists and the parts of a checkpoint.
    type Kept = (Vec<u8>, Vec<Vec<u8>>);

    /// Keeps a checkpoint whenever it can, and goes on from one.
    #[derive(Default)]
    struct Everywhere {
        kept: Vec<Kept>,
        resume: Option<Kept>,
        /// How many bytes of parts can be kept or read, unless all can.
        most: Option<usize>,
    }

    impl Everywhere {
        fn from(checkpoint: &Kept) -> Everywhere {
            Everywhere {
                resume: Some(checkpoint.clone()),
                ..Everywhere::default()
            }
        }

        /// The lengths of pieces in which all parts can be kept or read, and whether these are all.
        fn pieces(&self, lengths: &[usize]) -> (Vec<(usize, usize)>, bool) {
            const PIECE: usize = 997;
            let pieces = lengths.iter().enumerate().flat_map(|(part, &length)| {
                let pieces = (0..length).step_by(PIECE);
                pieces.map(move |begin| (part, PIECE.min(length - begin)))
            });
            let (mut all, mut left) = (pieces.collect::<Vec<_>>(), self.most);
            let count = all.len();
            all.retain(|&(_, length)| {
                left = left.map(|left| left.saturating_sub(length));
                left != Some(0)
            });
            let is_all = all.len() == count;
            (all, is_all)
        }
    }

    impl Checkpoints for Everywhere {
        fn is_due(&self) -> bool {
            true
        }

        fn keep(
            &mut self,
            lists: &[u8],
            lengths: &[usize],
            from: &mut dyn Source,
        ) -> Result<(), Stopped> {
            let mut parts = vec![Vec::new(); lengths.len()];
            let (pieces, is_all) = self.pieces(lengths);
            for (part, length) in pieces {
                parts[part].extend_from_slice(from.next(length)?);
            }
            if is_all {
                self.kept.push((lists.to_vec(), parts));
            }
            Ok(())
        }

        fn resume(&mut self, lengths: &[usize], to: &mut dyn Sink) -> Result<bool, Stopped> {
            let Some((lists, parts)) = self.resume.take() else {
                return Ok(false);
            };
            assert!(parts.iter().map(Vec::len).eq(lengths.iter().copied()));
            if !to.begin(&lists)? {
                return Ok(false);
            }
            let (pieces, is_all) = self.pieces(lengths);
            let mut rest: Vec<&[u8]> = parts.iter().map(|part| &part[..]).collect();
            for (part, length) in pieces {
                let (now, later) = rest[part].split_at(length);
                to.next(length)?.copy_from_slice(now);
                rest[part] = later;
            }
            Ok(is_all)
        }
    }

    #[test]
    fn a_layer_goes_on_from_every_checkpoint() {
        goes_on_from_every_checkpoint([Ruleset::Abapa, Ruleset::SlamEnds]);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn a_layer_goes_on_from_every_checkpoint_in_all_rulesets() {
        goes_on_from_every_checkpoint(Ruleset::ALL);
    }

    fn goes_on_from_every_checkpoint(rulesets: impl IntoIterator<Item = Ruleset>) {
        const SEEDS: u8 = 5;
        for ruleset in rulesets {
            for (cycles, most_counted) in [
                (Cycles::Split, u8::MAX),
                (Cycles::Split, 0),
                (Cycles::OwnSide, u8::MAX),
                (Cycles::OwnSide, 0),
            ] {
                let layers = solve_all((ruleset, cycles), SEEDS, 1);
                let layer = Layer::new(SEEDS).unwrap();
                let mut solver = Solver::new((ruleset, cycles), SEEDS);
                solver.most_counted = most_counted;
                let smaller = |seeds: u8, bound, _| {
                    let layer = Layer::new(seeds).unwrap();
                    let values = layers[usize::from(seeds)].get(bound);
                    Ok::<_, Infallible>(Arc::new(TurnedLayer::new(layer, values)))
                };
                let mut first = Everywhere::default();
                let Ok(solved) = solver.solve_in_parts(layer, smaller, &mut first, |_| Ok(()));
                assert!(solved.in_order() == layers[usize::from(SEEDS)]);
                assert_eq!(first.kept.len(), usize::from(SEEDS));
                let mut last = &first.kept[0].0;
                for checkpoint in &first.kept {
                    let mut then = Everywhere::from(checkpoint);
                    let none = |_, _, _| -> Result<_, ()> { panic!("no captures are looked up") };
                    let solved = solver.solve_in_parts(layer, none, &mut then, |_| Ok(()));
                    assert!(solved.unwrap().in_order() == layers[usize::from(SEEDS)]);
                    assert!(then.kept[0] == *checkpoint);
                    last = &checkpoint.0;
                }

                // With other lists, the layer begins anew.
                for lists in [
                    Vec::new(),
                    last[..last.len() - 1].to_vec(),
                    last[..last.len() - 8].to_vec(),
                    [&last[..], &[0; 8]].concat(),
                    [u64::MAX.to_le_bytes(), [1, 0, 0, 0, 0, 0, 0, 0]].concat(),
                    [1u64, u64::from(SEEDS) + 1, 0, 0]
                        .map(u64::to_le_bytes)
                        .concat(),
                    [1u64, 256, 0, 0].map(u64::to_le_bytes).concat(),
                    [2u64, 3, 2, 0, 0].map(u64::to_le_bytes).concat(),
                    [1u64, 1, 1, u64::MAX, 0, 0, 0, 0, 0]
                        .map(u64::to_le_bytes)
                        .concat(),
                    [1u64, 1, 0, 1, u64::MAX, 1].map(u64::to_le_bytes).concat(),
                    // With `own-side`, two arenas that have a result in common.
                    [4u64, 1, 3, 3, 5, 0, 0].map(u64::to_le_bytes).concat(),
                ] {
                    let bytes = first.kept[0].1.clone();
                    let mut then = Everywhere::from(&(lists, bytes));
                    let Ok(solved) = solver.solve_in_parts(layer, smaller, &mut then, |_| Ok(()));
                    assert!(solved.in_order() == layers[usize::from(SEEDS)]);
                    assert_eq!(then.kept.len(), usize::from(SEEDS));
                }
            }
        }
    }

    #[test]
    fn solved_values_are_the_same_row_by_row() {
        for cycles in Cycles::ALL {
            let layers = solve_all((Ruleset::Abapa, cycles), 9, 1);
            let turn = |(layer, values): (Layer, &Measured<Vec<i8>>)| {
                let turned = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
                values.as_ref().map(turned)
            };
            let turned: Vec<_> = Layer::all().zip(&layers).map(turn).collect();
            let solver = Solver::new((Ruleset::Abapa, cycles), 9);
            for (layer, values) in Layer::all().zip(&layers) {
                let smaller = |seeds: u8, bound, _| {
                    Ok::<_, Infallible>(turned[usize::from(seeds)].get(bound).clone())
                };
                let Ok(solved) =
                    solver.solve_in_parts(layer, smaller, &mut NoCheckpoints, |_| Ok(()));
                let found = solved.values();
                for ((_, found), (_, values)) in found.into_iter().zip(values.iter()) {
                    for row in Matrix::all(layer)
                        .flat_map(|matrix| (0..matrix.rows()).map(move |rank| matrix.row(rank)))
                    {
                        let values = &values[row.places()];
                        let value = found.row(row);
                        assert!((0..row.len()).all(|column| value(column) == values[column]));
                        for from in 0..row.len() {
                            let mut copied = vec![0; (row.len() - from).min(5)];
                            found.copy(row, from, &mut copied);
                            assert_eq!(copied, values[from..from + copied.len()]);
                        }
                    }
                    let mut pieces = found.pieces().collect::<Vec<_>>().concat();
                    let mut values = values.clone();
                    pieces.sort_unstable();
                    values.sort_unstable();
                    assert!(pieces == values);
                }
            }
        }
    }

    /// In tests, threads are delayed where others can come between, and every layer is worth
    /// sharing.
    fn many_threads_find_what_one_finds_up_to(seeds: u8) {
        for ruleset in [Ruleset::Abapa, Ruleset::Awari, Ruleset::Italian] {
            for cycles in Cycles::ALL {
                let layers = solve_all((ruleset, cycles), seeds, 1);
                for threads in [2, 3, 8, 32] {
                    assert!(solve_all((ruleset, cycles), seeds, threads) == layers);
                }
            }
        }
    }

    #[test]
    fn many_threads_find_what_one_finds() {
        many_threads_find_what_one_finds_up_to(6);
    }

    #[test]
    #[ignore = "slow: .ci/run has it"]
    fn many_threads_find_what_one_finds_up_to_7_seeds() {
        many_threads_find_what_one_finds_up_to(7);
    }

    /// Does something with ranks that are threads, given the smaller layers: each has its solver and its
    /// cluster. Returns what each returns.
    fn with_ranks<T: Send>(
        kind: Kind,
        ranks: usize,
        most_counted: u8,
        solved: &[Measured<Vec<i8>>],
        work: impl Fn(&Solver, &mut Cluster) -> T + Sync,
    ) -> Vec<T> {
        let max_seeds = solved.len() as u8 - 1;
        let work = &work;
        std::thread::scope(|scope| {
            let run = |carrier| {
                let work = move || {
                    let mut cluster = Cluster::new(carrier);
                    let threads = 1 + cluster.rank() % 2;
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                    pool.build().unwrap().install(|| {
                        let bands = |seeds| {
                            let count = half::count(seeds);
                            (0..count)
                                .step_by(5)
                                .map(move |first| first..count.min(first + 5))
                        };
                        let mut solver = Solver::of_rank(kind, max_seeds, &cluster, bands);
                        solver.most_counted = most_counted;
                        let done = work(&solver, &mut cluster);
                        // Nobody ends before all others are done.
                        cluster.sum(Vec::new()).unwrap();
                        done
                    })
                };
                scope.spawn(work)
            };
            let threads: Vec<_> = channels(ranks).into_iter().map(run).collect();
            let done = threads.into_iter().map(|thread| thread.join().unwrap());
            done.collect()
        })
    }

    fn turned(solved: &[Measured<Vec<i8>>]) -> Vec<Measured<Arc<TurnedLayer>>> {
        let turn = |(layer, values): (Layer, &Measured<Vec<i8>>)| {
            (values.as_ref()).map(|values| Arc::new(TurnedLayer::new(layer, values)))
        };
        Layer::all().zip(solved).map(turn).collect()
    }

    /// Checks what a rank has found of a layer, but for the positions that cannot come about; `turned` is
    /// the whole layer. Returns how many numbers it owns.
    fn check_found(
        solver: &Solver,
        rank: usize,
        mut found: SolvedLayer<'_>,
        values: &Measured<Vec<i8>>,
        turned: &Measured<Arc<TurnedLayer>>,
    ) -> u64 {
        let layer = found.layer();
        let full = |bound, _| Ok::<_, Infallible>(turned.get(bound).clone());
        let Ok(()) = found.raise_full(full);
        let mut owned = 0;
        for ((_, found), (_, values)) in found.values().into_iter().zip(values.iter()) {
            for matrix in Matrix::all(layer) {
                for row in (0..matrix.rows()).map(|rank| matrix.row(rank)) {
                    if solver.owner(row.own_seeds(), row.rank()) == rank {
                        let mut copied = vec![0; row.len()];
                        found.copy(row, 0, &mut copied);
                        assert!(copied == values[row.places()], "{layer:?}");
                        owned += row.len() as u64;
                    }
                }
            }
        }
        owned
    }

    /// Solves all layers with ranks; `solved` holds what they must find. Checks what each rank finds.
    fn check_ranks(kind: Kind, ranks: usize, most_counted: u8, solved: &[Measured<Vec<i8>>]) {
        let turned = turned(solved);
        let owned = with_ranks(kind, ranks, most_counted, solved, |solver, cluster| {
            let mut owned = 0;
            for (layer, values) in Layer::all().zip(solved) {
                let smaller = |seeds: u8, bound, _| {
                    Ok::<_, ClusterError>(turned[usize::from(seeds)].get(bound).clone())
                };
                cluster.begin_layer(layer.seeds());
                let found = solver
                    .solve_together(layer, cluster, smaller, &mut NoCheckpoints, |_| {})
                    .unwrap();
                let turned = &turned[usize::from(layer.seeds())];
                owned += check_found(solver, cluster.rank(), found, values, turned);
            }
            owned
        });
        let all: u64 = Layer::all().zip(solved).map(|(layer, _)| layer.len()).sum();
        let all = all * kind.cycles.measures().into_iter().count() as u64;
        assert_eq!(owned.into_iter().sum::<u64>(), all);
    }

    /// Solves the last layer of `solved` with ranks, of which the first keeps `checkpoints`; `captures` says
    /// whether they look at smaller layers. Checks what they find. Returns the checkpoints.
    fn check_ranks_with(
        checkpoints: Everywhere,
        captures: bool,
        kind: Kind,
        ranks: usize,
        most_counted: u8,
        solved: &[Measured<Vec<i8>>],
    ) -> Everywhere {
        let turned = turned(solved);
        let (values, turned_values) = (solved.last().unwrap(), turned.last().unwrap());
        let layer = Layer::new(solved.len() as u8 - 1).unwrap();
        let checkpoints = std::sync::Mutex::new(checkpoints);
        with_ranks(kind, ranks, most_counted, solved, |solver, cluster| {
            let smaller = |seeds: u8, bound, _| {
                assert!(captures, "captures are looked up");
                Ok::<_, ClusterError>(turned[usize::from(seeds)].get(bound).clone())
            };
            cluster.begin_layer(layer.seeds());
            let (mut kept, mut none);
            let checkpoints: &mut dyn Checkpoints = match cluster.rank() {
                0 => {
                    kept = checkpoints.lock().unwrap();
                    &mut *kept
                }
                _ => {
                    none = NoCheckpoints;
                    &mut none
                }
            };
            let found = solver.solve_together(layer, cluster, smaller, checkpoints, |_| {});
            check_found(
                solver,
                cluster.rank(),
                found.unwrap(),
                values,
                turned_values,
            )
        });
        checkpoints.into_inner().unwrap()
    }

    /// What one process keeps of the last layer of `solved`.
    fn kept_alone(kind: Kind, most_counted: u8, solved: &[Measured<Vec<i8>>]) -> Vec<Kept> {
        let seeds = solved.len() as u8 - 1;
        let mut solver = Solver::new(kind, seeds);
        solver.most_counted = most_counted;
        let turned = turned(solved);
        let smaller = |seeds: u8, bound, _| {
            Ok::<_, Infallible>(turned[usize::from(seeds)].get(bound).clone())
        };
        let mut kept = Everywhere::default();
        let layer = Layer::new(seeds).unwrap();
        let Ok(_) = solver.solve_in_parts(layer, smaller, &mut kept, |_| Ok(()));
        kept.kept
    }

    /// At each border, ranks keep what one process keeps, whatever their number, and any number of ranks
    /// goes on from there.
    fn ranks_go_on_from_what_one_process_keeps(
        kind: Kind,
        seeds: u8,
        ranks: &[usize],
        every: usize,
    ) {
        let solved = solve_all(kind, seeds, 1);
        for most_counted in [u8::MAX, 0] {
            let alone = kept_alone(kind, most_counted, &solved);
            for &ranks in ranks {
                let check = |checkpoints, captures| {
                    check_ranks_with(checkpoints, captures, kind, ranks, most_counted, &solved)
                };
                let what = format!("{kind:?}, {most_counted}, {ranks} ranks");
                assert!(check(Everywhere::default(), true).kept == alone, "{what}");
                for border in (0..alone.len()).step_by(every) {
                    let checkpoint = &alone[border];
                    let then = check(Everywhere::from(checkpoint), false);
                    assert!(then.kept == alone[border..], "{what}, {border}");
                }
                let anew = |checkpoints| {
                    let then = check(checkpoints, true);
                    assert!(then.resume.is_none(), "{what}");
                    then.kept
                };
                // It turns out to be damaged, and cannot be written, either.
                let (lists, parts) = &alone[ranks % alone.len()];
                let all = parts.iter().map(Vec::len).sum::<usize>();
                let damaged = Everywhere {
                    most: Some(all * ranks / 5),
                    ..Everywhere::from(&alone[1])
                };
                assert!(anew(damaged).is_empty(), "{what}");
                // Its lists are not those of the layer.
                let foreign = (lists[..lists.len() - 8].to_vec(), parts.clone());
                assert!(anew(Everywhere::from(&foreign)) == alone, "{what}");
            }
        }
    }

    #[test]
    fn ranks_go_on_from_checkpoints_of_one_process() {
        for cycles in Cycles::ALL {
            let kind = Kind::from((Ruleset::Abapa, cycles));
            ranks_go_on_from_what_one_process_keeps(kind, 6, &[3], 5);
        }
    }

    #[test]
    #[ignore = "slow: .ci/mpi has it"]
    fn ranks_go_on_from_checkpoints_of_any_number_of_ranks() {
        for (ruleset, extent) in [
            (Ruleset::Abapa, Extent::FULL),
            (Ruleset::Abapa, Extent::deciding(8).unwrap()),
            (Ruleset::Awari, Extent::FULL),
            (Ruleset::SlamEnds, Extent::FULL),
        ] {
            for cycles in Cycles::ALL {
                let kind = Kind::from((ruleset, cycles, extent));
                ranks_go_on_from_what_one_process_keeps(kind, 6, &[1, 2, 3, 4], 1);
            }
        }
    }

    fn ranks_find_what_one_process_finds_up_to(seeds: u8, ranks: &[usize], extents: &[Extent]) {
        for ruleset in Ruleset::ALL {
            for cycles in Cycles::ALL {
                for &extent in extents {
                    let kind = Kind::from((ruleset, cycles, extent));
                    let solved = solve_all(kind, seeds, 1);
                    for &ranks in ranks {
                        check_ranks(kind, ranks, u8::MAX, &solved);
                    }
                    if extent == Extent::FULL {
                        check_ranks(kind, 2, 0, &solved);
                    }
                }
            }
        }
    }

    #[test]
    fn ranks_find_what_one_process_finds() {
        ranks_find_what_one_process_finds_up_to(5, &[3], &[Extent::FULL]);
    }

    #[test]
    #[ignore = "slow: .ci/mpi has it"]
    fn ranks_find_what_one_process_finds_up_to_8_seeds() {
        let extents = [Extent::FULL, Extent::deciding(9).unwrap()];
        ranks_find_what_one_process_finds_up_to(8, &[4], &extents);
    }
}
