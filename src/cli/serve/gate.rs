//! Work that takes longer than an answer may keep others waiting: it is done on threads of
//! its own, a bounded number at a time, of which no address has all.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::{task, time};

use super::peer::Peer;
use super::problem::Problem;

/// How long a request waits for its turn before it is told to come again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lets so much work be done at a time.
pub(super) struct Gate {
    places: Arc<Semaphore>,
    /// So many of the places at most are for one address.
    of_address: usize,
    addresses: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

impl Gate {
    pub(super) fn new(places: usize) -> Gate {
        Gate {
            places: Arc::new(Semaphore::new(places)),
            of_address: (places * 3 / 4).max(1),
            addresses: Mutex::default(),
        }
    }

    /// Does some work for somebody when it is its turn, on a thread that may wait for disks.
    ///
    /// It is done to its end even if nobody waits for it any more, and keeps its place until
    /// then; so there is never more of it than places.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        peer: Option<Peer>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let share = peer.map(|peer| self.share(peer.address));
        let places = Arc::clone(&self.places);
        let turn = async move {
            // Who waits for others of the same address keeps nobody else waiting.
            let share = match share {
                Some(share) => share.acquire_owned().await.ok(),
                None => None,
            };
            let place = places.acquire_owned().await;
            place.map(|place| (share, place))
        };
        let Ok(Ok(place)) = time::timeout(PATIENCE, turn).await else {
            return Err(Problem::overloaded());
        };
        let done = task::spawn_blocking(move || {
            let result = work();
            drop(place);
            result
        });
        done.await.map_err(|_| Problem::internal())
    }
    /// The places that an address may have.
    fn share(&self, address: IpAddr) -> Arc<Semaphore> {
        let addresses = &self.addresses;
        let mut addresses = addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = addresses.get(&address).and_then(Weak::upgrade) {
            return share;
        }
        // Those who have nothing to do here any more.
        addresses.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.of_address));
        addresses.insert(address, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn no_address_has_all_places() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let gate = Arc::new(Gate::new(2));
        let of = |address: &str| Some(Peer::of(address.parse().unwrap()));
        let (go, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let busy: Vec<_> = (0..2)
            .map(|_| {
                let (gate, held) = (Arc::clone(&gate), Arc::clone(&held));
                runtime.spawn(async move {
                    let wait = move || held.lock().unwrap().recv().is_ok();
                    gate.work(of("192.0.2.1"), wait).await.is_ok()
                })
            })
            .collect();
        let other = runtime.block_on(gate.work(of("192.0.2.2"), || 7));
        assert_eq!(other.unwrap(), 7);
        drop(go);
        for one in busy {
            // The second of them was done after the first, or given up.
            runtime.block_on(one).unwrap();
        }
    }
}
