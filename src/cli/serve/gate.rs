//! Work that takes longer than an answer may keep others waiting: it is done on threads of
//! its own, a bounded number at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::{task, time};

use super::problem::Problem;

/// How long a request waits for its turn before it is told to come again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lets so much work be done at a time.
pub(super) struct Gate {
    places: Arc<Semaphore>,
}

impl Gate {
    pub(super) fn new(places: usize) -> Gate {
        Gate {
            places: Arc::new(Semaphore::new(places)),
        }
    }

    /// Does some work when it is its turn, on a thread that may wait for disks.
    ///
    /// It is done to its end even if nobody waits for it any more, and keeps its place until
    /// then; so there is never more of it than places.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let place = Arc::clone(&self.places).acquire_owned();
        let place = time::timeout(PATIENCE, place).await;
        let Ok(Ok(place)) = place else {
            return Err(Problem::overloaded());
        };
        let done = task::spawn_blocking(move || {
            let result = work();
            drop(place);
            result
        });
        done.await.map_err(|_| Problem::internal())
    }
}
