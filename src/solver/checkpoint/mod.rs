//! Checkpoints of a layer in progress.
//!
//! * `file`: in a file beside the files of finished layers;
//! * `in_memory`: in memory, for tests;
//! * `state`: what they hold, wherever they are kept.

pub(crate) mod file;
#[cfg(any(test, feature = "testing"))]
mod in_memory;
pub(crate) mod state;

pub use file::LayerCheckpoints;
pub(crate) use file::{Checkpoint, pieces_memory};
#[cfg(any(test, feature = "testing"))]
pub use in_memory::{InMemory, Kept};
pub use state::{Batch, CheckpointStore, NoCheckpoints, State};
