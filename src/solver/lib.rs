//! Solving layers, and building tables of them.
//!
//! Programs depend on the crate `granero`, which has all of this. Items that are hidden in the
//! documentation are for its other crates, and no promise.

mod bands;
pub mod build;
#[doc(hidden)]
pub mod checkpoint;
#[doc(hidden)]
pub mod graph;
#[doc(hidden)]
pub mod known;
mod passes;
pub mod solve;
mod sweep;
mod threads;
#[doc(hidden)]
pub mod thresholds;
#[doc(hidden)]
pub mod tuning;
#[doc(hidden)]
pub mod write;

/// News on its way from settled positions to their predecessors.
#[doc(hidden)]
pub mod news {
    pub use crate::known::news::NewsRow;
    pub use crate::known::packed_news::{read_number, read_row, write_number, write_row};
    pub use crate::passes::exchange::{Arrived, Exchange};
    pub use crate::passes::gathered_row::{GatheredRow, MOST_SERVED};
}

#[doc(hidden)]
pub use bands::Moved;
pub use checkpoint::file::Checkpoint;
pub use write::copy::{Part, TableCopy};
pub use write::lock::is_being_written;
pub use write::writer::TableWriter;
