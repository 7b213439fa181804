//! Solving layers, and building tables of them.
//!
//! Programs depend on the crate `granero`, which has all of this. Items that are hidden in the
//! documentation are for its other crates, and no promise.

pub mod build;
mod checkpoint;
pub mod cluster;
mod graph;
mod known;
mod passes;
mod ranks;
pub mod solve;
mod threads;
mod write;

pub use checkpoint::file::Checkpoint;
pub use write::copy::{Part, TableCopy};
pub use write::lock::is_being_written;
pub use write::writer::TableWriter;
