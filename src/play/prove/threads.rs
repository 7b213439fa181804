//! The threads of a search, and what they share.

use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use web_time::Instant;

use super::budget::{Budget, Watcher};
use super::graph::Graph;
use super::proof::Ended;
use super::safety;
use super::search::Search;
use granero_table::TableError;

/// Endless play is first checked when the graph has half as many positions again as this, and then
/// whenever it has grown by half.
const FIRST_CHECK: usize = 64;

/// The graph of a search, and how its threads keep in step.
pub(super) struct SharedSearch<'a> {
    /// Searchers hold a read lock for one turn; changing the graph as a whole takes the write lock.
    graph: RwLock<Graph<'a>>,
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

/// Searches until the bounds of the first position meet, or something else ends the search. `watch`
/// is called on the thread that calls this. Of `number` threads, the others begin after `alone_for` positions.
pub(super) fn run<'a>(
    graph: Graph<'a>,
    number: usize,
    alone_for: u64,
    (start, budget): (Instant, Budget),
    watch: Watcher<'_>,
) -> Result<(Graph<'a>, Ended), TableError> {
    let mut shared = SharedSearch {
        graph: RwLock::new(graph),
        start,
        budget,
        alone: AtomicBool::new(true),
        alone_for: if number > 1 { alone_for } else { u64::MAX },
        waiting: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        checked: AtomicUsize::new(FIRST_CHECK),
        check_time: AtomicU64::new(0),
    };
    let mut ended = thread::scope(|scope| {
        let shared = &shared;
        let mut others = Vec::new();
        let mut begin_others = || {
            shared.write().share(number);
            others.extend((1..number).map_while(|thread| {
                let search = move || Search::new(shared, thread, None).run(&mut || {});
                // If a thread cannot be started, the search takes longer.
                thread::Builder::new().spawn_scoped(scope, search).ok()
            }));
        };
        let first = Search::new(shared, 0, Some(&mut *watch));
        let mut ended = first.run(&mut begin_others);
        for other in others {
            let other = other.join();
            let other = other.unwrap_or_else(|panicked| panic::resume_unwind(panicked));
            ended = match (ended, other) {
                (Err(error), _) | (_, Err(error)) => Err(error),
                (Ok(Some(Ended::Settled)), _) | (_, Ok(Some(Ended::Settled))) => {
                    Ok(Some(Ended::Settled))
                }
                (Ok(ended), Ok(other)) => Ok(ended.or(other)),
            };
        }
        ended
    })?;
    if number > 1 && ended == Some(Ended::Settled) {
        // A thread has found nothing left to look at while others were still at work. What they have
        // proven since may lead on: look again, alone.
        shared.alone = AtomicBool::new(true);
        shared.alone_for = u64::MAX;
        shared.over = AtomicBool::new(false);
        ended = Search::new(&shared, 0, Some(watch)).run(&mut || {})?;
    }
    let graph = shared.graph.into_inner();
    let mut graph = graph.unwrap_or_else(PoisonError::into_inner);
    // The first thread to end had a reason.
    let ended = ended.unwrap_or(Ended::Stopped);
    while safety::prove(&mut graph) && ended == Ended::Settled {}
    Ok((graph, ended))
}
