//! What `src/solver/sync.rs` offers, as `shuttle` has it.

pub use shuttle::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
pub use shuttle::sync::{Condvar, Mutex, MutexGuard};

pub fn words(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

pub fn pause() {}
