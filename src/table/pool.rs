//! Threads for programs that fork.

use std::process;

use once_cell::race::OnceBox;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a process.
struct Pool {
    process: u32,
    threads: ThreadPool,
    of_child: OnceBox<Pool>,
}

/// Runs `work` with the threads of this process: one for each processor, or as many as the environment
/// variable `RAYON_NUM_THREADS` says.
///
/// In a child of `fork`, the global pool of `rayon` waits for threads that only the parent has. There
/// this function starts another pool.
///
/// ```
/// # use granero::{Position, Tables, pool};
/// let values = pool::install(|| Tables::sample().values(&[Position::START]))?;
/// assert_eq!(values, [None]);
/// # Ok::<(), granero::TableError>(())
/// ```
pub fn install<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static POOL: OnceBox<Pool> = OnceBox::new();
    let mut place = &POOL;
    loop {
        let pool = place.get_or_try_init(|| {
            ThreadPoolBuilder::new().build().map(|threads| {
                Box::new(Pool {
                    process: process::id(),
                    threads,
                    of_child: OnceBox::new(),
                })
            })
        });
        match pool {
            Ok(pool) if pool.process == process::id() => return pool.threads.install(work),
            Ok(of_parent) => place = &of_parent.of_child,
            // The system has no more threads: this one works alone.
            Err(_) => {
                let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
                return match alone.build() {
                    Ok(alone) => alone.install(work),
                    // It already is the only thread of a pool.
                    Err(_) => work(),
                };
            }
        }
    }
}
