//! `--db`: which tables a verb asks.

use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use granero::table::{TableError, Tables};

use super::failure::Failure;
use super::style::{self, paint};

/// Where tables are unless another directory is named.
pub(super) const DIRECTORY: &str = "granero-db";

/// The environment variable that names a directory for where there is no `--db`.
pub(super) const VARIABLE: &str = "GRANERO_DB";

/// `--db` of the verbs for which there have to be tables
#[derive(Debug, clap::Args)]
pub(super) struct Directory {
    /// The directory of the tables
    #[arg(
        id = "db",
        long = "db",
        env = VARIABLE,
        hide_env_values = true,
        value_name = "DIR",
        default_value = DIRECTORY
    )]
    path: PathBuf,
}

/// `--db` of the verbs that have the sample, too
#[derive(Debug, clap::Args)]
pub(super) struct Db {
    /// The directory of the tables; without tables in the default one, a sample that is part
    /// of this program is used [default: granero-db]
    #[arg(id = "db", long, env = VARIABLE, hide_env_values = true, value_name = "DIR")]
    given: Option<PathBuf>,
}

/// Tables that were opened.
pub(super) enum Opened {
    /// Those of a directory.
    Directory(Tables),
    /// Those that are part of this program.
    Sample(&'static Tables),
}

impl Directory {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn open(&self) -> Result<Tables, TableError> {
        Tables::open(&self.path)
    }
}

impl Db {
    /// The directory that was named, or the default one.
    pub(super) fn path(&self) -> &Path {
        self.given.as_deref().unwrap_or(Path::new(DIRECTORY))
    }

    /// Opens the tables. Where none were asked for and none are, the sample serves.
    pub(super) fn open(&self) -> Result<Opened, TableError> {
        match Tables::open(self.path()) {
            Err(TableError::NoTables { .. }) if self.given.is_none() => {
                Ok(Opened::Sample(Tables::sample()))
            }
            tables => tables.map(Opened::Directory),
        }
    }

    /// Opens the tables to answer from, and says so if it is the sample.
    pub(super) fn ask(&self) -> Result<Opened, Failure> {
        let opened = self.open()?;
        if let Opened::Sample(sample) = opened {
            let note = format!(
                "{} no tables in {DIRECTORY}; using the sample of this program: {}, up to {} \
                 seeds. More: granero build\n",
                paint(style::HELP, "note:"),
                sample.rules(),
                sample.max_seeds().unwrap_or(0),
            );
            // Whoever cannot hear it gets the answer all the same.
            let _ = anstream::stderr().write_all(note.as_bytes());
        }
        Ok(opened)
    }
}

impl Deref for Opened {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        match self {
            Opened::Directory(tables) => tables,
            Opened::Sample(tables) => tables,
        }
    }
}
