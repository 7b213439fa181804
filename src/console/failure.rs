//! Failures of verbs: what is wrong, and what to do about it.

use std::io;
use std::path::Path;

use granero::notation::{ParseError, is_hidden};
use granero::rules::Refusal;
use granero::{ReplayError, ReplayErrorReason};

/// Why a verb fails, or its negative finding.
#[derive(Debug)]
pub enum Failure {
    /// The work is done and the finding is negative: this is the output.
    Negative(String),
    /// What is wrong, and what to do about it.
    Error {
        code: u8,
        message: String,
        /// The place in the input, with a mark below it.
        place: Option<String>,
        help: String,
    },
    /// The user stopped the work: this is the output so far.
    Stopped(String),
    /// The request cannot be fulfilled, and another process has said why.
    #[cfg(feature = "mpi")]
    SaidElsewhere,
}

/// Help for a file of tables that cannot be read.
pub const UNREADABLE: &str =
    "check that it exists and can be read, or name another directory with --db";

/// Help if memory runs out.
pub const MORE_MEMORY: &str =
    "ask for less at a time, such as fewer seeds; or allow more memory, see `ulimit -a`";

/// Help if threads cannot be started.
pub const MORE_THREADS: &str = "allow more processes and memory, see `ulimit -a`";

/// The exit code if an argument cannot be read, or the request cannot be fulfilled.
const NOT_POSSIBLE: u8 = 2;

/// The exit code if data is missing, damaged, or cannot be written, or if the system gives too
/// little memory or too few threads.
pub const DATA: u8 = 3;

/// The exit code if the user stopped the work.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    /// The request cannot be fulfilled.
    pub fn not_possible(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::with(NOT_POSSIBLE, message, help)
    }

    /// Data is missing, damaged, or cannot be written; or the system gives too little.
    pub fn data(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::with(DATA, message, help)
    }

    /// Returns the output of work whose finding is good or negative.
    pub fn unless(is_good: bool, output: String) -> Result<String, Failure> {
        if !is_good {
            return Err(Failure::Negative(output));
        }
        Ok(output)
    }

    /// The output cannot be written.
    pub fn output(error: io::Error) -> Failure {
        Failure::data(
            format!("cannot write the output: {error}"),
            "check where the output goes: is the disk full, the file writable?",
        )
    }

    /// A file cannot be read.
    pub fn unreadable(file: &Path, error: &io::Error, help: &str) -> Failure {
        let file = file.display();
        Failure::data(format!("cannot read {file}: {error}"), help)
    }

    fn with(code: u8, message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Error {
            code,
            message: message.into(),
            place: None,
            help: help.into(),
        }
    }

    /// A text that is not `what` it should be.
    pub fn bad_text(what: &str, text: &str, error: &ParseError, help: &str) -> Failure {
        let message = if text.trim_end().contains('\n') {
            let (line, column) = error.line_and_column(text);
            let (expected, found) = (&error.expected, &error.found);
            format!("not {what}: line {line}, column {column}: expected {expected}, found {found}")
        } else {
            format!("not {what}: {error}")
        };
        Failure::Error {
            code: NOT_POSSIBLE,
            message,
            place: excerpt(text, error.at),
            help: help.into(),
        }
    }

    /// An impossible move of a record; `what` names the move.
    pub fn impossible(what: &str, reason: &ReplayErrorReason) -> Failure {
        // If a move would leave the opponent without seeds, the ruleset decides whether it is legal
        // and what it captures.
        let depends_on_rules = match reason {
            ReplayErrorReason::Illegal { illegal, .. } => {
                matches!(illegal.refusal, Refusal::GrandSlam | Refusal::MustFeed)
            }
            reason => matches!(reason, ReplayErrorReason::OtherCapture { .. }),
        };
        let help = if depends_on_rules {
            "correct the record; or, if the game was played by other rules, \
             use tables for these: `granero build --rules NAME --db DIR`"
        } else {
            "correct the record from this move on"
        };
        Failure::not_possible(format!("{what}: {reason}"), help)
    }
}

#[cfg(feature = "mpi")]
impl Failure {
    /// The failure of something that the user may not see, such as another process.
    pub fn of(&self, what: &str) -> Failure {
        match self {
            Failure::Error {
                code,
                message,
                help,
                ..
            } => Failure::with(*code, format!("{what}: {message}"), help),
            _ => Failure::data(format!("{what}: it has failed"), "see what it says above"),
        }
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Failure {
        let what = format!("move {} ({})", error.number, error.sown);
        Failure::impossible(&what, &error.reason)
    }
}

/// The longest line that is shown whole with its error.
const LONGEST_LINE: usize = 100;

/// The characters of a longer line that are shown before the place, and in all.
const BEFORE: usize = 40;
const SHOWN: usize = 76;

/// The line of a text that holds the `at`-th character, or the part of a long line around it, with a
/// mark below. `None` if there is nothing to show.
fn excerpt(text: &str, at: usize) -> Option<String> {
    let mut before = 0;
    for line in text.split('\n') {
        let length = line.chars().count();
        if at <= before + length {
            let column = at - before;
            let (start, end) = if length > LONGEST_LINE {
                let start = column.saturating_sub(BEFORE).min(length - SHOWN);
                (start, start + SHOWN)
            } else {
                (0, length)
            };
            let visible = |c: char| if is_hidden(c) { ' ' } else { c };
            let shown: String = line
                .chars()
                .skip(start)
                .take(end - start)
                .map(visible)
                .collect();
            let [left, right] = [start > 0, end < length].map(|cut| if cut { "…" } else { "" });
            let mark = " ".repeat(column - start + left.chars().count());
            return (length > 0).then(|| format!("  | {left}{shown}{right}\n  | {mark}^\n"));
        }
        before += length + 1;
    }
    None
}
