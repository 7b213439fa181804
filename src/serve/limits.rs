//! The limits on what clients make the server hold, and the memory and open files they need.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use crate::descriptors;
use crate::shares::Most;
use granero_console::failure::Failure;
use granero_console::machine;

/// The default limit of connections: as many as fit into the 4,096 files that older systems
/// let a program open.
const CONNECTIONS: usize = 2048;

/// The default limits for an address and for a network; an eighth and half of all connections
/// if these are fewer.
const OF_ADDRESS: usize = 256;
const OF_NETWORK: usize = 1024;

/// How many positions are looked up in files at a time.
pub(super) const READERS: usize = 32;

/// How many threads work on lines, batches and statistics, on a machine of any size: each may
/// take [`WORK`]. With only one, a single address could occupy it.
const WORKERS: RangeInclusive<usize> = 2..=8;

/// The most positions of a batch, and the most bytes of its body.
pub const BATCH_POSITIONS: usize = 10_000;
pub const BATCH_BYTES: usize = 1 << 20;

/// How much of a body that is refused is read and dropped, so that a client that sends everything
/// before it reads learns what is wrong.
pub(super) const PATIENT_BYTES: usize = 16 << 20;

/// The most bytes of the body with a game.
pub(super) const GAME_BYTES: usize = 64 << 10;

/// Bodies that are larger than [`SMALL_BODY`], and answers that are larger than
/// [`LARGE_ANSWER`]: how many there may be at a time.
pub(super) const LARGE: Most = Most {
    all: 32,
    address: 16,
    network: 24,
};

/// Batches of lines: how many there may be at a time. They are looked up one after the other.
pub(super) const LINE_BATCHES: Most = Most {
    all: 3,
    address: 2,
    network: 2,
};

/// The largest body that a connection may send without a place in [`LARGE`].
pub(super) const SMALL_BODY: usize = 4 << 10;

/// The largest answer that a connection may hold without a place in [`LARGE`].
pub(super) const LARGE_ANSWER: usize = 16 << 10;

const MIB: u64 = 1 << 20;

/// The program itself, the page, the tables' manifests and indices, the lines of the log.
const PROGRAM: u64 = 40 * MIB;

/// A connection: buffers of 16 KiB for the head of a request and for an answer, the fields of a
/// head, which may be many, and a small body. The worst that was found takes 60 KiB.
const CONNECTION: u64 = 80 << 10;

/// An answer to a batch: at most 10,000 times some 420 bytes, the size of an error that quotes
/// 20 characters as escapes.
const ANSWER: u64 = 5 * MIB;

/// The memory of one piece of work; a line takes most.
const WORK: u64 = 64 * MIB;

/// A thread that looks a position up in a file: a block, what it is decoded with, a stack.
const READER: u64 = MIB;

/// A batch of lines: a chunk as it came, and what is known of its lines.
const LINE_BATCH: u64 = 64 * MIB;

/// Looking up a chunk, of which there is one at a time.
const LINES: u64 = 320 * MIB;

/// Limits of the server
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Limits {
    /// The most connections; when all are taken, idle ones are closed first
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS, value_parser = connections)]
    connections: usize,

    /// The most connections from one address (with IPv6: one /64); 0 means no limit [default:
    /// 256, or an eighth of --connections if that is less]
    #[arg(long, value_name = "N")]
    per_address: Option<usize>,

    /// The most connections from one network (a /24, with IPv6 a /48); 0 means no limit
    /// [default: 1024, or half of --connections if that is less]
    #[arg(long, value_name = "N")]
    per_network: Option<usize>,

    /// The address of a proxy in front of the server, exempt from these two limits; may be given
    /// several times
    #[arg(long = "proxy", value_name = "ADDRESS")]
    pub(super) proxies: Vec<IpAddr>,
}

fn connections(text: &str) -> Result<usize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| "a number from 1 to 1000000 is needed".into())
}

impl Limits {
    /// How many connections there may be.
    pub(super) fn connections(&self) -> Most {
        let all = self.connections;
        let limit = |given: Option<usize>, usual: usize| match given {
            Some(0) => usize::MAX,
            Some(number) => number,
            None => usual.max(1),
        };
        Most {
            all,
            address: limit(self.per_address, OF_ADDRESS.min(all / 8)),
            network: limit(self.per_network, OF_NETWORK.min(all / 2)),
        }
    }

    /// The most memory that the server takes, and for what: `docs/deploy.md` has the same
    /// figures. `cache` is for the decoded blocks of all tables, `searches` what all of them take
    /// together.
    pub(super) fn memory(&self, cache: u64, searches: u64) -> Memory {
        let parts = [
            ("program", PROGRAM),
            ("decoded blocks", cache),
            ("connections", self.connections as u64 * CONNECTION),
            ("bodies", LARGE.all as u64 * BATCH_BYTES as u64),
            ("answers", LARGE.all as u64 * ANSWER),
            ("work", workers() as u64 * WORK + READERS as u64 * READER),
            ("lines", LINE_BATCHES.all as u64 * LINE_BATCH + LINES),
            ("searches", searches),
        ];
        Memory { parts }
    }

    /// Makes sure that connections and tables can open the files that they need.
    pub(super) fn allow_files(&self, tables: u64) -> Result<(), Failure> {
        descriptors::allow(self.connections as u64, tables)
    }
}

/// How many lines, batches and statistics are computed at a time.
pub(super) fn workers() -> usize {
    machine::processors().clamp(*WORKERS.start(), *WORKERS.end())
}

/// What the memory of the server is for.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    parts: [(&'static str, u64); 8],
}

impl Memory {
    /// The most bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.parts.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The line for the log.
    pub(super) fn line(&self) -> String {
        let mib = |bytes: u64| bytes.div_ceil(MIB);
        let parts = self
            .parts
            .map(|(what, bytes)| format!("{what} {}", mib(bytes)));
        let total = mib(self.bytes());
        format!("memory: at most {total} MiB: {}\n", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_has_all_connections_unless_that_is_wanted() {
        let most = |connections, per_address, per_network| {
            let limits = Limits {
                connections,
                per_address,
                per_network,
                proxies: Vec::new(),
            };
            let most = limits.connections();
            (most.address, most.network)
        };
        assert_eq!(most(1_000_000, None, None), (256, 1024));
        assert_eq!(most(CONNECTIONS, None, None), (256, 1024));
        assert_eq!(most(200, None, None), (25, 100));
        assert_eq!(most(1, None, None), (1, 1));
        assert_eq!(most(200, Some(199), Some(0)), (199, usize::MAX));
    }

    #[test]
    fn no_address_has_all_workers() {
        assert!((2..=8).contains(&workers()));
    }
}
