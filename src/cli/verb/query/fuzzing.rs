//! Batches for the fuzz targets: the parts that read input from elsewhere, from bytes to
//! results.

use std::io::{self, Read};
use std::path::Path;

use clap::ValueEnum;
use granero::Tables;

use super::{Format, batch};
use granero_answer::batch::{Chunks, LONGEST};
use granero_console::failure::Failure;

/// The longest line, in bytes, that is read as a position.
pub const LONGEST_LINE: usize = LONGEST;

/// Hands over the lines of an input as they come, with a buffer of `LONGEST_LINE + 2` bytes or
/// more.
pub fn chunks(input: impl Read, buffer: usize, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut chunks = Chunks::with_buffer(input, buffer);
    while let Some(chunk) = chunks.next_chunk()? {
        take(chunk);
    }
    Ok(())
}

/// Whole lines in pieces of about this size, each for one thread.
pub fn pieces(chunk: &[u8], size: usize) -> Vec<&[u8]> {
    granero_answer::batch::pieces(chunk, size)
}

/// What `query --batch --format FORMAT` prints with the sample tables, and what it says at the
/// end if something was wrong.
pub fn batch(input: impl Read + 'static, format: &str) -> (Vec<u8>, Result<(), String>) {
    let mut output = Vec::new();
    let format = Format::from_str(format, false).expect("the name of a format");
    let input = batch::Input::new(input);
    let ended = batch::run(
        Tables::sample(),
        None,
        format,
        input,
        Path::new("-"),
        &mut output,
    );
    let ended = ended.map_err(|failure| match failure {
        Failure::NotPossible { message, .. } => message,
        other => panic!("{other:?}"),
    });
    (output, ended)
}
