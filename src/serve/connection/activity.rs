//! The activity of a connection, which decides whether it can be evicted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// An activity. Connections are evicted in this order, and only if they are idle or receive a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Activity {
    /// No request, or its head is arriving.
    Idle,
    /// The body of a request is arriving.
    ReceivingBody,
    /// A request is being answered.
    Answering,
    /// The answer is being sent.
    SendingAnswer,
    /// It was evicted, and is about to close.
    Closing,
}

/// An activity and its start in one number, so that both change together: the upper bits are the
/// activity, the lower ones microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since(u64);

const TIME_BITS: u32 = 60;

impl Since {
    /// An activity that starts now. Times count from `begin`.
    pub(super) fn now(activity: Activity, begin: Instant) -> Since {
        let now = begin.elapsed().as_micros() as u64;
        Since((activity as u64) << TIME_BITS | now)
    }

    pub(super) fn activity(self) -> Activity {
        const ALL: [Activity; 5] = [
            Activity::Idle,
            Activity::ReceivingBody,
            Activity::Answering,
            Activity::SendingAnswer,
            Activity::Closing,
        ];
        ALL[(self.0 >> TIME_BITS) as usize]
    }
}

/// The current activity of a connection.
pub(super) struct Current(AtomicU64);

impl Current {
    pub(super) fn new(since: Since) -> Current {
        Current(AtomicU64::new(since.0))
    }

    pub(super) fn get(&self) -> Since {
        Since(self.0.load(Ordering::SeqCst))
    }

    /// Starts an activity, unless the connection is closing.
    pub(super) fn set(&self, next: Since) {
        let next = |now| (Since(now).activity() != Activity::Closing).then_some(next.0);
        let _ = (self.0).fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
    }

    /// Goes from one activity to the next; returns false if it has changed since.
    pub(super) fn replace(&self, from: Since, to: Since) -> bool {
        let (success, failure) = (Ordering::SeqCst, Ordering::SeqCst);
        let replaced = self.0.compare_exchange(from.0, to.0, success, failure);
        replaced.is_ok()
    }
}
