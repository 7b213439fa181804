//! Long work is done on threads of its own, a bounded number at a time, so that it does not
//! delay short answers. No address and no network can have all of these threads, unless there is
//! only one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{AcquireError, Semaphore};
use tokio::{task, time};

use crate::peer::Peer;
use crate::problem::Problem;

/// How long a request waits for its turn before it is told to try again, unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(2);

/// Limits how much work is done at a time.
pub(super) struct Gate {
    patience: Duration,
    most: usize,
    places: Arc<Semaphore>,
    addresses: Parts,
    networks: Parts,
}

/// The part of the places that one address or one network may have.
struct Parts {
    places: usize,
    taken: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

impl Gate {
    pub(super) fn new(places: usize) -> Gate {
        Gate {
            patience: PATIENCE,
            most: places,
            places: Arc::new(Semaphore::new(places)),
            addresses: Parts::new(places * 3 / 4),
            networks: Parts::new(places * 7 / 8),
        }
    }

    /// The same, where requests wait for some time.
    pub(super) fn with_patience(self, patience: Duration) -> Gate {
        Gate { patience, ..self }
    }

    /// How much work is being done.
    pub(super) fn busy(&self) -> usize {
        self.most - self.places.available_permits()
    }

    /// Does some work for a client when it is its turn, on a thread that may wait for disks.
    ///
    /// The work is finished even if the client is gone, and keeps its place until then, so there
    /// is never more work than places.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        peer: Option<Peer>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let parts = peer.map(|peer| {
            let Peer { address, network } = peer;
            (self.addresses.of(address), self.networks.of(network))
        });
        let places = Arc::clone(&self.places);
        let turn = async move {
            // To wait for one's own address or network must not take a place from others.
            let part = match parts {
                Some((address, network)) => Some((
                    address.acquire_owned().await?,
                    network.acquire_owned().await?,
                )),
                None => None,
            };
            let place = places.acquire_owned().await?;
            Ok::<_, AcquireError>((part, place))
        };
        let Ok(Ok(place)) = time::timeout(self.patience, turn).await else {
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

impl Parts {
    fn new(places: usize) -> Parts {
        Parts {
            places: places.max(1),
            taken: Mutex::default(),
        }
    }

    /// The part of an address or a network.
    fn of(&self, key: IpAddr) -> Arc<Semaphore> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = taken.get(&key).and_then(Weak::upgrade) {
            return part;
        }
        // Drop clients without work.
        taken.retain(|_, part| part.strong_count() > 0);
        let part = Arc::new(Semaphore::new(self.places));
        taken.insert(key, Arc::downgrade(&part));
        part
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn no_address_and_no_network_has_all_places() {
        others_have_a_place(2, ["192.0.2.1", "192.0.2.1"]);
        others_have_a_place(4, ["192.0.2.1", "192.0.2.2"]);
    }

    /// Lets two addresses, which are in one network, have as much work as there are places.
    fn others_have_a_place(places: usize, busy: [&'static str; 2]) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let gate = Arc::new(Gate::new(places));
        let of = |address: &str| Some(Peer::of(address.parse().unwrap()));
        let (go, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let busy: Vec<_> = (0..places)
            .map(|place| {
                let busy = of(busy[place % 2]);
                let (gate, held) = (Arc::clone(&gate), Arc::clone(&held));
                runtime.spawn(async move {
                    let wait = move || held.lock().unwrap().recv().is_ok();
                    gate.work(busy, wait).await.is_ok()
                })
            })
            .collect();
        let other = runtime.block_on(gate.work(of("198.51.100.1"), || 7));
        assert_eq!(other.unwrap(), 7);
        drop(go);
        for one in busy {
            // The second of them was done after the first, or given up.
            runtime.block_on(one).unwrap();
        }
    }
}
