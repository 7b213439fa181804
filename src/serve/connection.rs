//! A connection: what it does, and how fast its client takes answers.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::{self, Instant};

use crate::limits::Pace;

/// The state of a connection. In all states except one it waits for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// The next head arrives, or an answer is being sent.
    Waiting,
    /// The body of a request is arriving.
    ReceivingBody,
    /// A request is being answered.
    Answering,
}

pub(crate) struct Connection {
    pub(crate) address: IpAddr,
    since: Mutex<(Activity, Instant)>,
    /// True if a request has a body that is not read to its end.
    pub(crate) has_unread_body: AtomicBool,
    /// The bytes that were sent in this span.
    pub(crate) sent: AtomicUsize,
}

impl Connection {
    pub(crate) fn new(from: IpAddr) -> Arc<Connection> {
        Arc::new(Connection {
            address: from.to_canonical(),
            since: Mutex::new((Activity::Waiting, Instant::now())),
            has_unread_body: AtomicBool::new(false),
            sent: AtomicUsize::new(0),
        })
    }

    /// Returns its state, and the time of the last change.
    pub(crate) fn since(&self) -> MutexGuard<'_, (Activity, Instant)> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, activity: Activity) {
        *self.since() = (activity, Instant::now());
    }

    /// Waits until the client takes its answer more slowly than the least pace.
    pub(crate) async fn reads_too_slowly(&self) {
        loop {
            time::sleep(Pace::SPAN).await;
            let is_too_little = self.sent.swap(0, Relaxed) < Pace::LEAST;
            let (activity, since) = *self.since();
            let is_long = activity == Activity::Waiting && since.elapsed() >= Pace::SPAN;
            if is_too_little && is_long {
                return;
            }
        }
    }
}
