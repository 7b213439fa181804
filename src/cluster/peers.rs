//! Solving a layer together with other processes.

use std::sync::Arc;

use crate::carrier::ClusterError;
use crate::cluster::Cluster;
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
    /// Keeps an error that ends the work. First tells the others of it, if the carrier has a way: they would not find files
    /// that are gone.
    fn keep_error(&mut self, error: ClusterError) -> Stopped {
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

    fn write(&mut self, to: usize, bytes: &[u8]) -> Result<(), Stopped> {
        let written = self.cluster.write(to, bytes);
        written.map_err(|error| self.keep_error(error))
    }

    fn flush(&mut self) -> Result<(), Stopped> {
        let sent = self.cluster.flush();
        sent.map_err(|error| self.keep_error(error))
    }

    fn read(&mut self, from: usize, bytes: &mut [u8]) -> Result<(), Stopped> {
        let read = self.cluster.read(from, bytes);
        read.map_err(|error| self.keep_error(error))
    }
}
