//! Only for the fuzz targets in `fuzz/`: the code that reads lines of batches and HTTP requests,
//! as functions from bytes to results.

pub use crate::verb::query::fuzzing::{LONGEST_LINE, batch, chunks, pieces};
pub use granero_serve::fuzzing::{Conversation, Site, list};
