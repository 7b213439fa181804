//! Tables: what a directory holds, opened to be asked.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::cache::Cache;
use super::error::TableError;
use super::layer_file::DecodedTile;
use super::manifest::Manifest;
use super::named_file::NamedFile;
use crate::cycles::Cycles;
use crate::measured::Measured;
use crate::rules::Ruleset;

/// Tables to be asked: what positions are worth.
///
/// Opening them takes no time, whatever their size: files are read where they are asked.
/// They can be shared between threads, and used while a build adds layers; those are seen
/// by whoever opens the tables again.
///
/// ```
/// use granero::table::Tables;
/// use granero::{Measured, Value};
///
/// let tables = Tables::sample();
/// let worth = tables.worth(&"0 0 0 0 2 1 2 0 0 0 0 0".parse()?)?;
/// assert_eq!(worth, Some(Measured::Value(Value::new(-1).unwrap())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    /// Where they are, if in a directory.
    pub(super) directory: Option<PathBuf>,
    pub(super) manifest: Manifest,
    pub(super) layers: Vec<LayerTable>,
    pub(super) cache: Cache<DecodedTile>,
}

/// The files of a layer, and what is in memory of it.
#[derive(Debug)]
pub(super) struct LayerTable {
    pub(super) files: Measured<NamedFile>,
    /// All values in index order, if they are to be in memory.
    pub(super) decoded: Option<Measured<Vec<i8>>>,
}

impl Tables {
    /// The directory that their files are in, if they are in one.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().directory(), None);
    /// ```
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// What the tables hold.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().manifest().finished(), 9);
    /// ```
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The rules of the tables.
    ///
    /// ```
    /// # use granero::{Ruleset, table::Tables};
    /// assert_eq!(Tables::sample().rules(), Ruleset::Abapa);
    /// ```
    pub fn rules(&self) -> Ruleset {
        self.manifest.rules
    }

    /// Their convention for endless play.
    ///
    /// ```
    /// # use granero::{Cycles, table::Tables};
    /// assert_eq!(Tables::sample().cycles(), Cycles::Split);
    /// ```
    pub fn cycles(&self) -> Cycles {
        self.manifest.cycles
    }

    /// The most seeds of a position whose value they hold; `None` if they hold nothing.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().max_seeds(), Some(8));
    /// ```
    pub fn max_seeds(&self) -> Option<u8> {
        self.manifest.finished().checked_sub(1)
    }

    /// Reads all files, and compares them with their checksums and with the hashes in the
    /// manifest. `progress` is told how many bytes have been read since it was told last.
    ///
    /// # Errors
    ///
    /// When something is not as it was written.
    ///
    /// ```
    /// # use granero::table::Tables;
    /// Tables::sample().verify_files(|_| {})?;
    /// # Ok::<(), granero::table::TableError>(())
    /// ```
    pub fn verify_files(&self, progress: impl Fn(u64) + Sync) -> Result<(), TableError> {
        let files = self.layers.iter().flat_map(|layer| layer.files.iter());
        let listed = self.manifest.files();
        let files: Vec<_> = files.map(|(_, file)| file).zip(listed).collect();
        files.into_par_iter().try_for_each(|(file, entry)| {
            let NamedFile { path, file } = file;
            let sha256 = file.verified_sha256(&progress);
            let sha256 = sha256.map_err(|error| TableError::in_file(path, error))?;
            if entry.sha256 == sha256 {
                return Ok(());
            }
            let what = "its SHA-256 is not the one in the manifest";
            Err(TableError::damaged(path, what.into()))
        })
    }

    /// The files of a layer that is there.
    pub(super) fn files(&self, seeds: u8) -> &Measured<NamedFile> {
        &self.layers[usize::from(seeds)].files
    }

    /// Makes sure that the tables hold values, and not bounds.
    pub(crate) fn hold_values(&self) -> Result<(), TableError> {
        match self.cycles() {
            Cycles::Split => Ok(()),
            Cycles::OwnSide => Err(TableError::HoldBounds),
        }
    }
}
