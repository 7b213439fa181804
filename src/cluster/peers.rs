//! Solving a layer together with other processes.

use crate::carrier::ClusterError;
use crate::checkpoints;
use crate::cluster::Cluster;
use granero_solver::checkpoint::CheckpointStore;
use granero_solver::processes::Peers;
use granero_table::first_error::{FirstError, Stopped};

/// The other processes that solve a layer.
pub(crate) struct Joint<'a> {
    pub(crate) cluster: &'a mut Cluster,
    /// Gets the error that ends the work.
    pub(crate) first: &'a FirstError<ClusterError>,
}

impl Peers for Joint<'_> {
    fn process(&self) -> usize {
        self.cluster.process()
    }

    fn processes(&self) -> usize {
        self.cluster.processes()
    }

    fn swap(
        &mut self,
        count: u64,
        next: &mut dyn FnMut(usize, &mut Vec<u8>) -> bool,
        take: &mut dyn FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<u64, Stopped> {
        let swapped = self.cluster.swap(count, next, take);
        swapped.map_err(|error| self.first.keep(error))
    }

    fn keep(
        &mut self,
        name: &[u8],
        lengths: &[Vec<usize>],
        own: Vec<&mut [u8]>,
        store: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        checkpoints::keep(self, name, lengths, own, store)
    }

    fn resume(
        &mut self,
        names: &[&[u8]],
        lengths: &[Vec<usize>],
        own: Vec<&mut [u8]>,
        store: &mut dyn CheckpointStore,
    ) -> Result<Option<(usize, bool)>, Stopped> {
        checkpoints::resume(self, names, lengths, own, store)
    }
}
