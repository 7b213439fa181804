//! Styles of the output, and messages on stderr, apart from it. A verb goes on even if they cannot be written.

use std::fmt::Display;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::builder::Styles;
use granero::notation::visible;

/// Headings of a text.
pub const HEADING: Style = Style::new().bold();
/// Seeds that a player wins.
pub const GAIN: Style = AnsiColor::Green.on_default().bold();
/// Estimates, which nothing proves.
pub const ESTIMATE: Style = AnsiColor::Yellow.on_default();
/// Minor remarks.
pub const FAINT: Style = Style::new().dimmed();
/// The word `error`.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The word `help`.
pub const HELP: Style = AnsiColor::Cyan.on_default().bold();

pub const CLAP: Styles = Styles::styled()
    .header(HEADING)
    .usage(HEADING)
    .literal(AnsiColor::Cyan.on_default())
    .error(ERROR);

pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes a line.
pub fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Writes a line that begins with `note:`.
pub fn note(text: &str) {
    say(&format!("{} {}", paint(HELP, "note:"), visible(text)));
}
