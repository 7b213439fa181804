//! Places for what takes memory, limited in total, for each network and for each address, so
//! that no client can take all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::peer::Peer;

/// How many places there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) all: usize,
    pub(super) address: usize,
    pub(super) network: usize,
}

/// Places, and who has taken them.
pub(super) struct Shares {
    most: Most,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    addresses: HashMap<IpAddr, usize>,
    networks: HashMap<IpAddr, usize>,
}

/// A place that was taken. It is free again when this is dropped.
pub(super) struct Share {
    of: Arc<Shares>,
    peer: Option<Peer>,
}

impl Shares {
    pub(super) fn new(most: Most) -> Arc<Shares> {
        Arc::new(Shares {
            most,
            taken: Mutex::default(),
        })
    }

    /// Takes a place, if there is one left for this peer. Without a peer only the number of
    /// all places counts.
    pub(super) fn take(self: &Arc<Shares>, peer: Option<Peer>) -> Option<Share> {
        let mut taken = self.taken();
        let full = |counts: &HashMap<IpAddr, usize>, key: IpAddr, most| {
            counts.get(&key).is_some_and(|&count| count >= most)
        };
        if taken.all >= self.most.all
            || peer.is_some_and(|peer| {
                full(&taken.addresses, peer.address, self.most.address)
                    || full(&taken.networks, peer.network, self.most.network)
            })
        {
            return None;
        }
        taken.all += 1;
        if let Some(peer) = peer {
            *taken.addresses.entry(peer.address).or_default() += 1;
            *taken.networks.entry(peer.network).or_default() += 1;
        }
        Some(Share {
            of: Arc::clone(self),
            peer,
        })
    }

    /// How many places are taken.
    pub(super) fn count(&self) -> usize {
        self.taken().all
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.of.taken();
        taken.all -= 1;
        if let Some(peer) = self.peer {
            less(&mut taken.addresses, peer.address);
            less(&mut taken.networks, peer.network);
        }
    }
}

/// Counts one less, and drops an entry that reaches zero.
pub(super) fn less(counts: &mut HashMap<IpAddr, usize>, key: IpAddr) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_client_takes_all_places() {
        let shares = Shares::new(Most {
            all: 6,
            address: 2,
            network: 3,
        });
        let take = |address: &str| shares.take(Some(Peer::of(address.parse().unwrap())));
        let first = [take("192.0.2.1"), take("192.0.2.1")];
        assert!(first.iter().all(Option::is_some));
        assert!(take("192.0.2.1").is_none(), "the address has its share");
        let third = take("192.0.2.2");
        assert!(take("192.0.2.3").is_none(), "the network has its share");
        let others = ["198.51.100.1", "203.0.113.1", "2001:db8::1"].map(take);
        assert!(others.iter().all(Option::is_some));
        assert!(take("198.51.100.2").is_none(), "all are taken");
        assert!(shares.take(None).is_none());
        drop((first, third));
        assert!(shares.take(None).is_some());
        drop(others);
        let taken = shares.taken();
        assert_eq!(taken.all, 0);
        assert!(taken.addresses.is_empty() && taken.networks.is_empty());
    }
}
