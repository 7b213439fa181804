//! The work on a layer for either convention for endless play: scans, and taking news to
//! predecessors.

use std::sync::Mutex;
use std::sync::atomic::AtomicU8;

use zerocopy::FromBytes;

use super::exchange::Exchange;
use super::scan::{self, Finder};
use super::serve_rows::{RowServer, Scratch};
use super::update_batch::Updates;
use crate::graph::{HalfGraph, LastResortMove, Layout, PlaneBand};
use crate::known::{Effect, ListedCaptures, NewsRows};
use crate::threads::{Crew, RowLocks, Waiting};
use crate::tuning::Tuning;
use granero_table::first_error::{Stopped, lock};
use granero_table::index::Layer;

/// The settling of one layer.
#[derive(Debug)]
pub(crate) struct Work<'a, X> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) layout: &'a Layout,
    /// Sorted.
    pub(crate) last_resorts: &'a [LastResortMove],
    pub(crate) exchange: &'a X,
    pub(crate) memory: &'a WorkMemory,
}

/// The memory for work: the news, and the scratch memory and locks of the threads. After the work on one band it serves
/// for the next one.
#[derive(Debug)]
pub(crate) struct WorkMemory {
    news: Waiting,
    /// By thread.
    scratch: Vec<Mutex<Scratch>>,
    rows: RowLocks,
}

/// The scratch memory of a thread in bytes.
pub(crate) const MEMORY: usize = Scratch::MEMORY + Finder::MEMORY;

/// The memory in bytes that threads share for a layer of any size.
pub(crate) const SHARED_MEMORY: usize = Tuning::USUAL.row_locks;

impl WorkMemory {
    /// Memory for parts of a layer with up to `words` words of either kind of news.
    pub(crate) fn new(graph: &HalfGraph, layer: Layer, words: usize, tuning: &Tuning) -> Self {
        let worthwhile = (layer.len() / tuning.worth_a_thread) as usize;
        let threads = rayon::current_num_threads().min(worthwhile).max(1);
        let alone = rayon::current_num_threads() == 1;
        let halves = graph.numbering.opponents_halves(layer.seeds());
        WorkMemory {
            news: Waiting::new(2 * words, 2 * halves, alone),
            scratch: (0..threads)
                .map(|_| Mutex::new(Scratch::new(tuning)))
                .collect(),
            rows: RowLocks::new(if threads == 1 { 0 } else { tuning.row_locks }),
        }
    }
}

impl<X: Exchange> Work<'_, X> {
    fn news(&self) -> NewsRows<'_> {
        NewsRows::new(self.layout, &self.memory.news)
    }

    /// Goes through bands; `look` tells the finder which positions of a band are settled. Call
    /// [`settle`](Work::settle) after the last scan.
    pub(super) fn scan<T: Send>(
        &self,
        bands: Vec<(PlaneBand, T)>,
        look: impl Fn(PlaneBand, T, &mut Finder<'_>) + Sync,
    ) {
        let numbering = &self.graph.numbering;
        scan::scan(self.layout.seeds(), numbering, &self.news(), bands, look);
    }

    /// Takes all news to the predecessors, and news of those to their predecessors, until nothing is
    /// left to do in any process. `effects` has the effect of either kind of news on the bytes of `plane`,
    /// and `listed` the captures for which it needs the list. Returns the number of positions that were settled here.
    pub(super) fn settle(
        &self,
        plane: &mut [u8],
        effects: &[Effect; 2],
        listed: Option<ListedCaptures<'_>>,
    ) -> Result<u64, Stopped> {
        let updates = Updates {
            layout: self.layout,
            numbering: &self.graph.numbering,
            plane: <[AtomicU8]>::mut_from_bytes(plane).expect("bytes lie anywhere"),
            effects,
            news: &self.news(),
            rows: &self.memory.rows,
            listed,
            exchange: self.exchange,
        };
        let updates = &updates;
        self.exchange.settle(|| {
            let server = RowServer {
                graph: self.graph,
                updates,
                last_resorts: self.last_resorts,
                crew: &Crew::default(),
                exchange: self.exchange,
            };
            let take_part = |scratch| server.take_part(&mut lock(scratch));
            let (first, others) = self.memory.scratch.split_first().expect("a thread");
            rayon::scope(|scope| {
                for scratch in others {
                    scope.spawn(|_| take_part(scratch));
                }
                take_part(first);
            });
        })?;
        Ok((self.memory.scratch.iter())
            .map(|scratch| lock(scratch).take_settled())
            .sum())
    }
}
