//! The threads that settle a layer together: they work, rest, and find out when all is done.
//!
//! A thread works until other threads have taken all work that it can see, and then rests. A thread
//! that works may call it to help. When the last one rests, all is done. The
//! number of threads, the time when they begin, and calls to resting threads change nothing but the
//! time that the work takes: `docs/thresholds.md` shows why.

use std::sync::PoisonError;

use super::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, pause};

#[derive(Debug, Default)]
pub(crate) struct Crew {
    state: Mutex<CrewState>,
    changed: Condvar,
    /// The number of threads that rest: a hint for the others.
    resting: AtomicUsize,
}

#[derive(Debug, Default)]
struct CrewState {
    working: usize,
    done: bool,
}

impl Crew {
    fn lock(&self) -> MutexGuard<'_, CrewState> {
        // No state is left half-changed by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works as one of the crew until all is done. `work` returns when it has seen that there is nothing
    /// to do.
    pub(crate) fn take_part(&self, mut work: impl FnMut()) {
        if !self.begin() {
            return;
        }
        let _guard = Guard(self);
        loop {
            work();
            pause();
            if !self.rest() {
                return;
            }
        }
    }

    /// Calls a resting thread to help.
    pub(crate) fn call(&self) {
        if self.resting.load(Ordering::Relaxed) > 0 {
            self.changed.notify_one();
        }
    }

    /// Begins to work unless all is done.
    fn begin(&self) -> bool {
        let mut state = self.lock();
        state.working += usize::from(!state.done);
        !state.done
    }

    /// Rests until the thread is called, or all is done. Returns whether there may be more to do.
    fn rest(&self) -> bool {
        let mut state = self.lock();
        state.working -= 1;
        if state.working == 0 {
            state.done = true;
            self.changed.notify_all();
        }
        if !state.done {
            self.resting.fetch_add(1, Ordering::Relaxed);
            // Nothing is wrong if the thread wakes without being called.
            state = (self.changed.wait(state)).unwrap_or_else(PoisonError::into_inner);
            self.resting.fetch_sub(1, Ordering::Relaxed);
        }
        state.working += usize::from(!state.done);
        !state.done
    }
}

/// Ends the work if the thread panics, so that no other thread rests for ever.
struct Guard<'a>(&'a Crew);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().done = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Each piece of work makes up to two smaller ones; the crew is done when none is left.
    #[test]
    fn all_is_done_when_the_last_thread_rests() {
        for threads in [1, 2, 3, 16] {
            let crew = Crew::default();
            let pile = Mutex::new(vec![9]);
            let done = AtomicUsize::new(0);
            let work = || {
                loop {
                    let Some(size) = pile.lock().unwrap().pop() else {
                        return;
                    };
                    std::thread::yield_now();
                    done.fetch_add(1, Ordering::Relaxed);
                    if size > 0 {
                        pile.lock().unwrap().extend([size - 1, size - 1]);
                        crew.call();
                    }
                }
            };
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| crew.take_part(work));
                }
            });
            assert_eq!(done.into_inner(), (1 << 10) - 1);
            assert_eq!(pile.into_inner().unwrap().len(), 0);
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_panics() {
        let crew = Crew::default();
        let panics = || {
            while crew.resting.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            panic!("as expected");
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(|| {
                let panicked = catch_unwind(AssertUnwindSafe(|| crew.take_part(panics)));
                assert!(panicked.is_err());
            });
            while crew.lock().working == 0 {
                std::thread::yield_now();
            }
            // It finds nothing to do.
            crew.take_part(|| ());
            first.join().unwrap();
        });
    }
}
