//! What can be wrong with a directory of tables.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use super::layer_file::LayerFileError;
use crate::cycles::Cycles;
use crate::rules::Ruleset;

/// What can be wrong with a directory of tables.
///
/// ```
/// use granero::table::{TableError, Tables};
///
/// let error = Tables::open("no/such/directory").unwrap_err();
/// assert!(matches!(error, TableError::NoTables { .. }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The operating system does not let us.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "read", "write", …
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is no such directory, or nothing in it that says it holds tables.
    #[error("{} holds no tables: it has no manifest granero.json", path.display())]
    NoTables {
        /// The directory.
        path: PathBuf,
        /// The convention that was asked for, or the default one.
        cycles: Cycles,
    },
    /// The directory holds other things.
    #[error("{} is no directory of tables, and not empty", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// The directory holds the tables of other rules.
    #[error(
        "{} holds tables of the ruleset `{rules}` with endless play by `{cycles}`, \
         not of `{wanted_rules}` with `{wanted_cycles}`",
        path.display()
    )]
    OtherRules {
        /// The directory.
        path: PathBuf,
        /// The rules of its tables.
        rules: Ruleset,
        /// Their convention.
        cycles: Cycles,
        /// The rules that were asked for.
        wanted_rules: Ruleset,
        /// The convention that was asked for.
        wanted_cycles: Cycles,
    },
    /// The directory holds tables, but of the other convention for endless play.
    #[error(
        "{} holds tables with endless play by `{found}`, not by `{cycles}`",
        path.display()
    )]
    OtherCycles {
        /// The directory.
        path: PathBuf,
        /// The convention that was asked for.
        cycles: Cycles,
        /// The convention of its tables.
        found: Cycles,
        /// Their rules.
        rules: Ruleset,
    },
    /// Another program is writing tables there.
    #[error("another build is writing to {}{}", path.display(), behind(by))]
    Busy {
        /// The directory.
        path: PathBuf,
        /// Which process it is, if the system tells.
        by: Option<String>,
    },
    /// A program that does not write tables holds the lock.
    #[error("a program that is no build holds a lock on {}{}", path.display(), behind(by))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Which process it is, if the system tells.
        by: Option<String>,
    },
    /// Something stands where the lock file should be.
    #[error("{} is a link, or something else that is no lock file", path.display())]
    NoLock {
        /// The lock file.
        path: PathBuf,
    },
    /// The directory was moved or removed while a build was writing to it.
    #[error(
        "{} is not the directory any more that this build writes to: it was moved, replaced or removed",
        path.display()
    )]
    Moved {
        /// Where the directory was.
        path: PathBuf,
    },
    /// The lock file was removed or replaced while a build held the lock.
    #[error(
        "{} was removed or replaced while this build held it, and another build may be writing there",
        path.display()
    )]
    LockLost {
        /// The lock file.
        path: PathBuf,
    },
    /// The tables were written by another version of this program.
    #[error("{} is of format {format}, which this version of granero does not read", path.display())]
    OtherFormat {
        /// The manifest or the file of a layer.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// The tables do not reach so far.
    #[error("there is no layer of {seeds} seeds: {}", reach(*.max_seeds))]
    NoSuchLayer {
        /// The seeds that were asked for.
        seeds: u8,
        /// The most seeds of the tables, if they hold anything.
        max_seeds: Option<u8>,
    },
    /// The manifest and the file of a layer do not belong together.
    #[error("{} does not belong to its manifest: it holds another layer or other rules", path.display())]
    OtherTable {
        /// The file.
        path: PathBuf,
    },
    /// A value was asked for, and the tables hold bounds.
    #[error("the tables hold bounds of positions, not values: endless play is by `own-side`")]
    HoldBounds,
    /// A file is not what it should be.
    #[error("{} is damaged: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it: of the file of a layer, a [`LayerFileError`].
        source: Box<dyn Error + Send + Sync>,
    },
}

impl TableError {
    pub(super) fn damaged(
        path: impl Into<PathBuf>,
        what: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> TableError {
        TableError::Damaged {
            path: path.into(),
            source: what.into(),
        }
    }

    /// What is wrong with the file of a layer, said with its name.
    pub(super) fn in_file(path: impl Into<PathBuf>, error: LayerFileError) -> TableError {
        let path = path.into();
        match error {
            LayerFileError::Io(source) => TableError::Io {
                action: "read",
                path,
                source,
            },
            LayerFileError::OtherFormat(format) => TableError::OtherFormat {
                path,
                format: format.into(),
            },
            LayerFileError::OtherTable => TableError::OtherTable { path },
            error => TableError::damaged(path, error),
        }
    }
}

/// The process that is to blame, behind what it does.
fn behind(by: &Option<String>) -> String {
    by.as_ref().map_or_else(String::new, |by| format!(": {by}"))
}

fn reach(max_seeds: Option<u8>) -> String {
    match max_seeds {
        Some(seeds) => format!("the tables reach up to {seeds} seeds"),
        None => "the tables are empty".into(),
    }
}
