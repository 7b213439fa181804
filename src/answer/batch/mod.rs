//! Batches: positions as lines of text, looked up a chunk at a time, on the command line and over HTTP.
//!
//! * `chunks`: the sizes of chunks and pieces;
//! * `line_buffer`: lines that arrive in parts;
//! * `answered`: the answers to the lines of a chunk, also as tab-separated values.

mod answered;
mod chunks;
mod line_buffer;

pub use answered::{Answered, parse, write_tsv};
pub use chunks::{CHUNK, LONGEST, PIECE, end_of_piece, lines, pieces};
pub use line_buffer::{ENDLESS, LineBuffer};
