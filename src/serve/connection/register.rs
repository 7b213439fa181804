//! The register of open connections: a limited number in total, for each network and each address.
//!
//! If there is no room for a new connection, an idle one is evicted; if there is none, one whose
//! request is still arriving. Connections that are being answered stay.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::activity::{Activity, Since};
use crate::limits::{Caps, Peer, decrement};

pub(crate) struct Connections {
    caps: Caps,
    /// Addresses without limits of their own.
    proxies: Vec<IpAddr>,
    /// A place for each connection until it is closed, so that there are never more, even while
    /// evicted ones are closing.
    places: Arc<Semaphore>,
    by_client: Mutex<ByClient>,
    refused: [AtomicU64; Refusal::ALL.len()],
    evicted: AtomicU64,
}

/// The open connections, except evicted ones.
#[derive(Default)]
struct ByClient {
    addresses: HashMap<IpAddr, Vec<Arc<Connection>>>,
    networks: HashMap<IpAddr, usize>,
}

pub(crate) struct Connection {
    pub(crate) address: IpAddr,
    /// The peer whose limits count it.
    peer: Peer,
    /// True for a proxy, which has connections for many clients.
    is_proxy: bool,
    since: Mutex<Since>,
    evicted: Notify,
}

/// Why a connection is not admitted: there is no room, and no connection can be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Address,
    Network,
    All,
}

/// A connection that was admitted. It leaves the register when this is dropped.
pub(crate) struct Admitted {
    pub(crate) connection: Arc<Connection>,
    register: Arc<Connections>,
    _place: OwnedSemaphorePermit,
}

impl Connections {
    pub(crate) fn new(caps: Caps, proxies: Vec<IpAddr>) -> Connections {
        let proxies = proxies.into_iter().map(|proxy| Peer::of(proxy).address);
        Connections {
            caps,
            proxies: proxies.collect(),
            places: Arc::new(Semaphore::new(caps.all)),
            by_client: Mutex::default(),
            refused: Default::default(),
            evicted: AtomicU64::new(0),
        }
    }

    /// Admits a connection if there is room. If another must be evicted, waits until that one is
    /// closed.
    pub(crate) async fn admit(self: &Arc<Connections>, from: IpAddr) -> Result<Admitted, Refusal> {
        let connection = self.enter(from).inspect_err(|refusal| {
            self.refused[*refusal as usize].fetch_add(1, Ordering::Relaxed);
        })?;
        match Arc::clone(&self.places).acquire_owned().await {
            Ok(place) => Ok(Admitted {
                connection,
                register: Arc::clone(self),
                _place: place,
            }),
            // The semaphore is never closed.
            Err(_) => Err(Refusal::All),
        }
    }

    fn enter(&self, address: IpAddr) -> Result<Arc<Connection>, Refusal> {
        let peer = Peer::of(address);
        let mut by_client = self.lock();
        let is_proxy = self.proxies.contains(&peer.address);
        let of_address = by_client.addresses.get(&peer.address).map_or(0, Vec::len);
        let of_network = by_client.networks.get(&peer.network).copied().unwrap_or(0);
        let mut has_evicted = false;
        if !is_proxy {
            if of_address >= self.caps.address {
                has_evicted = self.evict(&mut by_client, Some(peer.address), |_| true);
                has_evicted.then_some(()).ok_or(Refusal::Address)?;
            } else if of_network >= self.caps.network {
                has_evicted = self.evict(&mut by_client, None, |connection| {
                    !connection.is_proxy && connection.peer.network == peer.network
                });
                has_evicted.then_some(()).ok_or(Refusal::Network)?;
            }
        }
        if self.places.available_permits() == 0 && !has_evicted {
            has_evicted = self.evict(&mut by_client, None, |_| true);
            has_evicted.then_some(()).ok_or(Refusal::All)?;
        }
        let connection = Arc::new(Connection {
            address: address.to_canonical(),
            peer,
            is_proxy,
            since: Mutex::new(Since::now(Activity::Idle)),
            evicted: Notify::new(),
        });
        let here = by_client.addresses.entry(peer.address).or_default();
        here.push(Arc::clone(&connection));
        if !is_proxy {
            *by_client.networks.entry(peer.network).or_default() += 1;
        }
        Ok(connection)
    }

    /// Evicts the longest-idle connection of the busiest address, or of `address`, among those that
    /// `may` be evicted. Returns false if there is none.
    fn evict(
        &self,
        by_client: &mut ByClient,
        address: Option<IpAddr>,
        may: impl Fn(&Connection) -> bool,
    ) -> bool {
        loop {
            let longest_idle = |connections: &Vec<Arc<Connection>>| {
                // `may` is the same for all connections of an address.
                connections.first().filter(|first| may(first))?;
                let all = connections.iter();
                let all = all.map(|connection| (*connection.since(), connection));
                let (since, connection) = all.min_by_key(|(since, _)| *since)?;
                let activity = since.activity;
                // A proxy has the connections of many clients, and is not busy for that.
                let number = if connection.is_proxy {
                    0
                } else {
                    connections.len()
                };
                let order = (activity, Reverse(number), since);
                (activity <= Activity::ReceivingBody)
                    .then(|| (order, since, Arc::clone(connection)))
            };
            let one = address.and_then(|address| by_client.addresses.get(&address));
            let all = address.is_none().then(|| by_client.addresses.values());
            let lists = one.into_iter().chain(all.into_iter().flatten());
            let candidates = lists.filter_map(longest_idle);
            let Some((_, since, connection)) = candidates.min_by_key(|(order, ..)| *order) else {
                return false;
            };
            // If it has become busy since, it stays, and the next one is tried.
            let mut now = connection.since();
            if *now == since {
                *now = Since::now(Activity::Closing);
                drop(now);
                by_client.remove(&connection);
                connection.evicted.notify_one();
                self.evicted.fetch_add(1, Ordering::Relaxed);
                return true;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, ByClient> {
        self.by_client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self) -> usize {
        self.caps.all - self.places.available_permits()
    }

    /// Counts the refused connections by the limit that was reached.
    pub(crate) fn refused(&self) -> [(&'static str, u64); Refusal::ALL.len()] {
        Refusal::ALL.map(|refusal| {
            let count = &self.refused[refusal as usize];
            (refusal.name(), count.load(Ordering::Relaxed))
        })
    }

    pub(crate) fn evicted(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.register.lock().remove(&self.connection);
    }
}

impl ByClient {
    /// Removes a connection, if it is still there.
    fn remove(&mut self, connection: &Arc<Connection>) {
        let Some(here) = self.addresses.get_mut(&connection.peer.address) else {
            return;
        };
        let place = here.iter().position(|other| Arc::ptr_eq(other, connection));
        let Some(place) = place else {
            return;
        };
        here.swap_remove(place);
        if here.is_empty() {
            self.addresses.remove(&connection.peer.address);
        }
        if !connection.is_proxy {
            decrement(&mut self.networks, connection.peer.network);
        }
    }
}

impl Connection {
    /// Returns the peer whose limits count this connection; `None` for a proxy.
    pub(crate) fn counted_peer(&self) -> Option<Peer> {
        (!self.is_proxy).then_some(self.peer)
    }

    fn since(&self) -> MutexGuard<'_, Since> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts an activity, unless the connection is closing.
    pub(crate) fn set(&self, activity: Activity) {
        let mut since = self.since();
        if since.activity != Activity::Closing {
            *since = Since::now(activity);
        }
    }

    /// Notes that everything written so far is sent.
    pub(crate) fn sent(&self) {
        let mut since = self.since();
        if since.activity == Activity::SendingAnswer {
            *since = Since::now(Activity::Idle);
        }
    }

    /// Waits until this connection is evicted.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Refusal {
    const ALL: [Refusal; 3] = [Refusal::Address, Refusal::Network, Refusal::All];

    fn name(self) -> &'static str {
        match self {
            Refusal::Address => "address",
            Refusal::Network => "network",
            Refusal::All => "all",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(proxies: &[&str]) -> Arc<Connections> {
        let most = Caps {
            all: 6,
            address: 2,
            network: 3,
        };
        let proxies = proxies.iter().map(|proxy| proxy.parse().unwrap());
        Arc::new(Connections::new(most, proxies.collect()))
    }

    /// Admits a connection without waiting for another to close.
    fn admit(connections: &Arc<Connections>, address: &str) -> Result<Admitted, Refusal> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let address = address.parse().unwrap();
        runtime.unwrap().block_on(connections.admit(address))
    }

    fn is_closing(admitted: &Admitted) -> bool {
        admitted.connection.since().activity == Activity::Closing
    }

    #[test]
    fn an_address_makes_room_for_itself() {
        let connections = connections(&[]);
        let first = admit(&connections, "192.0.2.1").unwrap();
        let second = admit(&connections, "192.0.2.1").unwrap();
        let third = admit(&connections, "192.0.2.1").unwrap();
        assert!(is_closing(&first) && !is_closing(&second) && !is_closing(&third));
        second.connection.set(Activity::Answering);
        third.connection.set(Activity::Answering);
        assert_eq!(
            admit(&connections, "192.0.2.1").err(),
            Some(Refusal::Address)
        );
        // One with an arriving body is evicted only if none is idle.
        third.connection.set(Activity::ReceivingBody);
        let fourth = admit(&connections, "192.0.2.1").unwrap();
        assert!(is_closing(&third) && !is_closing(&second));
        second.connection.set(Activity::SendingAnswer);
        second.connection.sent();
        fourth.connection.set(Activity::Answering);
        assert!(admit(&connections, "192.0.2.1").is_ok());
        assert!(is_closing(&second));
        assert_eq!(
            connections.refused(),
            [("address", 1), ("network", 0), ("all", 0)]
        );
        assert_eq!(connections.evicted(), 3);
    }

    #[test]
    fn a_connection_keeps_its_own_address() {
        let connections = connections(&[]);
        for (address, kept) in [
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
        ] {
            let admitted = admit(&connections, address).unwrap();
            assert_eq!(admitted.connection.address.to_string(), kept);
        }
    }

    #[test]
    fn a_network_makes_room_for_itself() {
        let connections = connections(&[]);
        let all_admitted: Vec<Admitted> = ["192.0.2.1", "192.0.2.2", "192.0.2.2"]
            .map(|address| admit(&connections, address).unwrap())
            .into();
        // The oldest one of the busiest address.
        let third = admit(&connections, "192.0.2.3").unwrap();
        assert_eq!(
            [0, 1, 2].map(|place| is_closing(&all_admitted[place])),
            [false, true, false]
        );
        for admitted in all_admitted.iter().chain([&third]) {
            admitted.connection.set(Activity::Answering);
        }
        assert_eq!(
            admit(&connections, "192.0.2.4").err(),
            Some(Refusal::Network)
        );
        assert!(admit(&connections, "198.51.100.1").is_ok());
    }

    #[test]
    fn a_proxy_may_take_what_there_is() {
        let connections = connections(&["192.0.2.1"]);
        let proxy: Vec<Admitted> = (0..6)
            .map(|_| admit(&connections, "192.0.2.1").unwrap())
            .collect();
        assert!(
            proxy
                .iter()
                .all(|admitted| admitted.connection.counted_peer().is_none())
        );
        for admitted in &proxy {
            admitted.connection.set(Activity::Answering);
        }
        assert_eq!(
            admit(&connections, "198.51.100.1").err(),
            Some(Refusal::All)
        );
        drop(proxy);
        assert_eq!(connections.open(), 0);
        let by_client = connections.lock();
        assert!(by_client.addresses.is_empty() && by_client.networks.is_empty());
    }
}
