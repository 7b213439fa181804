//! Tables to be asked: what positions are worth.

use std::path::PathBuf;

use super::assessment::Assessment;
use super::directory::TableDir;
use super::error::TableError;
use super::manifest::{Cycles, Manifest};
use crate::position::Position;
use crate::rules::Ruleset;
use crate::value::Value;

/// Tables to be asked: what positions are worth. Cheap to share between threads.
///
/// ```no_run
/// use granero::table::Tables;
///
/// let tables = Tables::open("granero-db")?;
/// let value = tables.value(&"1 1 0 2 4 0 1 1 1 0 0 0".parse().unwrap())?;
/// println!("{value:?}");
/// # Ok::<(), granero::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    directory: TableDir,
}

impl Tables {
    /// Opens a directory of tables.
    ///
    /// # Errors
    ///
    /// When there are no tables, or they cannot be read.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert!(Tables::open("/nowhere").is_err());
    /// ```
    pub fn open(path: impl Into<PathBuf>) -> Result<Tables, TableError> {
        let directory = TableDir::open(path)?;
        Ok(Tables { directory })
    }

    /// What the tables hold.
    ///
    /// ```no_run
    /// # use granero::table::Tables;
    /// println!("{} layers", Tables::open("granero-db")?.manifest().finished());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn manifest(&self) -> &Manifest {
        self.directory.manifest()
    }

    /// The rules of the tables.
    ///
    /// ```no_run
    /// # use granero::table::Tables;
    /// println!("{}", Tables::open("granero-db")?.rules());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn rules(&self) -> Ruleset {
        self.manifest().rules
    }

    /// Their convention for endless play.
    ///
    /// ```no_run
    /// # use granero::table::Tables;
    /// println!("{}", Tables::open("granero-db")?.cycles());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn cycles(&self) -> Cycles {
        self.manifest().cycles
    }

    /// The most seeds of a position whose value they hold; `None` if they hold nothing.
    ///
    /// ```no_run
    /// # use granero::table::Tables;
    /// println!("{:?}", Tables::open("granero-db")?.max_seeds());
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn max_seeds(&self) -> Option<u8> {
        self.manifest().finished().checked_sub(1)
    }

    /// What a position is worth to the player to move; `None` if it has more seeds than
    /// the tables.
    ///
    /// # Errors
    ///
    /// When a file is damaged or cannot be read.
    ///
    /// ```no_run
    /// # use granero::{Position, Value, table::Tables};
    /// let tables = Tables::open("granero-db")?;
    /// assert_eq!(tables.value(&Position::EMPTY)?, Value::new(0));
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn value(&self, position: &Position) -> Result<Option<Value>, TableError> {
        self.directory.value(position)
    }

    /// The values of a whole finished layer, in the order of the [index](crate::index). The
    /// caller holds a byte for each position: 417 MB for 24 seeds, 3.2 GB for 30.
    ///
    /// # Errors
    ///
    /// When the layer is not finished, or its file is damaged or cannot be read.
    ///
    /// ```no_run
    /// # use granero::table::Tables;
    /// let values = Tables::open("granero-db")?.layer(4)?;
    /// assert_eq!(values.len(), 1_365);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn layer(&self, seeds: u8) -> Result<Vec<i8>, TableError> {
        self.directory.read_layer(seeds)
    }

    /// What a position and each of its moves is worth. Also where only its moves are
    /// within the reach of the tables.
    ///
    /// # Errors
    ///
    /// As [`value`](Tables::value).
    ///
    /// ```no_run
    /// # use granero::{Position, table::Tables};
    /// let assessment = Tables::open("granero-db")?.assess(&Position::START)?;
    /// assert_eq!(assessment.moves.len(), 6);
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn assess(&self, position: &Position) -> Result<Assessment, TableError> {
        Assessment::new(self.rules(), position, |position| self.value(position))
    }
}
