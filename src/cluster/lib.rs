//! Builds by several processes, which solve layers together and write the tables that one process
//! writes. `docs/internals/large-builds.md` explains it.
//!
//! The processes are numbered from 0. A [`Carrier`] takes messages from one to another: between the
//! threads of a program there are [`channels()`]; the command `granero` has a carrier for MPI.
//!
//! Programs depend on the crate `granero`, which has all of this as `granero::cluster`.

mod builder;
mod carry;
mod checkpoints;
mod needs;
mod owners;
mod peers;
mod tables;

pub use carry::{Carrier, Channels, Cluster, ClusterError, Traffic, channels};
pub use needs::{check, memory_needed, temporary_disk};
