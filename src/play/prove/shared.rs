//! What the threads of a search share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use web_time::Instant;

use super::budget::Budget;
use super::graph::Graph;
use super::proof::Ended;
use granero_table::TableError;

/// The graph of a search, and how its threads keep in step.
pub(super) struct SharedSearch<'a> {
    /// Searchers hold a read lock for one turn; changing the graph as a whole takes the write lock.
    pub(super) graph: RwLock<Graph<'a>>,
    /// The time when the search began.
    pub(super) start: Instant,
    pub(super) budget: Budget,
    /// True while the first thread searches alone.
    pub(super) alone: AtomicBool,
    /// The number of positions after which the other threads join it.
    pub(super) alone_for: u64,
    /// The number of threads that wait for the others to end their turns.
    pub(super) waiting: AtomicUsize,
    /// True once a thread has ended its search.
    pub(super) over: AtomicBool,
    /// The size of the graph when endless play was last checked.
    pub(super) checked: AtomicUsize,
    /// The nanoseconds that it takes to check endless play, for 256 positions.
    pub(super) check_time: AtomicU64,
}

impl<'a> SharedSearch<'a> {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Graph<'a>> {
        self.graph.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the graph for one thread alone.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Graph<'a>> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let graph = self.graph.write();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        graph.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_alone(&self) -> bool {
        self.alone.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// Ends the search of all threads when this is dropped, even by a panic.
pub(super) struct StopOnDrop<'s>(pub(super) &'s AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Why a thread ended the search; `None` if another thread did.
pub(super) type ThreadResult = Result<Option<Ended>, TableError>;
