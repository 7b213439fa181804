//! Only for the fuzz targets in `fuzz/`: the code that reads lines of batches and HTTP requests,
//! as functions from bytes to results.

pub use crate::serve::fuzzing::{Conversation, Site, list};
pub use crate::verb::query::fuzzing::{LONGEST_LINE, batch, chunks, pieces};
