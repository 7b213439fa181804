//! Builds by several processes, which solve layers together and write the tables that one process
//! writes. `docs/internals/large-builds.md` explains it.
//!
//! The processes are numbered from 0. A [`Carrier`] takes messages from one to another: between the
//! threads of a program there are [`channels()`]; the command `granero` has a carrier for MPI.
//!
//! Programs depend on the crate `granero`, which has all of this as `granero::cluster`.

mod builder;
mod carrier;
mod channels;
mod cluster;
mod needs;
mod peers;
#[cfg(test)]
mod rough;
mod tables;

pub use carrier::{Carrier, ClusterError};
pub use channels::{Channels, channels};
pub use cluster::Cluster;
pub use needs::{check, memory_needed, temporary_disk};
