//! Parcels between workers, and finding out that there is no more work.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::propagate::Parcel;

/// What the workers share: their inboxes.
#[derive(Debug)]
pub(super) struct Exchange {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    inboxes: Vec<Vec<Parcel>>,
    /// Workers that have nothing to do.
    idle: usize,
    /// Counts how often all work was done.
    rounds: u64,
}

/// What a worker without work gets.
#[derive(Debug)]
pub(super) enum Next {
    /// Parcels from other workers.
    Parcels(Vec<Parcel>),
    /// Nobody has any work left.
    Done,
}

impl Exchange {
    pub(super) fn among(workers: usize) -> Exchange {
        Exchange {
            state: Mutex::new(State {
                inboxes: (0..workers).map(|_| Vec::new()).collect(),
                idle: 0,
                rounds: 0,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a parcel to a worker.
    pub(super) fn send(&self, to: usize, parcel: Parcel) {
        self.lock().inboxes[to].push(parcel);
        self.changed.notify_all();
    }

    /// The parcels that have come for a worker, which may be none.
    pub(super) fn take(&self, worker: usize) -> Vec<Parcel> {
        std::mem::take(&mut self.lock().inboxes[worker])
    }

    /// Waits for parcels, or until all workers wait and no parcel is under way. A worker
    /// must have sent everything before it waits.
    pub(super) fn wait(&self, worker: usize) -> Next {
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
            if state.rounds != round {
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
