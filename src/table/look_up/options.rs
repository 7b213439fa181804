//! Opens tables.

use std::io;
use std::path::{Path, PathBuf};

use super::cache::Cache;
use super::tables::{LayerTable, Tables};
use crate::bytes::source::ByteSource;
use crate::codec::tiling::{HEIGHT, WIDTH};
use crate::error::TableError;
use crate::file::directory::{Access, MANIFEST, TableDirectory, error};
use crate::file::manifest::{FileEntry, Manifest};
use crate::file::named_file::NamedFile;
use crate::layers::reader::LayerReader;
use granero_game::{Cycles, Measured};

/// Options for opening tables.
///
/// ```no_run
/// use granero::{Access, TableOptions};
///
/// // For an engine: layers up to 12 seeds decoded in memory, and 256 MiB of other blocks.
/// let tables = TableOptions::new()
///     .in_memory(12)
///     .cache_bytes(256 << 20)
///     .access(Access::Map)
///     .open("granero-db")?;
/// # Ok::<(), granero::TableError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableOptions {
    access: Access,
    cache_bytes: u64,
    in_memory: Option<u8>,
    cycles: Option<Cycles>,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions::new()
    }
}

impl TableOptions {
    /// The defaults: mapped files, and 64 MiB for decoded blocks.
    pub fn new() -> TableOptions {
        TableOptions {
            access: Access::default(),
            cache_bytes: 64 << 20,
            in_memory: None,
            cycles: None,
        }
    }

    /// Selects a convention for endless play, for directories with tables of both. The default
    /// is `split` if there are such tables, otherwise `own-side`.
    #[must_use]
    pub fn cycles(mut self, cycles: Cycles) -> TableOptions {
        self.cycles = Some(cycles);
        self
    }

    /// Sets the way in which files are read. The default maps them into memory, which has a
    /// [risk](Access::Map).
    #[must_use]
    pub fn access(mut self, access: Access) -> TableOptions {
        self.access = access;
        self
    }

    /// Keeps at most this many bytes of decoded blocks, but always a few blocks.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: u64) -> TableOptions {
        self.cache_bytes = bytes;
        self
    }

    /// Decodes the layers up to `seeds` seeds when the tables are opened, and keeps them in memory:
    /// `C(seeds + 12, 12)` bytes for values, twice as many for bounds. Look-ups in memory are the fastest.
    #[must_use]
    pub fn in_memory(mut self, seeds: u8) -> TableOptions {
        self.in_memory = Some(seeds);
        self
    }

    /// Opens a directory of tables.
    ///
    /// # Errors
    ///
    /// When there are no tables, or a file does not match the manifest.
    pub fn open(&self, path: impl Into<PathBuf>) -> Result<Tables, TableError> {
        let directory = TableDirectory::open(path.into(), self.cycles)?;
        let seeds = 0..directory.manifest.finished();
        let files = seeds.map(|seeds| directory.layer_file(seeds, self.access));
        let files = files.collect::<Result<Vec<NamedFile>, TableError>>()?;
        self.with_files(Some(directory.path), directory.manifest, files)
    }

    /// Opens tables that are not in a directory: `manifest` is the text of their manifest, and
    /// `source` opens the files that it lists.
    ///
    /// # Errors
    ///
    /// Like [`open`](TableOptions::open), and those of `source`.
    ///
    /// ```no_run
    /// use granero::{TableOptions, table::{ByteSource, FileSource}};
    ///
    /// let manifest = std::fs::read_to_string("granero-db/granero.json")?;
    /// let tables = TableOptions::new().open_sources(&manifest, |entry| {
    ///     let source = FileSource::open(format!("granero-db/{}", entry.name))?;
    ///     Ok(Box::new(source) as Box<dyn ByteSource>)
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_sources(
        &self,
        manifest: &str,
        mut source: impl FnMut(&FileEntry) -> io::Result<Box<dyn ByteSource>>,
    ) -> Result<Tables, TableError> {
        let manifest = Manifest::parse(manifest, Path::new(MANIFEST))?;
        let files = (0..).zip(manifest.files()).map(|(seeds, entry)| {
            let path = PathBuf::from(&entry.name);
            let source = source(entry).map_err(error("read", &path))?;
            NamedFile::open(path, source, &manifest, seeds)
        });
        let files = files.collect::<Result<Vec<NamedFile>, TableError>>()?;
        self.with_files(None, manifest, files)
    }

    fn with_files(
        &self,
        directory: Option<PathBuf>,
        manifest: Manifest,
        files: Vec<NamedFile>,
    ) -> Result<Tables, TableError> {
        let measures = manifest.cycles.measures().into_iter().count() as u64;
        let cache = Cache::new(self.cache_bytes, (WIDTH * HEIGHT) as u64 * measures);
        let layers = files.into_iter().map(|file| LayerTable {
            file,
            decoded: None,
        });
        let mut tables = Tables {
            directory,
            manifest,
            layers: layers.collect(),
            cache,
        };
        if let Some(seeds) = self.in_memory {
            tables.keep_in_memory(seeds)?;
        }
        Ok(tables)
    }
}

impl Tables {
    /// Opens a directory of tables with the default [`TableOptions`]. These map files into
    /// memory, which has a [risk](Access::Map).
    ///
    /// # Errors
    ///
    /// When there are no tables, or a file does not match the manifest.
    pub fn open(path: impl Into<PathBuf>) -> Result<Tables, TableError> {
        TableOptions::new().open(path)
    }

    /// Decodes the layers up to `seeds` seeds and keeps them in memory, as
    /// [`TableOptions::in_memory`] does for tables that are being opened.
    pub fn keep_in_memory(&mut self, seeds: u8) -> Result<(), TableError> {
        let decoded: Vec<Measured<Vec<i8>>> = LayerReader::new(self, seeds.saturating_add(1))
            .map(|layer| layer.map(|(_, values)| values))
            .collect::<Result<_, _>>()?;
        for (layer, decoded) in self.layers.iter_mut().zip(decoded) {
            layer.decoded = Some(decoded);
        }
        Ok(())
    }
}
