//! The file of a layer together with its name, for errors.

use std::hint::black_box;
use std::io;
use std::path::PathBuf;

use super::layer_file::{DecodedTile, LayerFile, LayerFileError};
use super::manifest::{FinishedLayer, Manifest};
use super::sha256::Sha256;
use crate::bytes::source::ByteSource;
use crate::codec::tiling::TileOffset;
use crate::error::TableError;
use crate::index::{Layer, half};
use crate::look_up::cache::Cached;
use crate::rows::Row;
use granero_game::{Measured, Position};

/// The file of a layer together with its path.
#[derive(Debug)]
pub struct NamedFile {
    pub(crate) path: PathBuf,
    pub file: LayerFile<Box<dyn ByteSource>>,
}

impl NamedFile {
    /// Opens a file of a layer, and checks that it is the one in the manifest.
    pub fn open(
        path: PathBuf,
        source: Box<dyn ByteSource>,
        manifest: &Manifest,
        seeds: u8,
    ) -> Result<NamedFile, TableError> {
        let FinishedLayer { statistics, file } = &manifest.layers[usize::from(seeds)];
        let bytes = file.bytes;
        let hashes = statistics.values.as_ref().map(|values| values.sha256);
        let file = (|| {
            // Before the header, so that a truncated file is reported as such.
            if source.length() != bytes {
                return Err(LayerFileError::Length {
                    expected: bytes,
                    found: source.length(),
                });
            }
            let file = LayerFile::open(source)?;
            let header = file.header();
            let is_right = (header.layer.seeds(), header.cycles) == (seeds, manifest.cycles)
                && header.extent == manifest.extent
                && header.fingerprint == manifest.fingerprint()
                && hashes == header.values_sha256;
            if is_right {
                Ok(file)
            } else {
                Err(LayerFileError::OtherTable)
            }
        })();
        match file {
            Ok(file) => Ok(NamedFile { path, file }),
            Err(error) => Err(TableError::in_file(path, error)),
        }
    }

    /// Reads the whole file, and compares it with its checksums and with its hash in the manifest. `progress` gets the
    /// number of bytes read since the last call.
    pub fn verify(&self, sha256: Sha256, progress: &dyn Fn(u64)) -> Result<(), TableError> {
        let found = self.file.verify(progress);
        if found.map_err(|error| TableError::in_file(&self.path, error))? == sha256 {
            return Ok(());
        }
        let what = "its SHA-256 is not the one in the manifest";
        Err(TableError::damaged(&self.path, what))
    }

    pub(crate) fn layer(&self) -> Layer {
        self.file.header().layer
    }

    /// Asks the system for this many bytes for each position of the layer, and gives them back. Running out
    /// of memory later would end the program.
    pub(crate) fn ask_for_memory(&self, bytes: u64) -> Result<(), TableError> {
        let bytes = usize::try_from(bytes * self.layer().len()).unwrap_or(usize::MAX);
        let mut memory: Vec<u8> = Vec::new();
        let given = memory.try_reserve_exact(bytes);
        // The compiler may leave out a request for memory that nothing uses.
        black_box(&memory);
        given.map_err(|_| self.lacks_memory())
    }

    /// The error for a position whose moves do not give what the file promises.
    #[cold]
    pub(crate) fn unfounded(&self, position: &Position) -> TableError {
        let what = format!("it says that {position} is better than its moves");
        TableError::damaged(&self.path, what)
    }

    /// The error for a layer that does not fit into memory.
    pub(crate) fn lacks_memory(&self) -> TableError {
        TableError::Io {
            action: "read",
            path: self.path.clone(),
            source: io::ErrorKind::OutOfMemory.into(),
        }
    }

    /// The place of a position in the file.
    pub(crate) fn place(&self, position: &Position) -> TileOffset {
        let column = half::rank(position.opponents());
        self.file.tiling().place(Row::of(position), column)
    }

    /// The measures of the position at a place, and its tile.
    pub(crate) fn decode(
        &self,
        place: TileOffset,
        cached: Cached,
    ) -> Result<(DecodedTile, Measured<i8>), TableError> {
        let tile = self.file.tile(place, cached);
        let tile = tile.map_err(|error| TableError::in_file(&self.path, error))?;
        let found = tile.get(place.offset).expect("decoded up to this place");
        Ok((tile, found))
    }
}
