//! Parcels between workers, and finding out that there is no more work.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What the workers share: their inboxes.
#[derive(Debug)]
pub(super) struct Exchange<P> {
    state: Mutex<State<P>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<P> {
    inboxes: Vec<Vec<P>>,
    /// Workers that have nothing to do.
    idle: usize,
    /// Counts how often all work was done.
    rounds: u64,
    /// A worker has stopped without doing its work, so there is nothing to wait for.
    broken: bool,
}

/// Breaks the exchange if the worker that holds this panics, so that the others do not
/// wait for it.
#[derive(Debug)]
pub(super) struct Guard<'a, P>(&'a Exchange<P>);

impl<P> Drop for Guard<'_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.break_up();
        }
    }
}

/// What a worker without work gets.
#[derive(Debug)]
pub(super) enum Next<P> {
    /// Parcels from other workers.
    Parcels(Vec<P>),
    /// Nobody has any work left.
    Done,
}

impl<P> Exchange<P> {
    pub(super) fn among(workers: usize) -> Exchange<P> {
        Exchange {
            state: Mutex::new(State {
                inboxes: (0..workers).map(|_| Vec::new()).collect(),
                idle: 0,
                rounds: 0,
                broken: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// To be held by a worker while it works.
    pub(super) fn guard(&self) -> Guard<'_, P> {
        Guard(self)
    }

    /// Lets nobody wait any longer: what the workers have done so far means nothing.
    pub(super) fn break_up(&self) {
        self.lock().broken = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a parcel to a worker.
    pub(super) fn send(&self, to: usize, parcel: P) {
        self.lock().inboxes[to].push(parcel);
        self.changed.notify_all();
    }

    /// The parcels that have come for a worker, which may be none.
    pub(super) fn take(&self, worker: usize) -> Vec<P> {
        std::mem::take(&mut self.lock().inboxes[worker])
    }

    /// Waits for parcels, or until all workers wait and no parcel is under way. A worker
    /// must have sent everything before it waits.
    pub(super) fn wait(&self, worker: usize) -> Next<P> {
        let mut state = self.lock();
        state.idle += 1;
        if state.idle == state.inboxes.len() && state.inboxes.iter().all(Vec::is_empty) {
            state.idle = 0;
            state.rounds += 1;
            drop(state);
            self.changed.notify_all();
            return Next::Done;
        }
        let round = state.rounds;
        loop {
            if state.rounds != round || state.broken {
                return Next::Done;
            }
            if !state.inboxes[worker].is_empty() {
                state.idle -= 1;
                return Next::Parcels(std::mem::take(&mut state.inboxes[worker]));
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parcel_wakes_its_worker_and_the_last_to_wait_ends_the_round() {
        let exchange = Exchange::among(2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut parcels = 0;
                for _ in 0..100 {
                    while let Next::Parcels(come) = exchange.wait(1) {
                        parcels += come.len();
                    }
                }
                parcels
            });
            for round in 0..100 {
                for _ in 0..round % 3 {
                    exchange.send(1, ());
                }
                assert!(matches!(exchange.wait(0), Next::Done));
            }
            assert_eq!(other.join().unwrap(), 99);
        });
    }

    #[test]
    fn nobody_waits_for_a_worker_that_panics() {
        let exchange = Exchange::<()>::among(2);
        std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _guard = exchange.guard();
                panic!("on purpose");
            });
            assert!(matches!(exchange.wait(0), Next::Done));
            assert!(panics.join().is_err());
        });
    }
}
