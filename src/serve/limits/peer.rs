//! A client as limits see it: an address and its network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address and its network.
///
/// A host with IPv6 usually has a /64 to itself and can use any address of it, so a /64
/// counts as one address, and a /48 as its network. With IPv4 the network is a /24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    pub(crate) network: IpAddr,
}

impl Peer {
    pub(crate) fn of(address: IpAddr) -> Peer {
        match address.to_canonical() {
            IpAddr::V4(address) => Peer {
                address: address.into(),
                network: Ipv4Addr::from_bits(address.to_bits() & !0 << 8).into(),
            },
            IpAddr::V6(address) => Peer {
                address: Ipv6Addr::from_bits(address.to_bits() & !0 << 64).into(),
                network: Ipv6Addr::from_bits(address.to_bits() & !0 << 80).into(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_networks() {
        for (address, counted, network) in [
            ("192.0.2.130", "192.0.2.130", "192.0.2.0"),
            ("::ffff:192.0.2.130", "192.0.2.130", "192.0.2.0"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", "2001:db8:1::"),
        ] {
            let peer = Peer::of(address.parse().unwrap());
            assert_eq!(peer.address, counted.parse::<IpAddr>().unwrap());
            assert_eq!(peer.network, network.parse::<IpAddr>().unwrap());
        }
    }
}
