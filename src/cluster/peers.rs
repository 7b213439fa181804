//! Solving a layer together with other processes.

use std::sync::Arc;

use crate::carrier::ClusterError;
use crate::checkpoints;
use crate::cluster::Cluster;
use granero_solver::checkpoint::CheckpointStore;
use granero_solver::processes::Peers;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::first_error::{FirstError, Stopped};

/// The other processes that solve a layer.
pub(crate) struct Joint<'a> {
    pub(crate) cluster: &'a mut Cluster,
    /// The place of the tables.
    pub(crate) directory: &'a Arc<OpenDirectory>,
    /// Gets the error that ends the work.
    pub(crate) first: &'a FirstError<ClusterError>,
}

impl Joint<'_> {
    /// Keeps an error that ends the work. First tells the others of it, who would not find files that are gone.
    pub(crate) fn keep_error(&mut self, error: ClusterError) -> Stopped {
        let before = self.cluster.fail(&error);
        self.first.keep(before.unwrap_or(error))
    }
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
        swapped.map_err(|error| self.keep_error(error))
    }

    fn spread(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, Stopped> {
        let spread = self.cluster.spread(bytes);
        spread.map_err(|error| self.keep_error(error))
    }

    fn directory(&self) -> Arc<OpenDirectory> {
        self.directory.clone()
    }

    fn fail(&mut self, error: TableError) -> Stopped {
        self.keep_error(error.into())
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
