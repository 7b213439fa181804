//! Positions as lines of text, looked up a chunk at a time: batches, of the command line and over HTTP.

mod answered;
mod chunks;
mod coming;
mod tsv;

pub(crate) use answered::{Answered, parse};
pub(crate) use chunks::{CHUNK, Chunks, LONGEST, PIECE, end_of_piece, lines, pieces};
pub(crate) use coming::{Coming, ENDLESS};
pub(crate) use tsv::write_tsv;
