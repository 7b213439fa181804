//! Errors of tables.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use crate::file::layer_file::LayerFileError;
use granero_game::rules::Ruleset;
use granero_game::{Cycles, Extent};

/// An error of tables. Its message does not repeat the cause, which [`source`](Error::source) returns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The operating system reports an error.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The action that failed: "read", "write", …
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is no such directory, or it has no manifest.
    #[error("{}", no_tables(path))]
    NoTables {
        /// The directory.
        path: PathBuf,
        /// The requested convention, or the default.
        cycles: Cycles,
    },
    /// The directory holds other files and no manifest.
    #[error("{} is not empty, and not a directory of tables", path.display())]
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
        /// The requested rules.
        wanted_rules: Ruleset,
        /// The requested convention.
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
        /// The requested convention.
        cycles: Cycles,
        /// The convention of its tables.
        found: Cycles,
        /// Their rules.
        rules: Ruleset,
    },
    /// The directory holds tables of the other extent, or for another game.
    #[error("{} holds {found} tables, not {wanted} ones", path.display())]
    OtherExtent {
        /// The directory.
        path: PathBuf,
        /// The extent of its tables.
        found: Extent,
        /// The requested extent.
        wanted: Extent,
    },
    /// The directory holds a layer whose values differ from the tables to be copied into it.
    #[error("{} holds other values of the positions with {seeds} seeds", path.display())]
    OtherValues {
        /// The directory.
        path: PathBuf,
        /// The seeds of the layer.
        seeds: u8,
    },
    /// Another build is writing tables there.
    #[error("another build is writing to {}{}", path.display(), process(by))]
    Busy {
        /// The directory.
        path: PathBuf,
        /// The process, if the system tells.
        by: Option<String>,
    },
    /// A program that does not write tables holds the lock.
    #[error("a program that is not a build holds a lock on {}{}", path.display(), process(by))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process, if the system tells.
        by: Option<String>,
    },
    /// The lock file belongs to another user, and cannot be opened.
    #[error("{} belongs to {}", path.display(), owner.as_deref().unwrap_or("another user"))]
    LockOfOther {
        /// The lock file.
        path: PathBuf,
        /// The user, if the system tells.
        owner: Option<String>,
        /// The cause.
        source: io::Error,
    },
    /// Something other than a lock file has its name.
    #[error("{} is not a lock file, but a link or something else", path.display())]
    NoLock {
        /// The lock file.
        path: PathBuf,
    },
    /// The directory was moved or removed while a build was writing to it.
    #[error(
        "{} is no longer the directory that this build writes to: it was moved, replaced or removed",
        path.display()
    )]
    Moved {
        /// The former path of the directory.
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
    /// Another version of this program wrote the tables.
    #[error("{} is of format {format}, which this version of granero does not read", path.display())]
    OtherFormat {
        /// The manifest or the file of a layer.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// The layer is beyond the tables.
    #[error("there is no layer of {seeds} seeds: {}", reach(*.max_seeds))]
    NoSuchLayer {
        /// The seeds of the layer.
        seeds: u8,
        /// The most seeds of the tables; `None` if they have no layers.
        max_seeds: Option<u8>,
    },
    /// The manifest and the file of a layer do not belong together.
    #[error("{} does not belong to its manifest: it holds another layer or other rules", path.display())]
    OtherTable {
        /// The file.
        path: PathBuf,
    },
    /// The caller needs values, and the tables hold bounds.
    #[error("the tables hold bounds of positions, not values: endless play is by `own-side`")]
    HoldBounds,
    /// A file is damaged.
    #[error("{} is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage; for the file of a layer, a [`LayerFileError`].
        source: Box<dyn Error + Send + Sync>,
    },
}

#[doc(hidden)]
impl TableError {
    pub fn damaged(
        path: impl Into<PathBuf>,
        what: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> TableError {
        TableError::Damaged {
            path: path.into(),
            source: what.into(),
        }
    }

    /// Tells if bytes are missing that their source will have later, see
    /// [`ByteSource::bytes`](crate::bytes::source::ByteSource::bytes).
    pub(super) fn is_not_yet(&self) -> bool {
        matches!(self, TableError::Io { source, .. } if source.kind() == io::ErrorKind::WouldBlock)
    }

    /// Tells if the file of a layer is missing, or is not what its manifest lists.
    pub fn is_lost_file(&self) -> bool {
        match self {
            TableError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            found => matches!(
                found,
                TableError::Damaged { .. } | TableError::OtherTable { .. }
            ),
        }
    }

    /// Adds the name of a layer file to its error.
    pub fn in_file(path: impl Into<PathBuf>, error: LayerFileError) -> TableError {
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
            error => TableError::damaged(path, error),
        }
    }
}

/// Collects misses of bytes that are not there yet. After such a miss a caller goes on to the next thing
/// that it needs, so that the source of the bytes learns of all of them, and fails at the end.
#[derive(Debug, Default)]
pub struct NotYet(Option<TableError>);

impl NotYet {
    /// Keeps such a miss and returns `None` for it.
    pub fn keep<T>(&mut self, found: Result<T, TableError>) -> Result<Option<T>, TableError> {
        match found {
            Err(error) if error.is_not_yet() => {
                self.0.get_or_insert(error);
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    /// Returns an error if there was a miss.
    pub fn end(self) -> Result<(), TableError> {
        self.0.map_or(Ok(()), Err)
    }
}

fn no_tables(path: &Path) -> String {
    let name = path.display();
    if path.exists() {
        format!("{name} holds no tables: it has no manifest granero.json")
    } else {
        format!("there is no directory {name}")
    }
}

/// The process, as the end of a message.
fn process(by: &Option<String>) -> String {
    by.as_ref().map_or_else(String::new, |by| format!(": {by}"))
}

fn reach(max_seeds: Option<u8>) -> String {
    match max_seeds {
        Some(seeds) => format!("the tables reach up to {seeds} seeds"),
        None => "the tables are empty".into(),
    }
}
