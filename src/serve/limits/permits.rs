//! Permits for what takes memory, limited in total, for each network and for each address, so that
//! no client can take all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::peer::Peer;
use crate::reply::Problem;

/// The largest numbers in total, for one address, and for one network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caps {
    pub(crate) all: usize,
    pub(crate) address: usize,
    pub(crate) network: usize,
}

/// Permits, and how many of them each client has.
pub(crate) struct Permits {
    caps: Caps,
    in_use: Mutex<InUse>,
}

#[derive(Default)]
struct InUse {
    all: usize,
    addresses: HashMap<IpAddr, usize>,
    networks: HashMap<IpAddr, usize>,
}

/// A permit in use. It is free again when this is dropped.
pub(crate) struct Permit {
    of: Arc<Permits>,
    peer: Option<Peer>,
}

impl Permits {
    pub(crate) fn new(caps: Caps) -> Arc<Permits> {
        Arc::new(Permits {
            caps,
            in_use: Mutex::default(),
        })
    }

    /// Takes a permit, if there is one left for this peer. Without a peer only the total counts.
    pub(crate) fn take(self: &Arc<Permits>, peer: Option<Peer>) -> Result<Permit, Problem> {
        let mut in_use = self.in_use();
        let is_full = |counts: &HashMap<IpAddr, usize>, key: IpAddr, cap| {
            counts.get(&key).is_some_and(|&count| count >= cap)
        };
        if in_use.all >= self.caps.all
            || peer.is_some_and(|peer| {
                is_full(&in_use.addresses, peer.address, self.caps.address)
                    || is_full(&in_use.networks, peer.network, self.caps.network)
            })
        {
            return Err(Problem::overloaded());
        }
        in_use.all += 1;
        if let Some(peer) = peer {
            *in_use.addresses.entry(peer.address).or_default() += 1;
            *in_use.networks.entry(peer.network).or_default() += 1;
        }
        Ok(Permit {
            of: Arc::clone(self),
            peer,
        })
    }

    /// Returns the number of permits in use.
    pub(crate) fn count(&self) -> usize {
        self.in_use().all
    }

    fn in_use(&self) -> MutexGuard<'_, InUse> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut in_use = self.of.in_use();
        in_use.all -= 1;
        if let Some(peer) = self.peer {
            decrement(&mut in_use.addresses, peer.address);
            decrement(&mut in_use.networks, peer.network);
        }
    }
}

/// Counts one less, and removes an entry that reaches zero.
pub(crate) fn decrement(counts: &mut HashMap<IpAddr, usize>, key: IpAddr) {
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
    fn no_client_takes_all_permits() {
        let permits = Permits::new(Caps {
            all: 6,
            address: 2,
            network: 3,
        });
        let take = |address: &str| permits.take(Some(Peer::of(address.parse().unwrap())));
        let first = [take("192.0.2.1"), take("192.0.2.1")];
        assert!(first.iter().all(Result::is_ok));
        assert!(take("192.0.2.1").is_err(), "the address has its share");
        let third = take("192.0.2.2");
        assert!(take("192.0.2.3").is_err(), "the network has its share");
        let others = ["198.51.100.1", "203.0.113.1", "2001:db8::1"].map(take);
        assert!(others.iter().all(Result::is_ok));
        assert!(take("198.51.100.2").is_err(), "all are in use");
        assert!(permits.take(None).is_err());
        drop((first, third));
        assert!(permits.take(None).is_ok());
        drop(others);
        let in_use = permits.in_use();
        assert_eq!(in_use.all, 0);
        assert!(in_use.addresses.is_empty() && in_use.networks.is_empty());
    }
}
