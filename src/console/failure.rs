//! Failures of verbs: what is wrong, and what to do about it.

use std::io;

use granero::notation::ParseError;
use granero::rules::Refusal;
use granero::{ReplayError, ReplayErrorReason};

use crate::excerpt::excerpt;

/// Why a verb fails, or its negative finding.
#[derive(Debug)]
pub enum Failure {
    /// The work is done and the finding is negative: this is the output.
    Negative(String),
    /// An argument that cannot be read.
    BadInput {
        message: String,
        /// The place in the input, with a mark below it.
        place: Option<String>,
        help: &'static str,
    },
    /// The request cannot be fulfilled.
    NotPossible { message: String, help: String },
    /// Data is missing, damaged, or cannot be written; or the system gives too little.
    Data { message: String, help: String },
    /// The output cannot be written.
    Output(io::Error),
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

/// The exit code if data is missing, damaged, or cannot be written, or if the system gives too
/// little memory or too few threads.
pub const DATA: u8 = 3;

/// The exit code if the user stopped the work.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    /// A text that is not `what` it should be.
    pub fn bad_text(what: &str, text: &str, error: &ParseError, help: &'static str) -> Failure {
        let message = if text.trim_end().contains('\n') {
            let (line, column) = error.line_and_column(text);
            let ParseError {
                expected, found, ..
            } = error;
            format!("not {what}: line {line}, column {column}: expected {expected}, found {found}")
        } else {
            format!("not {what}: {error}")
        };
        Failure::BadInput {
            message,
            place: excerpt(text, error.at),
            help,
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
        Failure::NotPossible {
            message: format!("{what}: {reason}"),
            help: help.into(),
        }
    }
}

#[cfg(feature = "mpi")]
impl Failure {
    /// The failure of something that the user may not see, such as another process.
    pub fn of(&self, what: &str) -> Failure {
        let (message, help) = match self {
            Failure::NotPossible { message, help } => {
                let message = format!("{what}: {message}");
                let help = help.clone();
                return Failure::NotPossible { message, help };
            }
            Failure::Data { message, help } => (message.clone(), help.clone()),
            _ => ("it has failed".into(), "see what it says above".into()),
        };
        let message = format!("{what}: {message}");
        Failure::Data { message, help }
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Failure {
        let what = format!("move {} ({})", error.number, error.sown);
        Failure::impossible(&what, &error.reason)
    }
}
