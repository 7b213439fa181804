//! Limits on what clients make the server hold and do, and the memory and open files for that.
//!
//! * `gate`: admits a bounded amount of work at a time;
//! * `open_files`: asks the system for enough open files;
//! * `pace`: the least pace of bytes;
//! * `peer`: a client as limits see it;
//! * `permits`: permits for what takes memory, in total, for an address and for a network;
//! * `searches`: searches beyond the tables.

pub(crate) mod gate;
mod open_files;
pub(crate) mod pace;
pub(crate) mod peer;
pub(crate) mod permits;
pub(crate) mod searches;

pub(crate) use gate::Gate;
pub(crate) use pace::{Pace, SPAN};
pub(crate) use peer::Peer;
pub(crate) use permits::{Caps, Permit, Permits, decrement};
pub(crate) use searches::{SearchOptions, SearchTurn, Searches};

use std::net::IpAddr;
use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;
use granero_console::{Failure, machine};

/// The default limit of connections, which fits into the 4,096 open files of older systems.
const CONNECTIONS: usize = 2048;

/// The default limits for an address and for a network, but at most an eighth and half of all
/// connections.
const OF_ADDRESS: usize = 256;
const OF_NETWORK: usize = 1024;

/// The number of positions that are looked up in files at a time.
pub(crate) const READERS: usize = 32;

/// The number of threads for lines, batches and statistics on a machine of any size. Each may take
/// [`WORK`]. A single address could occupy a single one.
const WORKERS: RangeInclusive<usize> = 2..=8;

pub const BATCH_POSITIONS: usize = 10_000;

/// The most bytes of the body of a batch in JSON.
pub const BATCH_BYTES: usize = 1 << 20;

/// The most bytes of a refused body that are read and dropped, so that a client that sends
/// everything before it reads learns what is wrong.
pub(crate) const PATIENT_BYTES: usize = 16 << 20;

/// The most bytes of the body with a game.
pub(crate) const GAME_BYTES: usize = 64 << 10;

/// The most bodies above [`SMALL_BODY`] at a time, and the most answers above [`LARGE_ANSWER`].
pub(crate) const LARGE: Caps = Caps {
    all: 32,
    address: 16,
    network: 24,
};

/// The most batches of lines at a time. They are looked up one after the other.
pub(crate) const LINE_BATCHES: Caps = Caps {
    all: 3,
    address: 2,
    network: 2,
};

/// The largest body that a connection may send without a permit for large ones.
pub(crate) const SMALL_BODY: usize = 4 << 10;

/// The largest answer that a connection may hold without a permit for large ones.
pub(crate) const LARGE_ANSWER: usize = 16 << 10;

const MIB: u64 = 1 << 20;

/// The memory of the program itself, the page, manifests and indices of tables, and the log.
const PROGRAM: u64 = 40 * MIB;

/// The memory of a connection: buffers of 16 KiB for the head of a request and for an answer, the
/// fields of a head, which may be many, and a small body. The worst known case takes 60 KiB.
const CONNECTION: u64 = 80 << 10;

/// The memory of an answer to a batch: 10,000 times about 420 bytes, the size of an error that
/// quotes 20 characters as escapes.
const ANSWER: u64 = 5 * MIB;

/// The memory of one piece of work; the largest is a line.
const WORK: u64 = 64 * MIB;

/// The memory of a thread that looks a position up in a file: a block, its decoder, a stack.
const READER: u64 = MIB;

/// The memory of a batch of lines: a chunk of text, and the results for its lines.
const LINE_BATCH: u64 = 64 * MIB;

/// The memory for looking up chunks, one at a time.
const LINES: u64 = 320 * MIB;

/// Limits of the server
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ClientLimits {
    /// The most connections; when the limit is reached, idle ones are closed first
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS, value_parser = number(1..=1_000_000))]
    connections: usize,

    /// The most connections from one address (with IPv6: one /64); 0 means no limit [default:
    /// 256, or an eighth of --connections if that is less]
    #[arg(long, value_name = "N")]
    per_address: Option<usize>,

    /// The most connections from one network (a /24, with IPv6 a /48); 0 means no limit
    /// [default: 1024, or half of --connections if that is less]
    #[arg(long, value_name = "N")]
    per_network: Option<usize>,

    /// The address of a proxy in front of the server, which these two limits do not apply to; may be
    /// given several times
    #[arg(long = "proxy", value_name = "ADDRESS")]
    pub(crate) proxies: Vec<IpAddr>,
}

/// Reads a number within a range.
fn number(range: RangeInclusive<usize>) -> impl TypedValueParser<Value = usize> {
    move |text: &str| -> Result<usize, String> {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (first, last) = (range.start(), range.end());
        number.ok_or_else(|| format!("a number from {first} to {last} is needed"))
    }
}

impl ClientLimits {
    pub(crate) fn connections(&self) -> Caps {
        let all = self.connections;
        let limit = |given: Option<usize>, default: usize| match given {
            Some(0) => usize::MAX,
            Some(number) => number,
            None => default.max(1),
        };
        Caps {
            all,
            address: limit(self.per_address, OF_ADDRESS.min(all / 8)),
            network: limit(self.per_network, OF_NETWORK.min(all / 2)),
        }
    }

    /// Adds up the most memory that the server takes; `docs/deploy.md` has the same figures. `cache`
    /// is for decoded blocks of all tables, `searches` for all searches.
    pub(crate) fn memory(&self, cache: u64, searches: u64) -> MemoryBudget {
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
        MemoryBudget { parts }
    }

    /// Makes sure that connections and tables can open as many files as they need.
    pub(crate) fn allow_files(&self, tables: u64) -> Result<(), Failure> {
        open_files::allow(self.connections as u64, tables)
    }
}

/// Returns the number of threads for lines, batches and statistics.
pub(crate) fn workers() -> usize {
    machine::processors().clamp(*WORKERS.start(), *WORKERS.end())
}

/// The most memory that the server takes, by purpose.
pub(crate) struct MemoryBudget {
    parts: [(&'static str, u64); 8],
}

impl MemoryBudget {
    /// Returns the line for the log.
    pub(crate) fn line(&self) -> String {
        let mib = |bytes: u64| bytes.div_ceil(MIB);
        let parts = self
            .parts
            .map(|(purpose, bytes)| format!("{purpose} {}", mib(bytes)));
        let total = mib(self.parts.iter().map(|(_, bytes)| bytes).sum());
        format!("memory: at most {total} MiB: {}\n", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_has_all_connections_unless_that_is_wanted() {
        let most = |connections, per_address, per_network| {
            let limits = ClientLimits {
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
}
