//! Open tables.

use std::path::{Path, PathBuf};

use super::cache::Cache;
use crate::error::TableError;
use crate::file::layer_file::DecodedTile;
use crate::file::manifest::Manifest;
use crate::file::named_file::NamedFile;
use crate::index::Layer;
use crate::parallel;
use granero_game::rules::Ruleset;
use granero_game::{Cycles, Extent, Measured, Position};

/// Open tables, to look up what positions are worth.
///
/// Opening them is quick, whatever their size: a look-up reads only the part of a file that it needs.
/// Threads can share tables, and use them while a build adds layers; the new layers appear when the tables
/// are opened again.
///
/// Look-ups, and all else that reads files, fail when a file is damaged or cannot be read.
///
/// ```
/// use granero::Tables;
/// use granero::{Measured, Value};
///
/// let tables = Tables::sample();
/// let value = tables.value(&"0 0 0 0 2 1 2 0 0 0 0 0".parse()?)?;
/// assert_eq!(value, Some(Measured::Value(Value::new(-1).unwrap())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    /// The directory of the files, if there is one.
    pub(super) directory: Option<PathBuf>,
    pub(crate) manifest: Manifest,
    pub(super) layers: Vec<LayerTable>,
    pub(super) cache: Cache<DecodedTile>,
}

/// The file of a layer, and its values if they are in memory.
#[derive(Debug)]
pub(super) struct LayerTable {
    pub(super) file: NamedFile,
    /// All values in index order, if the layer is kept in memory.
    pub(super) decoded: Option<Measured<Vec<i8>>>,
}

impl LayerTable {
    /// The value or bounds of a position, if the layer is kept in memory.
    #[inline]
    pub(super) fn in_memory(&self, position: &Position) -> Option<Measured<i8>> {
        let decoded = self.decoded.as_ref()?;
        let index = Layer::of(position).index(position) as usize;
        Some(decoded.as_ref().map(|values| values[index]))
    }
}

impl Tables {
    /// The directory of the files, if there is one.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The ruleset.
    pub fn rules(&self) -> Ruleset {
        self.manifest.rules
    }

    /// The convention for endless play.
    pub fn cycles(&self) -> Cycles {
        self.manifest.cycles
    }

    /// The extent: full or deciding.
    pub fn extent(&self) -> Extent {
        self.manifest.extent
    }

    /// The most seeds that a position in the tables has; `None` if they have no layers.
    pub fn max_seeds(&self) -> Option<u8> {
        self.manifest.finished().checked_sub(1)
    }

    /// Reads all files, and compares them with their checksums and with the hashes in the
    /// manifest. `progress` gets the number of bytes read since the last call.
    pub fn verify_files(&self, progress: impl Fn(u64) + Sync) -> Result<(), TableError> {
        let files = self.layers.iter().map(|layer| &layer.file);
        parallel::try_for_each(files.zip(self.manifest.files()), |(file, entry)| {
            file.verify(entry.sha256, &progress)
        })
    }

    /// The file of a finished layer.
    pub(crate) fn file(&self, seeds: u8) -> &NamedFile {
        &self.layers[usize::from(seeds)].file
    }
}

#[doc(hidden)]
impl Tables {
    /// Checks that memory has room for this many bytes for each position of a finished layer.
    pub fn ask_for_memory(&self, layer: Layer, bytes: u64) -> Result<(), TableError> {
        self.file(layer.seeds()).ask_for_memory(bytes)
    }

    /// Checks that the tables have the layer of `seeds` seeds.
    pub fn have(&self, seeds: u8) -> Result<(), TableError> {
        let max_seeds = self.max_seeds();
        if Some(seeds) > max_seeds {
            return Err(TableError::NoSuchLayer { seeds, max_seeds });
        }
        Ok(())
    }

    /// Checks that the tables hold values, not bounds.
    pub fn hold_values(&self) -> Result<(), TableError> {
        match self.cycles() {
            Cycles::Split => Ok(()),
            Cycles::OwnSide => Err(TableError::HoldBounds),
        }
    }
}
