//! The threads of a search.

use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{PoisonError, RwLock};
use std::thread;

use web_time::Instant;

use super::budget::{Budget, Watcher};
use super::graph::Graph;
use super::proof::Ended;
use super::safety;
use super::search::Search;
use super::shared::SharedSearch;
use granero_table::TableError;

/// Endless play is first checked when the graph has half as many positions again as this, and then
/// whenever it has grown by half.
const FIRST_CHECK: usize = 64;

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
