//! Atomics and locks of the standard library for the threads of the solver.
//!
//! `tools/schedules` puts a model in its place, to try all orders of events.

use std::alloc::{Layout, handle_alloc_error};
pub(super) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
pub(super) use std::thread::yield_now;

use zerocopy::FromZeros;

/// Returns `count` words without a bit set.
pub(super) fn words(count: usize) -> Vec<AtomicU64> {
    zeroed(count)
}

/// Returns `false`, `count` times.
pub(super) fn bools(count: usize) -> Vec<AtomicBool> {
    zeroed(count)
}

fn zeroed<T: FromZeros>(count: usize) -> Vec<T> {
    // The system gives memory that is zero already, and only once it is touched. A lack of it ends the
    // program as in `vec!`.
    let layout = || Layout::array::<T>(count).expect("no more than the memory can address");
    T::new_vec_zeroed(count).unwrap_or_else(|_| handle_alloc_error(layout()))
}

/// Called between two steps that other threads may come between. Tests delay a thread here, now
/// and then.
#[inline(always)]
pub(super) fn pause() {
    #[cfg(test)]
    delays::pause();
}

#[cfg(test)]
mod delays {
    use std::cell::Cell;
    use std::time::Duration;

    thread_local! {
        static STATE: Cell<u64> = const { Cell::new(1) };
    }

    pub(super) fn pause() {
        // A thread that works alone needs no delays.
        if rayon::current_thread_index().is_some() && rayon::current_num_threads() == 1 {
            return;
        }
        let state = STATE
            .get()
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        STATE.set(state);
        match state >> 48 {
            0..64 => std::thread::sleep(Duration::from_micros(1)),
            64..4096 => std::thread::yield_now(),
            _ => {}
        }
    }
}
