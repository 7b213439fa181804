//! What the command prints.

use std::io::{self, Write};

use crate::failure::Failure;

/// Prints the output of a verb, without its colours where they do not belong.
pub(crate) fn print(output: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    match stdout
        .write_all(output.as_bytes())
        .and_then(|()| stdout.flush())
    {
        // Whoever reads, for instance `head`, has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(Failure::Output),
    }
}

/// A JSON document as the output of a verb.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(document).map_err(|error| Failure::Output(error.into()))?;
    Ok(text + "\n")
}

/// Writes a line to stderr. Whether anybody reads it makes no difference to the verb.
pub(crate) fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}
