//! Does long work on threads of its own, a bounded number at a time, so that it delays no short
//! answers. No address and no network can have all of these threads, unless there is only one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{AcquireError, Semaphore};
use tokio::{task, time};

use crate::limits::peer::Peer;
use crate::reply::Problem;

/// The default time that a request waits for its turn before it is told to try again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Admits a bounded amount of work at a time.
pub(crate) struct Gate {
    patience: Duration,
    size: usize,
    places: Arc<Semaphore>,
    addresses: Shares,
    networks: Shares,
}

/// The share of the places that each address or each network may have.
struct Shares {
    places: usize,
    in_use: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

impl Gate {
    pub(crate) fn new(places: usize) -> Gate {
        Gate {
            patience: PATIENCE,
            size: places,
            places: Arc::new(Semaphore::new(places)),
            addresses: Shares::new(places * 3 / 4),
            networks: Shares::new(places * 7 / 8),
        }
    }

    /// Lets requests wait this long for their turn.
    pub(crate) fn with_patience(self, patience: Duration) -> Gate {
        Gate { patience, ..self }
    }

    /// Returns the number of places in use.
    pub(crate) fn busy(&self) -> usize {
        self.size - self.places.available_permits()
    }

    /// Does some work for a client in its turn, on a thread that may wait for disks.
    ///
    /// The work is finished even if the client is gone, and keeps its place until then, so there
    /// is never more work than places.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        peer: Option<Peer>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let shares = peer.map(|peer| {
            let Peer { address, network } = peer;
            (self.addresses.of(address), self.networks.of(network))
        });
        let places = Arc::clone(&self.places);
        let turn = async move {
            // Waiting for the client's own share must not take a place from other clients.
            let share = match shares {
                Some((address, network)) => Some((
                    address.acquire_owned().await?,
                    network.acquire_owned().await?,
                )),
                None => None,
            };
            let place = places.acquire_owned().await?;
            Ok::<_, AcquireError>((share, place))
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

impl Shares {
    fn new(places: usize) -> Shares {
        Shares {
            places: places.max(1),
            in_use: Mutex::default(),
        }
    }

    /// Returns the share of an address or a network.
    fn of(&self, key: IpAddr) -> Arc<Semaphore> {
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = in_use.get(&key).and_then(Weak::upgrade) {
            return share;
        }
        // Drop clients without work.
        in_use.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.places));
        in_use.insert(key, Arc::downgrade(&share));
        share
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

    /// Gives two addresses of one network as much work as there are places.
    fn others_have_a_place(places: usize, busy: [&'static str; 2]) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let gate = Arc::new(Gate::new(places));
        let of = |address: &str| Some(Peer::of(address.parse().unwrap()));
        let (go, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let tasks: Vec<_> = (0..places)
            .map(|place| {
                let client = of(busy[place % 2]);
                let (gate, held) = (Arc::clone(&gate), Arc::clone(&held));
                runtime.spawn(async move {
                    let wait = move || held.lock().unwrap().recv().is_ok();
                    gate.work(client, wait).await.is_ok()
                })
            })
            .collect();
        let other = runtime.block_on(gate.work(of("198.51.100.1"), || 7));
        assert_eq!(other.unwrap(), 7);
        drop(go);
        for task in tasks {
            // Some were done after others, or given up.
            runtime.block_on(task).unwrap();
        }
    }
}
