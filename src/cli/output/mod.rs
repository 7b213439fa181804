//! Prints the output of a verb, or the reason why there is none.

pub(crate) mod meter;
pub(crate) mod text;

use std::io::{self, Write};

use granero::notation::visible;
use serde::Serialize;

use granero_console::{Failure, INTERRUPTED, paint, say, style};

/// Prints the output of a verb, without colours if the terminal or the user wants none.
pub(crate) fn print(output: &str) -> Result<(), Failure> {
    if output.is_empty() {
        // A thread of the server may hold the lock without end.
        return Ok(());
    }
    let mut stdout = anstream::stdout().lock();
    let written = stdout.write_all(output.as_bytes());
    written_or_closed(written.and_then(|()| stdout.flush()))
}

/// Returns the error of output, unless the reader, for instance `head`, closed the pipe.
pub(crate) fn written_or_closed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(Failure::output),
    }
}

/// The version of the documents. A later version may remove fields or change their meaning; one that only
/// adds fields keeps the number.
const VERSION: u32 = 1;

/// A document of a verb with its version.
#[derive(Serialize)]
pub(crate) struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    document: T,
}

pub(crate) fn versioned<T: Serialize>(document: T) -> Versioned<T> {
    Versioned {
        version: VERSION,
        document,
    }
}

/// Formats a JSON document as the output of a verb.
pub(crate) fn json(document: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(&versioned(document));
    let text = text.map_err(|error| Failure::output(error.into()))?;
    Ok(text + "\n")
}

/// Prints a failure and returns its exit code as a number.
pub(crate) fn tell(failure: &Failure) -> u8 {
    let print_and_exit = |output, code| match print(output) {
        Ok(()) => code,
        Err(failure) => tell(&failure),
    };
    match failure {
        Failure::Negative(output) => print_and_exit(output, 1),
        Failure::Stopped(output) => print_and_exit(output, INTERRUPTED),
        #[cfg(feature = "mpi")]
        Failure::SaidElsewhere => 2,
        Failure::Error {
            code,
            message,
            place,
            help,
        } => {
            // If this write fails, the exit code has to do.
            say(&format!(
                "{} {}\n{}{} {}",
                paint(style::ERROR, "error:"),
                // It may repeat text from others, such as file names.
                visible(message),
                place.as_deref().unwrap_or_default(),
                paint(style::HELP, "help:"),
                visible(help),
            ));
            *code
        }
    }
}
