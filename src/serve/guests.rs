//! Which connections are let in: a limited number in total, for each network and each address.
//!
//! When there is no room for a new one, an idle connection gives way; if there is none, one
//! whose request is still arriving. Connections that are being answered stay.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::peer::Peer;
use crate::shares::{Most, less};

/// All connections.
pub(super) struct Guests {
    most: Most,
    /// Addresses that have no limit of their own.
    proxies: Vec<IpAddr>,
    /// A place for each connection, until it is closed. So there are never more, even while
    /// some of them are being closed.
    places: Arc<Semaphore>,
    roll: Mutex<Roll>,
    /// Times are counted from here.
    begin: Instant,
    refused: [AtomicU64; Refusal::ALL.len()],
    closed: AtomicU64,
}

/// The open connections.
#[derive(Default)]
struct Roll {
    addresses: HashMap<IpAddr, Vec<Arc<Guest>>>,
    networks: HashMap<IpAddr, usize>,
}

/// A connection.
pub(super) struct Guest {
    /// Where it comes from.
    pub(super) address: IpAddr,
    /// The peer that it counts for.
    peer: Peer,
    /// Whether it is that of a proxy, which asks for many.
    is_proxy: bool,
    /// What it is doing, and since when: see [`Doing`].
    doing: AtomicU64,
    begin: Instant,
    gone: Notify,
}

/// What happens on a connection. The order is that in which they give way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doing {
    /// Idle, or the head of a request is arriving.
    Nothing,
    /// The body of a request is arriving.
    Sending,
    /// A request is being answered.
    Waiting,
    /// The answer is being sent.
    Receiving,
    /// It is about to close.
    Leaving,
}

/// Why a connection is not let in: there is no room, and none gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Address,
    Network,
    All,
}

/// A connection that was let in.
pub(super) struct Visit {
    pub(super) guest: Arc<Guest>,
    guests: Arc<Guests>,
    _place: OwnedSemaphorePermit,
}

impl Guests {
    pub(super) fn new(most: Most, proxies: Vec<IpAddr>) -> Guests {
        Guests {
            most,
            proxies: proxies
                .iter()
                .map(|proxy| Peer::of(*proxy).address)
                .collect(),
            places: Arc::new(Semaphore::new(most.all)),
            roll: Mutex::default(),
            begin: Instant::now(),
            refused: Default::default(),
            closed: AtomicU64::new(0),
        }
    }

    /// Lets a connection in if there is room or another gives way, and waits for that one to close.
    pub(super) async fn admit(self: &Arc<Guests>, address: IpAddr) -> Result<Visit, Refusal> {
        let guest = self.enrol(address).inspect_err(|refusal| {
            self.refused[*refusal as usize].fetch_add(1, Ordering::Relaxed);
        })?;
        let place = Arc::clone(&self.places).acquire_owned().await;
        match place {
            Ok(place) => Ok(Visit {
                guest,
                guests: Arc::clone(self),
                _place: place,
            }),
            // The semaphore is never closed.
            Err(_) => Err(Refusal::All),
        }
    }

    fn enrol(&self, address: IpAddr) -> Result<Arc<Guest>, Refusal> {
        let peer = Peer::of(address);
        let mut roll = self.roll.lock().unwrap_or_else(PoisonError::into_inner);
        let is_proxy = self.proxies.contains(&peer.address);
        let here = roll.addresses.get(&peer.address).map_or(0, Vec::len);
        let near = roll.networks.get(&peer.network).copied().unwrap_or(0);
        let mut has_gone = false;
        if !is_proxy {
            if here >= self.most.address {
                has_gone = self.one_gives_way(&mut roll, Some(peer.address), |_| true);
                has_gone.then_some(()).ok_or(Refusal::Address)?;
            } else if near >= self.most.network {
                has_gone = self.one_gives_way(&mut roll, None, |guest| {
                    !guest.is_proxy && guest.peer.network == peer.network
                });
                has_gone.then_some(()).ok_or(Refusal::Network)?;
            }
        }
        if self.places.available_permits() == 0 && !has_gone {
            has_gone = self.one_gives_way(&mut roll, None, |_| true);
            has_gone.then_some(()).ok_or(Refusal::All)?;
        }
        let guest = Arc::new(Guest {
            address: address.to_canonical(),
            peer,
            is_proxy,
            doing: AtomicU64::new(Doing::Nothing.since(self.begin)),
            begin: self.begin,
            gone: Notify::new(),
        });
        let of_address = roll.addresses.entry(peer.address).or_default();
        of_address.push(Arc::clone(&guest));
        if !is_proxy {
            *roll.networks.entry(peer.network).or_default() += 1;
        }
        Ok(guest)
    }

    /// Closes one of some connections, or of those of one address if that is given: of the
    /// address with most of them, the one that was idle longest. Returns whether there was one.
    fn one_gives_way(
        &self,
        roll: &mut Roll,
        address: Option<IpAddr>,
        may: impl Fn(&Guest) -> bool,
    ) -> bool {
        loop {
            let of_address = |guests: &Vec<Arc<Guest>>| {
                // All connections of an address agree in this.
                guests.first().filter(|first| may(first))?;
                let doing = guests
                    .iter()
                    .map(|guest| (guest.doing.load(Ordering::SeqCst), guest));
                let (doing, guest) = doing.min_by_key(|(doing, _)| *doing)?;
                let what = Doing::of(doing);
                // One proxy has the connections of many clients.
                let number = if guest.is_proxy { 0 } else { guests.len() };
                let order = (what, std::cmp::Reverse(number), doing);
                (what <= Doing::Sending).then(|| (order, doing, Arc::clone(guest)))
            };
            let one = address.and_then(|address| roll.addresses.get(&address));
            let all = address.is_none().then(|| roll.addresses.values());
            let lists = one.into_iter().chain(all.into_iter().flatten());
            let candidates = lists.filter_map(of_address);
            let Some((_, doing, guest)) = candidates.min_by_key(|(order, ..)| *order) else {
                return false;
            };
            // It may have become busy meanwhile: then it stays, and another one is tried.
            if guest.goes_on(doing, Doing::Leaving.since(self.begin)) {
                strike(roll, &guest);
                guest.gone.notify_one();
                self.closed.fetch_add(1, Ordering::Relaxed);
                return true;
            }
        }
    }

    /// Connections that are open.
    pub(super) fn open(&self) -> usize {
        self.most.all - self.places.available_permits()
    }

    /// How many connections were not let in, by the limit that was reached.
    pub(super) fn refused(&self) -> [(&'static str, u64); Refusal::ALL.len()] {
        Refusal::ALL.map(|refusal| {
            let count = &self.refused[refusal as usize];
            (refusal.name(), count.load(Ordering::Relaxed))
        })
    }

    /// How many connections gave way to others.
    pub(super) fn closed(&self) -> u64 {
        self.closed.load(Ordering::Relaxed)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut roll = self
            .guests
            .roll
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        strike(&mut roll, &self.guest);
    }
}

/// Removes a connection from the list, if it is still there.
fn strike(roll: &mut Roll, guest: &Arc<Guest>) {
    let Some(of_address) = roll.addresses.get_mut(&guest.peer.address) else {
        return;
    };
    let place = of_address.iter().position(|here| Arc::ptr_eq(here, guest));
    let Some(place) = place else {
        return;
    };
    of_address.swap_remove(place);
    if of_address.is_empty() {
        roll.addresses.remove(&guest.peer.address);
    }
    if !guest.is_proxy {
        less(&mut roll.networks, guest.peer.network);
    }
}

impl Guest {
    /// The peer that limits count this for; `None` for a proxy.
    pub(super) fn counted(&self) -> Option<Peer> {
        (!self.is_proxy).then_some(self.peer)
    }

    /// The head of a request is here.
    pub(super) fn asks(&self) {
        self.does(Doing::Waiting);
    }

    /// The body of the request is needed.
    pub(super) fn sends(&self) {
        self.does(Doing::Sending);
    }

    /// There is an answer.
    pub(super) fn is_answered(&self) {
        self.does(Doing::Receiving);
    }

    /// All that there was is sent.
    pub(super) fn has_received(&self) {
        let now = self.doing.load(Ordering::SeqCst);
        if Doing::of(now) == Doing::Receiving {
            self.goes_on(now, Doing::Nothing.since(self.begin));
        }
    }

    /// Waits until this connection is to be closed.
    pub(super) async fn gives_way(&self) {
        self.gone.notified().await;
    }

    /// A closing connection does nothing else.
    fn does(&self, what: Doing) {
        let next = what.since(self.begin);
        let stays = |now| (Doing::of(now) != Doing::Leaving).then_some(next);
        let _ = (self.doing).fetch_update(Ordering::SeqCst, Ordering::SeqCst, stays);
    }

    fn goes_on(&self, from: u64, to: u64) -> bool {
        let (success, failure) = (Ordering::SeqCst, Ordering::SeqCst);
        let exchanged = self.doing.compare_exchange(from, to, success, failure);
        exchanged.is_ok()
    }
}

/// The upper bits of what a guest does say what, the others since when, in microseconds.
const TIME_BITS: u32 = 60;

impl Doing {
    const ALL: [Doing; 5] = [
        Doing::Nothing,
        Doing::Sending,
        Doing::Waiting,
        Doing::Receiving,
        Doing::Leaving,
    ];

    fn since(self, begin: Instant) -> u64 {
        let now = begin.elapsed().as_micros() as u64;
        (self as u64) << TIME_BITS | now
    }

    fn of(doing: u64) -> Doing {
        Doing::ALL[(doing >> TIME_BITS) as usize]
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

    fn guests(proxies: &[&str]) -> Arc<Guests> {
        let most = Most {
            all: 6,
            address: 2,
            network: 3,
        };
        let proxies = proxies.iter().map(|proxy| proxy.parse().unwrap());
        Arc::new(Guests::new(most, proxies.collect()))
    }

    /// Lets a connection in, at once or not at all.
    fn admit(guests: &Arc<Guests>, address: &str) -> Result<Visit, Refusal> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let address = address.parse().unwrap();
        runtime.unwrap().block_on(guests.admit(address))
    }

    fn is_leaving(visit: &Visit) -> bool {
        Doing::of(visit.guest.doing.load(Ordering::SeqCst)) == Doing::Leaving
    }

    #[test]
    fn an_address_makes_room_for_itself() {
        let guests = guests(&[]);
        let first = admit(&guests, "192.0.2.1").unwrap();
        let second = admit(&guests, "192.0.2.1").unwrap();
        let third = admit(&guests, "192.0.2.1").unwrap();
        assert!(is_leaving(&first) && !is_leaving(&second) && !is_leaving(&third));
        second.guest.asks();
        third.guest.asks();
        assert_eq!(admit(&guests, "192.0.2.1").err(), Some(Refusal::Address));
        // One whose body comes gives way only if there is none without a request.
        third.guest.sends();
        let fourth = admit(&guests, "192.0.2.1").unwrap();
        assert!(is_leaving(&third) && !is_leaving(&second));
        second.guest.is_answered();
        second.guest.has_received();
        fourth.guest.asks();
        assert!(admit(&guests, "192.0.2.1").is_ok());
        assert!(is_leaving(&second));
        assert_eq!(
            guests.refused(),
            [("address", 1), ("network", 0), ("all", 0)]
        );
        assert_eq!(guests.closed(), 3);
    }

    #[test]
    fn a_guest_keeps_its_own_address() {
        let guests = guests(&[]);
        for (address, kept) in [
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
        ] {
            let visit = admit(&guests, address).unwrap();
            assert_eq!(visit.guest.address.to_string(), kept);
        }
    }

    #[test]
    fn a_network_makes_room_for_itself() {
        let guests = guests(&[]);
        let visits: Vec<Visit> = ["192.0.2.1", "192.0.2.2", "192.0.2.2"]
            .map(|address| admit(&guests, address).unwrap())
            .into();
        // The oldest of the address that has most.
        let third = admit(&guests, "192.0.2.3").unwrap();
        assert_eq!(
            [0, 1, 2].map(|place| is_leaving(&visits[place])),
            [false, true, false]
        );
        for visit in visits.iter().chain([&third]) {
            visit.guest.asks();
        }
        assert_eq!(admit(&guests, "192.0.2.4").err(), Some(Refusal::Network));
        assert!(admit(&guests, "198.51.100.1").is_ok());
    }

    #[test]
    fn a_proxy_may_take_what_there_is() {
        let guests = guests(&["192.0.2.1"]);
        let proxy: Vec<Visit> = (0..6)
            .map(|_| admit(&guests, "192.0.2.1").unwrap())
            .collect();
        assert!(proxy.iter().all(|visit| visit.guest.counted().is_none()));
        for visit in &proxy {
            visit.guest.asks();
        }
        assert_eq!(admit(&guests, "198.51.100.1").err(), Some(Refusal::All));
        drop(proxy);
        assert_eq!(guests.open(), 0);
        let roll = guests.roll.lock().unwrap();
        assert!(roll.addresses.is_empty() && roll.networks.is_empty());
    }
}
