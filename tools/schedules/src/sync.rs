//! What `src/solver/threads/sync.rs` offers, as `shuttle` has it.

pub use shuttle::hint::spin_loop;
pub use shuttle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
pub use shuttle::sync::{Condvar, Mutex, MutexGuard};
pub use shuttle::thread::yield_now;

pub fn words(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

pub fn bools(count: usize) -> Vec<AtomicBool> {
    (0..count).map(|_| AtomicBool::new(false)).collect()
}

pub fn pause() {}
