//! Batches of `query`, from bytes to bytes, for the fuzz targets.

use std::io::Read;
use std::path::Path;

use clap::ValueEnum;
use granero::Tables;

use super::{Format, batch};
use granero_console::Failure;

/// Runs `query --batch --format FORMAT` on the sample tables, and returns the output, and the message if some
/// lines were wrong.
pub fn run(input: impl Read + Send + 'static, format: &str) -> (Vec<u8>, Result<(), String>) {
    let mut output = Vec::new();
    let ended = batch::run(
        Tables::sample(),
        None,
        Format::from_str(format, false).expect("the name of a format"),
        batch::Input::new(input),
        Path::new("-"),
        &mut output,
    );
    let ended = ended.map_err(|failure| match failure {
        // Lines that are wrong, and nothing else.
        Failure::Error {
            code: 2, message, ..
        } => message,
        other => panic!("{other:?}"),
    });
    (output, ended)
}
