//! Solving layers, and building tables of them.
//!
//! Programs depend on the crate `granero`, which has all of this. Items that are hidden in the
//! documentation are for its other crates, and no promise.

pub mod build;
#[doc(hidden)]
pub mod checkpoint;
mod pieces;
mod progress;
#[doc(hidden)]
pub mod smaller;
pub mod solve;
mod sweep;
#[doc(hidden)]
pub mod tuning;

pub use checkpoint::file::Checkpoint;

/// Several processes that solve a layer together.
#[doc(hidden)]
pub mod processes {
    pub use crate::sweep::{Peers, SweptLayer, SweptValues};
}
