//! The threads that decode layers and look up batches.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of this process. Python programs fork (`multiprocessing`), and a child has none of
/// the threads of its parent: work given to them would never be done. So each process has a pool of
/// its own.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Does something with the threads of this process: as many as there are processors, or as the
/// environment variable `RAYON_NUM_THREADS` says.
pub(crate) fn install<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match of_this_process() {
        Some(pool) => pool.install(work),
        // The system gives no more threads.
        None => work(),
    }
}

fn of_this_process() -> Option<Arc<ThreadPool>> {
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    match &*known {
        Some((owner, pool)) if *owner == process => Some(pool.clone()),
        _ => {
            let pool = Arc::new(ThreadPoolBuilder::new().build().ok()?);
            if let Some(of_parent) = known.replace((process, pool.clone())) {
                // To drop it would be to talk to threads that are not here.
                std::mem::forget(of_parent);
            }
            Some(pool)
        }
    }
}
