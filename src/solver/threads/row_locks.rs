//! Rows of a plane that one thread at a time changes.
//!
//! News of a child changes several bytes of a row. A thread takes the row for that with one atomic
//! operation, and loads and stores do the rest. To change each byte by an atomic operation takes
//! longer (`docs/lab-book.md`).

use super::prefetch::prefetch_to_write;
use super::sync::{AtomicBool, Ordering, bools, pause, spin_loop, yield_now};

#[derive(Debug)]
pub(crate) struct RowLocks {
    /// Rows share these. There are none if there is one thread only.
    locks: Vec<AtomicBool>,
}

/// The number of looks after which a thread lets others work: the thread that has the row may be
/// waiting for a processor.
const LOOKS: u32 = 100;

/// A row that is locked until this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct RowGuard<'a>(Option<&'a AtomicBool>);

impl RowLocks {
    /// Makes `count` locks: a power of two, or 0 for one thread only.
    pub(crate) fn new(count: usize) -> RowLocks {
        debug_assert!(count == 0 || count.is_power_of_two());
        RowLocks {
            locks: bools(count),
        }
    }

    /// The lock of the row that begins at `start`, if there are locks.
    #[inline(always)]
    fn place(&self, start: usize) -> usize {
        start & self.locks.len().wrapping_sub(1)
    }

    /// Locks the row that begins at `start`, and waits while another thread has it. A thread locks one
    /// row at a time, so none waits for ever.
    #[inline(always)]
    pub(crate) fn take(&self, start: usize) -> RowGuard<'_> {
        let lock = self.locks.get(self.place(start));
        if let Some(lock) = lock {
            while lock.swap(true, Ordering::Acquire) {
                wait_for(lock);
            }
            pause();
        }
        RowGuard(lock)
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, start: usize) {
        if !self.locks.is_empty() {
            prefetch_to_write(&self.locks, self.place(start));
        }
    }
}

/// Waits until a row seems to be free.
#[cold]
fn wait_for(lock: &AtomicBool) {
    let mut looks = 0;
    while lock.load(Ordering::Relaxed) {
        looks += 1;
        if looks < LOOKS {
            spin_loop();
        } else {
            yield_now();
        }
    }
}

impl Drop for RowGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(lock) = self.0 {
            lock.store(false, Ordering::Release);
        }
    }
}
