//! The solver: the exact worth of every position of a layer, given the layers below.
//!
//! There are two conventions for endless play (see [`Cycles`]): with `split`, every position
//! has one value; with `own-side`, it has two bounds. All threads solve a layer together and
//! share its bytes.
//!
//! The result does not depend on the number of threads or the order of their work: the positions
//! that are settled at a threshold are a least fixed point, which is unique.
//!
//! The work goes on in `passes/`: `task` takes a layer from its captures to its values, `split` (or
//! `bounds`) goes through the thresholds, `work` settles the positions of one, `serve_rows` takes the
//! news of a row to its predecessors, and `update_batch` changes the bytes of these.

use std::sync::Arc;

use crate::bands::division::Division;
use crate::bands::{BandedTask, Moved};
use crate::checkpoint::{CheckpointStore, Checkpoints};
use crate::graph::{HalfGraph, Layout, Width};
use crate::known::{ResultCodes, ValueCodes, results};
pub use crate::passes::progress::Progress;
#[doc(hidden)]
pub use crate::passes::solved::{SolvedLayer, Unreachable, unreachable_counts};
use crate::passes::{Alone, Exchange, SmallerParts, Task, work};
use crate::tuning::Tuning;
use granero_game::{Bound, Cycles, Extent, Kind, Measured};
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::first_error::{FirstError, Stopped};
use granero_table::index::{Layer, half};
use granero_table::rows::RowMoves;
pub use granero_table::rows::TurnedLayer;

/// The scratch memory of `threads` threads in bytes, each and together.
pub(crate) fn scratch_memory(threads: usize) -> u64 {
    (threads * work::MEMORY + work::SHARED_MEMORY) as u64
}

/// The room for each position of a layer whose largest value is `limit`.
fn width(cycles: Cycles, limit: u8, most_counted: u8) -> Width {
    match cycles {
        Cycles::Split => ValueCodes::new(limit, most_counted).width(),
        Cycles::OwnSide => Width::Byte,
    }
}

/// The memory in bytes for the reachable positions of a layer.
pub(crate) fn values_bytes(cycles: Cycles, extent: Extent, layer: Layer) -> u64 {
    let limit = extent.limit(cycles, layer.seeds().min(extent.max_seeds()));
    let layout = Layout::new(layer).with_width(width(cycles, limit, u8::MAX));
    let planes = cycles.measures().into_iter().count();
    (planes * layout.plane_len()) as u64
}

/// The most memory in bytes for the bytes of one of several bands of a layer that news changes, and for its news.
pub(crate) fn band_bytes(cycles: Cycles, extent: Extent, layer: Layer, bands: u64) -> (u64, u64) {
    let limit = extent.limit(cycles, layer.seeds().min(extent.max_seeds()));
    let whole = Layout::new(layer).with_width(width(cycles, limit, u8::MAX));
    let division = Division::new(whole, bands);
    let layouts = (0..division.len()).map(|band| division.layout(band));
    layouts.fold((0, 0), |(plane, news), layout| {
        let of_band = (layout.plane_len() as u64, 16 * layout.news_words() as u64);
        (of_band.0.max(plane), of_band.1.max(news))
    })
}

/// The memory in bytes for the state of a band with bounds whose plane has `plane` bytes: the status of its positions
/// and pieces of results, or first their results and the numbers of children.
pub(crate) fn status_of_band(layer: Layer, plane: u64, threads: usize) -> u64 {
    let row = u64::from(half::count(layer.seeds()));
    let pieces = threads as u64 * 2 * row.max(Tuning::USUAL.band as u64);
    if ResultCodes::have_room(layer.seeds()) {
        plane + pieces
    } else {
        (plane + pieces).max(plane * 9 / 4)
    }
}

/// The memory in bytes for the news of a layer while it is solved.
pub(crate) fn news_bytes(layer: Layer) -> u64 {
    (2 * 8 * Layout::new(layer).news_words()) as u64
}

/// The memory in bytes for the state of a layer while it is solved, besides a byte for each position and
/// measure.
pub(crate) fn status_bytes(cycles: Cycles, layer: Layer) -> u64 {
    let layout = Layout::new(layer);
    match cycles {
        Cycles::Split => 0,
        Cycles::OwnSide if ResultCodes::have_room(layer.seeds()) => layout.plane_len() as u64,
        Cycles::OwnSide => (layout.plane_len() + results::extra_len(&layout)) as u64,
    }
}

/// Solves layers threshold by threshold, in bands or with other processes.
#[derive(Debug)]
pub struct ThresholdSolver {
    cycles: Cycles,
    /// The moves between half-boards.
    #[doc(hidden)]
    pub graph: HalfGraph,
    pub(crate) tuning: Tuning,
}

impl ThresholdSolver {
    /// A solver for the layers from 0 to `max_seeds`.
    pub fn new(kind: impl Into<Kind>, max_seeds: u8) -> ThresholdSolver {
        let kind = kind.into();
        assert!(max_seeds <= kind.extent.max_seeds(), "{max_seeds} seeds");
        let graph = HalfGraph::new(RowMoves::new(kind, max_seeds));
        ThresholdSolver::of_graph(kind.cycles, graph)
    }

    /// A solver for the rows that a graph has.
    #[doc(hidden)]
    pub fn of_graph(cycles: Cycles, graph: HalfGraph) -> ThresholdSolver {
        ThresholdSolver {
            cycles,
            graph,
            tuning: Tuning::USUAL,
        }
    }

    /// Sets how the work is divided.
    #[doc(hidden)]
    pub fn tuned(self, tuning: Tuning) -> ThresholdSolver {
        ThresholdSolver { tuning, ..self }
    }

    /// Like `Solver::solve`, with less memory, and with checkpoints.
    ///
    /// * `smaller` may return only a part of a layer, which begins at the given place. It is then asked
    ///   for the next part.
    /// * The values stay in the planes, where they were found; those of unreachable positions are not found.
    /// * The solver goes on from a checkpoint if there is one.
    /// * The first error of `progress` ends the work.
    #[doc(hidden)]
    pub fn solve_in_parts<E>(
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

    /// Solves all rows. It is not generic, so it is compiled once, with the optimisation of this crate.
    fn solve_alone(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn Checkpoints,
        progress: &dyn Fn(Progress) -> Result<(), Stopped>,
    ) -> Result<SolvedLayer<'_>, Stopped> {
        self.solve_rows(layer, smaller, checkpoints, progress, &Alone)
    }

    /// Like `solve_in_parts`: while it is solved, the layer lies in temporary files of a
    /// directory, and one of up to `count` bands is in memory. Then it is mapped, within `resident` bytes of memory.
    #[doc(hidden)]
    pub fn solve_in_bands<E: From<TableError> + Send>(
        &self,
        layer: Layer,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
        (count, resident, directory): (u64, u64, Arc<OpenDirectory>),
        checkpoints: &mut dyn CheckpointStore,
        progress: impl Fn(Progress) -> Result<(), E>,
    ) -> Result<(SolvedLayer<'_>, Moved), E> {
        let first = FirstError::none();
        let layout = self.layout(layer);
        let task = BandedTask {
            graph: &self.graph,
            layout: &layout,
            count,
            directory,
            progress: &|found| progress(found).map_err(|error| first.keep(error)),
            fail: &|error| first.keep(error.into()),
            tuning: &self.tuning,
        };
        let mut smaller =
            |seeds, bound, from| smaller(seeds, bound, from).map_err(|error| first.keep(error));
        let solved = match self.cycles {
            Cycles::Split => task.values(&mut smaller, checkpoints),
            Cycles::OwnSide => task.bounds(&mut smaller, checkpoints),
        };
        let (values, moved) = first.of(solved)?;
        let solved = SolvedLayer::new(&self.graph, layout, values);
        Ok((solved.mapped_within(resident), moved))
    }

    /// The layout of the rows that the graph has.
    fn layout(&self, layer: Layer) -> Layout {
        let layout = Layout::of_rows(layer, |own_seeds| self.graph.rows_of(own_seeds));
        let limit = self.graph.rows.limits().of(layer.seeds()).unsigned_abs();
        let width = width(self.cycles, limit, self.tuning.most_counted);
        layout.with_width(width).tuned(&self.tuning)
    }

    /// Solves the reachable positions of the rows that the graph has. Other processes solve the other
    /// rows, if any, and `exchange` passes news between them.
    #[doc(hidden)]
    pub fn solve_rows<X: Exchange>(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        checkpoints: &mut dyn Checkpoints,
        progress: &dyn Fn(Progress) -> Result<(), Stopped>,
        exchange: &X,
    ) -> Result<SolvedLayer<'_>, Stopped> {
        assert!(
            layer.seeds() <= self.graph.numbering.max_seeds(),
            "{layer:?}"
        );
        let layout = self.layout(layer);
        let task = Task {
            graph: &self.graph,
            layout: &layout,
            progress,
            checkpoints,
            exchange,
            tuning: &self.tuning,
        };
        let solved = match self.cycles {
            Cycles::Split => Measured::Value(task.values(smaller)?),
            Cycles::OwnSide => {
                let (low, high) = task.bounds(smaller)?;
                Measured::Bounds { low, high }
            }
        };
        Ok(SolvedLayer::new(&self.graph, layout, solved))
    }
}

#[cfg(test)]
pub(crate) mod tests;
