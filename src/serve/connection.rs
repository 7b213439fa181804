//! A connection, as the requests on it see it: who waits for whom.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{self, Instant};

use crate::limits::{LONGEST_WAIT, SPAN};
use crate::metrics::METRICS;
use crate::problem::Problem;

pub(crate) struct Connection {
    pub(crate) address: IpAddr,
    /// Since when it waits for its client to send or to read; `None` while a request is answered.
    waits_since: watch::Sender<Option<Instant>>,
    /// True if its last answer leaves a body unread.
    pub(crate) leaves_body: AtomicBool,
}

impl Connection {
    pub(crate) fn new(from: IpAddr) -> Arc<Connection> {
        METRICS.connections.inc();
        Arc::new(Connection {
            address: from.to_canonical(),
            waits_since: watch::Sender::new(Some(Instant::now())),
            leaves_body: AtomicBool::new(false),
        })
    }

    pub(crate) fn waits_since(&self) -> Option<Instant> {
        *self.waits_since.borrow()
    }

    /// Says that it begins to wait for its client, or has what it has waited for.
    pub(crate) fn set_waiting(&self, waits: bool) {
        self.waits_since.send_replace(waits.then(Instant::now));
    }

    /// Returns when it has waited for its client for too long, which may read a little now and then.
    pub(crate) async fn too_slow(&self) {
        while self
            .waits_since()
            .is_none_or(|since| since.elapsed() < LONGEST_WAIT)
        {
            time::sleep(SPAN).await;
        }
    }

    /// Reads a body or a part of it, which has to come in this time.
    pub(crate) async fn receive<T>(
        &self,
        time: Duration,
        reading: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.set_waiting(true);
        // What has arrived already counts, too: it is read first.
        let read = time::timeout(time, reading).await;
        self.set_waiting(false);
        read.unwrap_or_else(|_| Err(Problem::timeout()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        METRICS.connections.dec();
    }
}
