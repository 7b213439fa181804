//! Solving a layer together with other processes.

use std::ops::Range;
use std::sync::Arc;

use crate::carry::{Cluster, ClusterError};
use crate::checkpoints::JointCheckpoints;
use crate::exchange::NewsExchange;
use crate::owners::Owners;
use crate::recipients::Recipients;
use crate::unreachable_rows::UnreachableRows;
use granero_game::{Bound, Kind, Measured};
use granero_solver::checkpoint::CheckpointStore;
use granero_solver::graph::{HalfGraph, Numbering};
use granero_solver::solve::{Progress, SolvedLayer, Unreachable};
use granero_solver::thresholds::ThresholdSolver;
use granero_table::first_error::FirstError;
use granero_table::index::Layer;
use granero_table::rows::{Row, RowMoves, TurnedLayer};

/// Solves the rows of one of several processes.
pub(crate) struct JointSolver {
    pub(crate) solver: ThresholdSolver,
    owners: Owners,
    recipients: Recipients,
}

impl JointSolver {
    /// A solver for the layers from 0 to `max_seeds`. `tile_rows` divides the half-boards of the mover
    /// with some number of seeds; each part has one owner.
    pub(crate) fn new<S: Iterator<Item = Range<u32>>>(
        kind: Kind,
        max_seeds: u8,
        cluster: &Cluster,
        tile_rows: impl Fn(u8) -> S,
    ) -> JointSolver {
        assert!(max_seeds <= kind.extent.max_seeds(), "{max_seeds} seeds");
        let rows = RowMoves::new(kind, max_seeds);
        let numbering = Numbering::new(max_seeds);
        let (process, processes) = (cluster.process(), cluster.processes());
        let owners = Owners::new(&numbering, process, processes, tile_rows);
        let recipients = Recipients::new(rows.half_moves(), &numbering, &owners);
        let share = owners.share(&numbering);
        let graph = HalfGraph::of_share(rows, numbering, Some(share));
        JointSolver {
            solver: ThresholdSolver::of_graph(kind.cycles, graph).tuned(cluster.tuning),
            owners,
            recipients,
        }
    }

    /// The process that owns a row.
    pub(crate) fn owner(&self, row: Row) -> usize {
        let numbering = &self.solver.graph.numbering;
        let number = numbering.number(row.own_seeds(), row.rank());
        self.owners.owner(row.own_seeds(), number)
    }

    /// Solves the rows of this process, except for unreachable positions, while the other processes
    /// solve theirs. Only the store of process 0 is asked, and keeps the rows of all.
    pub(crate) fn solve(
        &self,
        layer: Layer,
        cluster: &mut Cluster,
        mut smaller: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, ClusterError>,
        store: &mut dyn CheckpointStore,
        progress: impl Fn(Progress),
    ) -> Result<SolvedLayer<'_>, ClusterError> {
        let first = FirstError::none();
        let graph = &self.solver.graph;
        let exchange = NewsExchange::new(
            graph,
            &self.owners,
            &self.recipients,
            layer.seeds(),
            cluster,
            &first,
        );
        let solved = self.solver.solve_rows(
            layer,
            &mut |seeds, bound, from| {
                smaller(seeds, bound, from).map_err(|error| first.keep(error))
            },
            &mut JointCheckpoints {
                exchange: &exchange,
                store,
            },
            &|found| {
                progress(found);
                Ok(())
            },
            &exchange,
        );
        drop(exchange);
        first.of(solved)
    }

    /// Finds the values of the unreachable positions of this process. `turned` returns parts of smaller layers and
    /// of the whole layer, turned, given the seeds, the bound and where they begin.
    pub(crate) fn unreachable<E>(
        &self,
        solved: &SolvedLayer<'_>,
        mut turned: impl FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Measured<Unreachable>, E> {
        let layout = solved.layout();
        let rows = UnreachableRows {
            graph: &self.solver.graph,
            layout,
        };
        let mut found = solved.unreachable_captures(layout.matrices(), &mut turned)?;
        for (measure, unreachable) in found.as_mut() {
            let of_child = measure.bound().of_child();
            let turned = |from| turned(layout.seeds(), of_child, from);
            rows.raise(&mut unreachable.best, turned)?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
