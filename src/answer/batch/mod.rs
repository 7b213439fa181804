//! Positions as lines of text, looked up a chunk at a time: batches, of the command line and over HTTP.

mod answered;
mod chunks;
mod line_buffer;
mod tsv;

pub use answered::{Answered, parse};
pub use chunks::{CHUNK, Chunks, LONGEST, PIECE, end_of_piece, lines, pieces};
pub use line_buffer::{ENDLESS, LineBuffer};
pub use tsv::write_tsv;
