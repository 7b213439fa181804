//! Limits on what clients make the server hold and do, and the memory for that.

use std::sync::Arc;
use std::time::Duration;

use granero::MAX_SEEDS;
use granero_answer::document::Limits;
use granero_console::machine;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task;
use tokio::time;

use crate::problem::Problem;

/// The longest time to wait for a client: for a request, for lines, and to read some of its answer.
pub(crate) const SPAN: Duration = Duration::from_secs(10);

/// The longest time for a client to read all of an answer, or a part of the one to a batch of lines.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// The longest text of a position in bytes, several times longer than any notation needs.
pub(crate) const LONGEST: usize = 1000;

/// The number of positions that are looked up in files at a time.
pub(crate) const READERS: usize = 32;

/// The most requests for each thread that work or wait for their turn.
pub(crate) const QUEUE: usize = 32;

/// The time that a request waits for its turn before it is told to try again.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) const BATCH_POSITIONS: usize = 10_000;

/// The most bytes of the body of a batch in JSON.
pub(crate) const BATCH_BYTES: usize = 1 << 20;

/// The most bytes of the body with a game.
pub(crate) const GAME_BYTES: usize = 64 << 10;

/// The most bodies above [`SMALL_BODY`] at a time, and the most answers above [`LARGE_ANSWER`].
pub(crate) const LARGE: usize = 32;

/// The most batches of lines at a time. They are looked up one after the other.
pub(crate) const LINE_BATCHES: usize = 3;

/// The largest body that a connection may send without a permit for large ones.
pub(crate) const SMALL_BODY: usize = 4 << 10;

/// The largest answer that a connection may hold without a permit for large ones.
pub(crate) const LARGE_ANSWER: usize = 16 << 10;

/// Returns the limits that clients have to know, with searches of at most `longest`.
pub fn limits(longest: Option<Duration>) -> Limits {
    Limits {
        batch_positions: BATCH_POSITIONS,
        batch_bytes: BATCH_BYTES,
        position_bytes: LONGEST,
        buildable_seeds: MAX_SEEDS,
        prove_seconds: longest.map(|longest| longest.as_secs_f64()),
    }
}

/// Returns the number of threads for lines, batches and statistics, on a machine of any size.
pub(crate) fn workers() -> usize {
    machine::processors().clamp(2, 8)
}

/// Describes the most memory that the server takes, in MiB; `docs/deploy.md` has the same figures.
pub(crate) fn memory(cache: u64, connections: usize, searches: u64) -> String {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let parts = [
        // The page, manifests and indices of tables, and the log.
        ("program", 40),
        // Tables that are opened again have their own.
        ("decoded blocks", 2 * mib(cache)),
        // Of 80 KiB: two buffers of 16 KiB, the fields of a head, which may be many, and a small
        // body. The worst known case takes 60 KiB.
        ("connections", mib(connections as u64 * (80 << 10))),
        ("bodies", mib((LARGE * BATCH_BYTES) as u64)),
        // Of 5 MiB: 10,000 errors of 420 bytes that quote 20 characters as escapes.
        ("answers", LARGE as u64 * 5),
        // A line takes most. A reader has a block, its decoder and a stack.
        ("work", workers() as u64 * 64 + READERS as u64),
        // A chunk of text, and the results for its lines; and looking one of them up.
        ("lines", LINE_BATCHES as u64 * 64 + 320),
        ("searches", mib(searches)),
    ];
    let total: u64 = parts.iter().map(|(_, mib)| mib).sum();
    let parts = parts.map(|(what, mib)| format!("{what} {mib}"));
    format!("memory: at most {total} MiB: {}", parts.join(", "))
}

/// Takes a permit if one is left.
pub(crate) fn take(permits: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    let taken = Arc::clone(permits).try_acquire_owned();
    taken.map_err(|_| Problem::overloaded())
}

/// Does long work on threads of its own, a bounded number at a time, so that it delays no short
/// answers.
pub(crate) struct Gate {
    /// The most requests that work, and those that work or wait.
    sizes: [usize; 2],
    permits: [Arc<Semaphore>; 2],
    patience: Duration,
}

impl Gate {
    pub(crate) fn new(sizes: [usize; 2], patience: Duration) -> Gate {
        Gate {
            sizes,
            permits: sizes.map(|size| Arc::new(Semaphore::new(size))),
            patience,
        }
    }

    /// Returns the numbers of requests that work and that wait.
    pub(crate) fn working_and_waiting(&self) -> [usize; 2] {
        let taken = |of: usize| self.sizes[of] - self.permits[of].available_permits();
        let [working, all] = [0, 1].map(taken);
        [working, all.saturating_sub(working)]
    }

    /// Does some work in its turn, on a thread that may wait for disks.
    ///
    /// The work is finished even if the client is gone, and keeps its place until then, so there
    /// is never more work than places.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let [places, queue] = &self.permits;
        let queued = take(queue)?;
        let turn = Arc::clone(places).acquire_owned();
        let Ok(Ok(place)) = time::timeout(self.patience, turn).await else {
            return Err(Problem::overloaded());
        };
        let done = task::spawn_blocking(move || {
            let result = work();
            drop((place, queued));
            result
        });
        done.await.map_err(|_| Problem::internal())
    }
}
