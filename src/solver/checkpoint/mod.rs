//! Checkpoints of a layer in progress.
//!
//! * `file`: in a file beside the files of finished layers;
//! * `in_memory`: in memory, for tests;
//! * `state`: what they hold, wherever they are kept.

pub(crate) mod file;
#[cfg(test)]
mod in_memory;
pub(crate) mod state;

pub use file::LayerCheckpoints;
pub(crate) use file::{Checkpoint, pieces_memory};
#[cfg(test)]
pub(crate) use in_memory::InMemory;
pub use state::{Batch, CheckpointStore, NoCheckpoints, State};
