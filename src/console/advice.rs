//! Advice: what to do about the errors of tables and builds.

use std::path::Path;
use std::{fs, io};

use granero::build::BuildError;
#[cfg(feature = "mpi")]
use granero::cluster::ClusterError;
use granero::table::TableDirectory;
use granero::{Cycles, TableError};

use crate::failure::{Failure, MORE_MEMORY, MORE_THREADS, UNREADABLE};
use crate::hint;
use granero_answer::with_causes;

impl From<TableError> for Failure {
    fn from(error: TableError) -> Failure {
        let message = with_causes(&error);
        let help = advice(&error);
        match error {
            TableError::OtherRules { .. }
            | TableError::OtherExtent { .. }
            | TableError::OtherValues { .. }
            | TableError::NotEmpty { .. } => Failure::not_possible(message, help),
            _ => Failure::data(message, help),
        }
    }
}

fn advice(error: &TableError) -> String {
    match error {
        TableError::OtherRules {
            wanted_rules,
            wanted_cycles,
            ..
        } => format!(
            "name another directory with --db: `granero build{}{} --db {wanted_rules}-db`",
            hint::option("rules", *wanted_rules),
            hint::option("cycles", *wanted_cycles),
        ),
        TableError::NoTables { path, .. }
        | TableError::Io {
            action: "make the directory",
            path,
            ..
        } if path.is_file() => {
            format!("{} is a file: name a directory with --db", path.display())
        }
        TableError::OtherExtent { found, wanted, .. } => {
            let option = if found.is_full() {
                format!("leave out{}", hint::extent_option(*wanted))
            } else {
                format!("add to them with{}", hint::extent_option(*found))
            };
            option + ", or name another directory with --db"
        }
        TableError::Locked { path, .. } => format!(
            "end that program; or remove {}, which no build needs now",
            path.display()
        ),
        TableError::LockOfOther { path, .. } => format!(
            "if a build of that user is running, wait; otherwise remove {}, which it has left",
            path.display()
        ),
        TableError::NoLock { path } => {
            format!("check what it is, then remove {}", path.display())
        }
        TableError::NoTables { path, cycles } => {
            let cycles = hint::option("cycles", *cycles);
            // No build writes to a directory with files of others.
            if fs::read_dir(path).is_ok_and(|mut files| files.next().is_some()) {
                format!(
                    "name the directory of the tables with --db, or a new one and build them: \
                     `granero build{cycles} --db DIR`"
                )
            } else {
                let db = hint::db_option(path);
                format!("build tables there with `granero build{cycles}{db}`")
            }
        }
        TableError::OtherCycles {
            path,
            cycles,
            rules,
            ..
        } => {
            let (rules, cycles) = (
                hint::option("rules", *rules),
                hint::option("cycles", *cycles),
            );
            let db = hint::db_option(named(path).0);
            format!("add those with `granero build{rules}{cycles}{db}`")
        }
        // A build has removed the checkpoint.
        TableError::Damaged { path, .. } if !is(path, "checkpoint") => rebuild(path),
        TableError::OtherTable { path } => rebuild(path),
        TableError::Io { path, .. } if error.is_lost_file() && is(path, "granero") => rebuild(path),
        TableError::Io { path, source, .. } if source.kind() == io::ErrorKind::IsADirectory => {
            format!("move the directory {} elsewhere", path.display())
        }
        TableError::NotEmpty { .. } => "name another directory with --db".into(),
        TableError::OtherValues { .. } => {
            "name another directory with --db; `granero verify` says which values are right".into()
        }
        TableError::Busy { .. } => {
            "wait until it is done, or name another directory with --db".into()
        }
        TableError::Moved { .. } => {
            "the finished layers are intact where it is now: move it back, or name it with \
             --db, and the same command continues; without it, build again"
                .into()
        }
        TableError::LockLost { .. } => {
            "leave that file alone while a build goes on; when no other build is writing \
             there, `granero verify --quick` checks the files, and the same command continues"
                .into()
        }
        TableError::OtherFormat { .. } => {
            "use the version that wrote it, or name another directory with --db".into()
        }
        TableError::NoSuchLayer { .. } => "`granero build --help` says how to build more".into(),
        TableError::HoldBounds => {
            "name tables of values: --cycles split, or another directory with --db".into()
        }
        TableError::Damaged { .. } => "run the same command again to restart the layer".into(),
        TableError::Io { source, .. } if source.kind() == io::ErrorKind::OutOfMemory => {
            MORE_MEMORY.into()
        }
        TableError::Io { action: "read", .. } => UNREADABLE.into(),
        _ => "check that the directory can be written to and the disk is not full; \
             the same command continues after the last finished layer"
            .into(),
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
                return Failure::data(message, help);
            }
            BuildError::BeyondTheGame { .. } => {
                "build fewer seeds with --seeds, or for a game of more seeds with --game".into()
            }
            _ => "build fewer seeds with --seeds".into(),
        };
        Failure::not_possible(message, help)
    }
}

#[cfg(feature = "mpi")]
impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Failure {
        let message = with_causes(&error);
        match error {
            ClusterError::Build(error) => error.into(),
            ClusterError::Different { .. } => Failure::not_possible(
                message,
                "start the same program with the same options on all of them",
            ),
            _ => Failure::data(
                message,
                "the same command continues from the last checkpoint, or after the last \
                       finished layer",
            ),
        }
    }
}

/// The directory to name for some tables, and their convention: tables of bounds lie in a folder
/// within it.
fn named(directory: &Path) -> (&Path, Cycles) {
    match directory.parent() {
        Some(parent) if directory.ends_with(Cycles::OwnSide.name()) => (parent, Cycles::OwnSide),
        _ => (directory, Cycles::default()),
    }
}

fn is(file: &Path, kind: &str) -> bool {
    file.extension().is_some_and(|extension| extension == kind)
}

/// Help for a file of tables that is gone or damaged.
fn rebuild(file: &Path) -> String {
    let directory = file.parent().unwrap_or(file);
    let (named, cycles) = named(directory);
    if is(file, "granero")
        && let Ok(TableDirectory { manifest, .. }) =
            TableDirectory::open(named.into(), Some(cycles))
        && let Some(seeds) = manifest.finished().checked_sub(1)
    {
        let build = hint::build(manifest.rules, cycles, manifest.extent, seeds, named);
        return format!("`{build}` makes the file again, or put a good copy in its place");
    }
    format!(
        "put a good copy of the file in its place; or remove {} and build it again: \
         `granero build{}{}`, with the --seeds and --rules that it had",
        directory.display(),
        hint::option("cycles", cycles),
        hint::db_option(named)
    )
}
