//! `--db` of the verbs that ask what positions are worth.

use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use granero::table::{TableError, Tables};

use super::failure::Failure;
use super::options;
use super::style::{self, paint};

/// `--db`
#[derive(Debug, clap::Args)]
pub(super) struct Db {
    /// The directory of the tables; without tables in the default one, a sample that is part
    /// of this program is used [default: granero-db]
    #[arg(id = "db", long, value_name = "DIR")]
    given: Option<PathBuf>,
}

/// Tables that were opened.
pub(super) enum Opened {
    /// Those of a directory.
    Directory(Tables),
    /// Those that are part of this program.
    Sample(&'static Tables),
}

impl Db {
    /// The directory that was named, or the default one.
    pub(super) fn path(&self) -> &Path {
        let default = Path::new(options::DIRECTORY);
        self.given.as_deref().unwrap_or(default)
    }

    /// Opens the tables. Where none were asked for and none are, the sample serves, and
    /// that is said.
    pub(super) fn open(&self) -> Result<Opened, Failure> {
        match Tables::open(self.path()) {
            Err(TableError::NoTables { path }) if self.given.is_none() => {
                let sample = Tables::sample();
                let note = format!(
                    "{} no tables in {}; using the sample of this program: {}, up to {} seeds. \
                     More: granero build\n",
                    paint(style::HELP, "note:"),
                    path.display(),
                    sample.rules(),
                    sample.max_seeds().unwrap_or(0),
                );
                // Whoever cannot hear it gets the answer all the same.
                let _ = anstream::stderr().write_all(note.as_bytes());
                Ok(Opened::Sample(sample))
            }
            tables => Ok(Opened::Directory(tables?)),
        }
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
