//! Carrying bytes from one process to another.
//!
//! * `carrier`: carriers of messages, and their errors;
//! * `channels`: processes that are threads of one program;
//! * `cluster`: a process among others, and the steps that all go through together;
//! * `message`: the layout of messages;
//! * `rough`: a carrier for tests;
//! * `silence`: processes that give no sign;
//! * `stream`: bytes that are sent as they are made.

mod carrier;
mod channels;
mod cluster;
mod message;
#[cfg(test)]
pub(crate) mod rough;
mod silence;
mod stream;

pub(crate) use carrier::bad;
pub use carrier::{Carrier, ClusterError};
pub use channels::{Channels, channels};
#[cfg(test)]
pub(crate) use cluster::with_causes;
pub use cluster::{Cluster, Traffic};
pub(crate) use cluster::{Patience, Received};
pub(crate) use message::{Message, Purpose, Sizes};
pub(crate) use stream::{Incoming, Outgoing};
