//! Several processes that build tables together: what carries bytes from one to another.
//!
//! The processes are called ranks, and are numbered from 0. What carries their parcels is a
//! [`Carrier`]: within a process there are [`channels()`]; the program has one for MPI.
//! `docs/cluster.md` explains what is sent, and why nothing is lost.

mod carrier;
mod channels;
mod mail;
mod parcel;
#[cfg(test)]
pub(crate) mod rough;
mod silence;
mod stream;

pub use carrier::{Carrier, ClusterError};
pub use channels::{Channels, channels};
#[cfg(test)]
pub(crate) use mail::with_causes;
pub use mail::{Cluster, Traffic};
pub(crate) use mail::{Patience, Taken};
pub(crate) use parcel::{Kind, Parcel, Sizes, read_number, write_number};
pub(crate) use stream::{Incoming, Outgoing};
