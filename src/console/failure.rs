//! Why a verb fails: what is wrong, and what to do about it.

use std::io;
use std::path::Path;

use granero::build::BuildError;
#[cfg(feature = "mpi")]
use granero::cluster::ClusterError;
use granero::notation::{ParseError, is_hidden};
use granero::rules::Refusal;
use granero::{Cycles, ReplayError, ReplayErrorReason, TableError};

use crate::hint;
use granero_answer::causes::with_causes;

/// Why a verb fails, or that what it found is negative.
#[derive(Debug)]
pub enum Failure {
    /// The work is done and the finding is negative: this is the output.
    Negative(String),
    /// An argument that cannot be read.
    BadInput {
        /// What is wrong.
        message: String,
        /// The place in the input, drawn.
        place: Option<String>,
        /// What to do about it.
        help: &'static str,
    },
    /// What was asked for cannot be done here.
    NotPossible {
        /// Why not.
        message: String,
        /// What can be done instead.
        help: String,
    },
    /// Data is missing, damaged, or cannot be written; or the system gives too little.
    Data {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The output cannot be written.
    Output(io::Error),
    /// The user stopped the work: this is the output as far as there is one.
    Stopped(String),
    /// What was asked for cannot be done, and another process has said why.
    #[cfg(feature = "mpi")]
    SaidElsewhere,
}

/// What to do about a file of some tables that cannot be read.
pub const UNREADABLE: &str =
    "check that it is there and can be read, or name another directory with --db";

/// What to do where memory runs out.
pub const MORE_MEMORY: &str =
    "ask for less at a time, such as fewer seeds; or allow more memory, see `ulimit -a`";

/// What to do where no threads can be started.
pub const MORE_THREADS: &str = "allow more processes and memory, see `ulimit -a`";

/// The exit code where data is missing, damaged, or cannot be written, and where the system gives too
/// little memory or too few threads.
pub const DATA: u8 = 3;

/// The exit code of work that the user stopped.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    /// A text that is not what it should be.
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
            place: point_at(text, error.at),
            help,
        }
    }

    /// A move of a record that is impossible; `what` says which it is.
    pub fn impossible(what: &str, reason: &ReplayErrorReason) -> Failure {
        // What is legal and what it captures depends on the ruleset where a move would
        // leave the opponent without seeds.
        let depends_on_rules = match reason {
            ReplayErrorReason::Illegal { illegal, .. } => {
                matches!(illegal.refusal, Refusal::GrandSlam | Refusal::MustFeed)
            }
            reason => matches!(reason, ReplayErrorReason::OtherCapture { .. }),
        };
        let help = if depends_on_rules {
            "correct the record; or, if the game was played by other rules, \
             use tables of those: `granero build --rules NAME --db DIR`"
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

impl From<TableError> for Failure {
    fn from(error: TableError) -> Failure {
        let message = with_causes(&error);
        let help = match &error {
            TableError::NotEmpty { .. } => "name another directory with --db".into(),
            TableError::OtherRules {
                wanted_rules,
                wanted_cycles,
                ..
            } => format!(
                "name another directory with --db: `granero build{}{} --db {wanted_rules}-db`",
                hint::rules_option(*wanted_rules),
                hint::cycles_option(*wanted_cycles),
            ),
            TableError::NoTables { path, .. }
            | TableError::Io {
                action: "make the directory",
                path,
                ..
            } if path.is_file() => {
                format!("{} is a file: name a directory with --db", path.display())
            }
            TableError::OtherExtent { wanted, .. } => match wanted.is_full() {
                true => "add to them with --deciding, or name another directory with --db".into(),
                false => "leave out --deciding, or name another directory with --db".into(),
            },
            TableError::OtherValues { .. } => {
                "name another directory with --db; `granero verify` says which values are right"
                    .into()
            }
            TableError::Busy { .. } => {
                "wait until it is done, or name another directory with --db".into()
            }
            TableError::Locked { path, .. } => format!(
                "end that program; or remove {}, which no build needs now",
                path.display()
            ),
            TableError::NoLock { path } => {
                format!("see what it is, and remove {}", path.display())
            }
            TableError::Moved { .. } => {
                "the finished layers are intact where it is now: move it back, or name it with \
                 --db, and the same command continues; without it, build again"
                    .into()
            }
            TableError::LockLost { .. } => {
                "leave that file alone while a build goes on; when no other build is writing \
                 there, `granero verify --quick` looks at the files, and the same command continues"
                    .into()
            }
            TableError::OtherFormat { .. } => {
                "use the version that wrote it, or name another directory with --db".into()
            }
            TableError::NoSuchLayer { .. } => {
                "`granero build --help` says how to build more".into()
            }
            TableError::NoTables { path, cycles } => {
                let options = hint::cycles_option(*cycles) + &hint::db_option(path);
                format!("build tables there with `granero build{options}`")
            }
            TableError::OtherCycles {
                path,
                cycles,
                rules,
                ..
            } => {
                let (path, _) = named(path);
                let options = hint::rules_option(*rules)
                    + &hint::cycles_option(*cycles)
                    + &hint::db_option(path);
                format!("add those with `granero build{options}`")
            }
            TableError::HoldBounds => {
                "name tables of values: --cycles split, or another directory with --db".into()
            }
            // A build has removed it.
            TableError::Damaged { path, .. } if is_checkpoint(path) => {
                "the same command begins the layer anew".into()
            }
            TableError::Damaged { path, .. } | TableError::OtherTable { path } => rebuild(path),
            TableError::Io { path, source, .. } if source.kind() == io::ErrorKind::IsADirectory => {
                format!("move the directory {} elsewhere", path.display())
            }
            TableError::Io { source, .. } if source.kind() == io::ErrorKind::OutOfMemory => {
                MORE_MEMORY.into()
            }
            TableError::Io { action: "read", .. } => UNREADABLE.into(),
            _ => "check that the directory can be written to and the disk is not full; \
                  the same command continues after the last finished layer"
                .into(),
        };
        match error {
            TableError::OtherRules { .. }
            | TableError::OtherExtent { .. }
            | TableError::OtherValues { .. }
            | TableError::NotEmpty { .. } => Failure::NotPossible { message, help },
            _ => Failure::Data { message, help },
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        let message = with_causes(&error);
        let help = match error {
            BuildError::Table(error) => return error.into(),
            BuildError::TooLittleMemory {
                possible: Some(possible),
                ..
            } => format!("up to {possible} seeds are possible: --seeds {possible}"),
            BuildError::TooLittleMemory { .. } => {
                "allow more memory: with --memory, or see `ulimit -a`".into()
            }
            BuildError::NoThreads { .. } => {
                let help = format!("start fewer with --threads; or {MORE_THREADS}");
                return Failure::Data { message, help };
            }
            _ => "build fewer seeds with --seeds".into(),
        };
        Failure::NotPossible { message, help }
    }
}

#[cfg(feature = "mpi")]
impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Failure {
        let message = with_causes(&error);
        match error {
            ClusterError::Build(error) => error.into(),
            ClusterError::Different { .. } => Failure::NotPossible {
                message,
                help: "start the same program with the same options on all of them".into(),
            },
            _ => Failure::Data {
                message,
                help: "the same command continues from the last checkpoint, or after the last \
                       finished layer"
                    .into(),
            },
        }
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Failure {
        let what = format!("move {} ({})", error.number, error.sown);
        Failure::impossible(&what, &error.reason)
    }
}

/// The directory to name for some tables, and their convention: tables of bounds have a place
/// of their own within the others.
fn named(directory: &Path) -> (&Path, Cycles) {
    match directory.parent() {
        Some(parent) if directory.ends_with(Cycles::OwnSide.name()) => (parent, Cycles::OwnSide),
        _ => (directory, Cycles::default()),
    }
}

fn is_checkpoint(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "checkpoint")
}

/// What to do about a damaged file of some tables.
fn rebuild(file: &Path) -> String {
    let directory = file.parent().unwrap_or(file);
    let (named, cycles) = named(directory);
    format!(
        "put a good copy of the file in its place; or remove {} and build it again: \
         `granero build{}{}`, with the --seeds and --rules that it had",
        directory.display(),
        hint::cycles_option(cycles),
        hint::db_option(named)
    )
}

/// The longest line that is shown again with its error, as a whole.
const LONGEST_LINE: usize = 100;

/// How much of a longer line is shown before the place, and in all.
const BEFORE: usize = 40;
const SHOWN: usize = 76;

/// The line of a text that holds the `at`-th character, or what is around it in a long line, with a
/// mark below it. `None` if there is nothing to show.
fn point_at(text: &str, at: usize) -> Option<String> {
    let mut before = 0;
    for line in text.split('\n') {
        let length = line.chars().count();
        if at <= before + length {
            let column = at - before;
            let start = match length > LONGEST_LINE {
                true => column.saturating_sub(BEFORE).min(length - SHOWN),
                false => 0,
            };
            let end = match length > LONGEST_LINE {
                true => start + SHOWN,
                false => length,
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
