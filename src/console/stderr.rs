//! Messages on stderr, apart from the output. A verb goes on even if they cannot be written.

use std::io::Write;

use granero::notation::visible;

use crate::style::{self, paint};

/// Writes a line.
pub fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Writes a line that begins with `note:`.
pub fn note(text: &str) {
    say(&format!(
        "{} {}",
        paint(style::HELP, "note:"),
        visible(text)
    ));
}
