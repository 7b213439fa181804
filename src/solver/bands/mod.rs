//! Layers larger than memory: a layer is divided into bands, one of which is in memory at a time.
//!
//! * `bounds`, `values`: the order of work with either convention for endless play;
//! * `division`: the rows of each band;
//! * `exchange`: news between the band in memory and the queues;
//! * `lists`: the lists of the layer and of its bands;
//! * `pages`: the bytes of the band in memory;
//! * `queues`: news that waits for bands;
//! * `results`: results of positions with bounds, which scans read in order;
//! * `rows_file`: files with bytes for each row;
//! * `scratch_file`: temporary files;
//! * `visits`: visits to bands, until no news waits.

mod bounds;
pub(crate) mod division;
mod exchange;
mod lists;
mod pages;
mod queues;
pub(crate) mod results;
mod rows_file;
pub(crate) mod scratch_file;
mod values;
mod visits;

use std::sync::Arc;

use crate::graph::{HalfGraph, Layout};
use crate::passes::Progress;
use crate::tuning::Tuning;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::first_error::Stopped;
use scratch_file::ScratchFile;

/// A layer that is solved in bands.
pub(crate) struct BandedTask<'a> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) layout: &'a Layout,
    /// The number of bands, or more than are possible.
    pub(crate) count: u64,
    /// The place of temporary files.
    pub(crate) directory: Arc<OpenDirectory>,
    pub(crate) progress: &'a dyn Fn(Progress) -> Result<(), Stopped>,
    /// Keeps an error that ends the work.
    pub(crate) fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    pub(crate) tuning: &'a Tuning,
}

impl BandedTask<'_> {
    /// Makes a temporary file.
    fn file(&self, name: &str) -> Result<ScratchFile, Stopped> {
        ScratchFile::new(self.directory.clone(), name).map_err(self.fail)
    }
}

/// The work that bands took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The number of bands.
    pub bands: usize,
    /// The number of visits to all of them.
    pub visits: u64,
    /// The bytes of positions that were read.
    pub read: u64,
    /// The bytes of positions that were written.
    pub written: u64,
    /// The bytes of news between bands.
    pub news: u64,
    /// The bytes of these that memory had no room for: they were written and read.
    pub news_written: u64,
}

/// The blocks of news that wait in memory.
const BLOCKS: usize = 32;

/// The memory in bytes for news that waits for bands.
pub(crate) fn queues_memory(bands: u64, threads: usize) -> u64 {
    (bands * threads as u64 + BLOCKS as u64) * (Tuning::USUAL.block + queues::LIST) as u64
}
