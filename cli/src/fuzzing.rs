//! For the fuzz targets in `fuzz/`, and for nothing else: what reads lines of batches and HTTP
//! requests, as functions from bytes to what became of them.

pub use crate::serve::fuzzing::{Conversation, Site, list};
pub use crate::verb::query::fuzzing::{LONGEST_LINE, batch, chunks, pieces};
