//! `--db`: the tables that a verb asks.

use std::env;
use std::path::{Path, PathBuf};

use clap::ArgAction;
use clap::error::{ContextKind, ErrorKind};
use granero::{Access, Cycles, TableError, TableOptions, Tables};

use crate::named::named;
use crate::style::note;
use granero_answer::with_causes;

/// The default directory of tables.
pub const DIRECTORY: &str = "granero-db";

/// The environment variable that names the directory if `--db` does not.
pub const VARIABLE: &str = "GRANERO_DB";

/// Returns true if arguments are refused because the variable is empty: then clap complains of `--db`,
/// which the user did not write.
pub fn is_empty_variable(error: &clap::Error) -> bool {
    let about = error.get(ContextKind::InvalidArg);
    error.kind() == ErrorKind::InvalidValue
        && about.is_some_and(|about| about.to_string().starts_with("--db "))
        && env::var_os(VARIABLE).is_some_and(|value| value.is_empty())
        && !env::args_os().any(|argument| argument.as_encoded_bytes().starts_with(b"--db"))
}

/// `--db` of the verbs that need tables
#[derive(Debug, clap::Args)]
pub struct DbOption {
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

/// `--read` of the verbs that look positions up
#[derive(Debug, clap::Args)]
pub struct ReadOption {
    /// Read the files of the tables instead of mapping them into memory: for disks that may fail
    /// or vanish while positions are looked up, see docs/cli.md
    #[arg(long)]
    read: bool,
}

impl ReadOption {
    /// The way to read files.
    pub fn access(&self) -> Access {
        if self.read { Access::Read } else { Access::Map }
    }
}

/// `--db` of the verbs that ask tables of values
#[derive(Debug, clap::Args)]
pub struct ValuesOrSample {
    /// The directory of the tables; if the default one has no tables, the sample in this program
    /// answers [default: granero-db]
    #[arg(id = "db", long, env = VARIABLE, hide_env_values = true, value_name = "DIR", action = ArgAction::Set)]
    given: Vec<PathBuf>,
}

/// `--db` and `--cycles` of the verbs that ask tables
#[derive(Debug, clap::Args)]
pub struct TablesOrSample {
    #[command(flatten)]
    directory: ValuesOrSample,

    /// The convention for endless play, if the directory holds tables of both
    /// [default: split]
    #[arg(long, value_name = "CYCLES", value_parser = named(Cycles::ALL, Cycles::name))]
    cycles: Option<Cycles>,
}

impl DbOption {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the command line names it, and not the variable or the default.
    pub fn is_option(&self) -> bool {
        let path = self.path.as_os_str();
        path != DIRECTORY && env::var_os(VARIABLE).is_none_or(|variable| variable != path)
    }
}

impl ValuesOrSample {
    /// The first directory that was named, or the default one.
    pub fn path(&self) -> &Path {
        self.given
            .first()
            .map_or(Path::new(DIRECTORY), PathBuf::as_path)
    }

    /// Opens the tables. Without `--db`, the sample replaces missing tables.
    fn open(&self, options: &TableOptions, sample: Cycles) -> Result<Tables, TableError> {
        match options.open(self.path()) {
            Err(TableError::NoTables { .. }) if self.given.is_empty() => {
                Ok(Tables::open_sample(sample))
            }
            tables => tables,
        }
    }

    /// Opens the tables of values to answer from, with a note if this is the sample.
    pub fn ask(&self, access: Access) -> Result<Tables, TableError> {
        let options = TableOptions::new().cycles(Cycles::Split);
        let opened = self.open(&options.access(access), Cycles::Split)?;
        note_sample(&opened);
        Ok(opened)
    }
}

/// Says so if tables are the sample.
pub fn note_sample(tables: &Tables) {
    if tables.directory().is_none() {
        note(&format!(
            "no tables in {DIRECTORY}; using the sample of this program: {}, up to {} seeds. \
             More: granero build",
            tables.rules(),
            tables.max_seeds().unwrap_or(0),
        ));
    }
}

impl TablesOrSample {
    /// The directories that were named, if there are several, which only one verb allows.
    pub fn several(&self) -> Option<&[PathBuf]> {
        let given = &self.directory.given;
        (given.len() > 1).then_some(given)
    }

    /// The directory that was named, or the default one.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    fn options(&self, access: Access) -> TableOptions {
        let options = TableOptions::new().access(access);
        match self.cycles {
            None => options,
            Some(cycles) => options.cycles(cycles),
        }
    }

    /// Opens the tables of another directory, with the same convention.
    pub fn open_at(&self, path: &Path, access: Access) -> Result<Tables, TableError> {
        self.options(access).open(path)
    }

    /// Opens the tables. Without `--db`, the sample replaces missing tables.
    pub fn open(&self, access: Access) -> Result<Tables, TableError> {
        let sample = self.cycles.unwrap_or_default();
        self.directory.open(&self.options(access), sample)
    }

    /// The tables of the other convention for endless play in the same directory, unless a
    /// convention was chosen.
    pub fn other_convention(&self, opened: &Tables, access: Access) -> Option<Tables> {
        if self.cycles.is_some() || opened.directory().is_none() || opened.cycles() != Cycles::Split
        {
            return None;
        }
        let other = TableOptions::new().cycles(Cycles::OwnSide).access(access);
        match other.open(self.path()) {
            Ok(tables) if tables.rules() == opened.rules() => Some(tables),
            Ok(_) | Err(TableError::NoTables { .. } | TableError::OtherCycles { .. }) => None,
            // The tables that were opened are sound.
            Err(error) => {
                note(&with_causes(&error));
                None
            }
        }
    }

    /// Opens the tables to answer from, with a note if this is the sample. To read whole files, mapping them gains nothing.
    pub fn ask(&self, access: Access) -> Result<Tables, TableError> {
        let opened = self.open(access)?;
        note_sample(&opened);
        Ok(opened)
    }
}
