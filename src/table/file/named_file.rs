//! The file of a layer together with its name, for errors.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use super::layer_file::{Cached, DecodedTile, LayerFile, LayerFileError};
use super::manifest::{FinishedLayer, Manifest};
use super::sha256::Sha256;
use crate::bytes::source::ByteSource;
use crate::codec::tiling::TileOffset;
use crate::error::TableError;
use crate::index::Layer;
use granero_game::Position;

/// The file of a layer together with its path.
#[derive(Debug)]
pub struct NamedFile {
    pub(crate) path: PathBuf,
    pub file: LayerFile<Box<dyn ByteSource>>,
    /// The length and the time of the last write when it was opened, if it is on a disk.
    opened: Option<(u64, SystemTime)>,
}

fn last_write(path: &Path) -> Option<(u64, SystemTime)> {
    let there = fs::metadata(path).ok()?;
    Some((there.len(), there.modified().ok()?))
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
        // Before the header, so that a truncated file is reported as such.
        let file = match source.length() {
            length if length == bytes => LayerFile::open(source),
            found => Err(LayerFileError::Length {
                expected: bytes,
                found,
            }),
        };
        let file = file.map_err(|error| TableError::in_file(&path, error))?;
        let header = file.header();
        let is_right = (header.layer.seeds(), header.cycles) == (seeds, manifest.cycles)
            && header.extent == manifest.extent
            && header.fingerprint == manifest.fingerprint()
            && hashes == header.values_sha256;
        if !is_right {
            return Err(TableError::OtherTable { path });
        }
        Ok(NamedFile {
            opened: last_write(&path),
            path,
            file,
        })
    }

    /// Reads the whole file, and compares it with its checksums and with its hash in the manifest. `progress` gets the
    /// number of bytes read since the last call.
    pub fn verify(&self, sha256: Sha256, progress: &dyn Fn(u64)) -> Result<(), TableError> {
        let found = self.file.verify(progress);
        if found.map_err(|error| self.failed(error))? == sha256 {
            return Ok(());
        }
        let what = "its SHA-256 is not the one in the manifest";
        Err(TableError::damaged(&self.path, what))
    }

    /// The error for a file that cannot be decoded. Parts of another file have other checksums: so if it was written to
    /// since it was opened, that is the cause.
    #[cold]
    pub(crate) fn failed(&self, error: LayerFileError) -> TableError {
        let is_read = !matches!(error, LayerFileError::Io(_));
        if is_read && last_write(&self.path) != self.opened {
            let changed = io::Error::other("it was changed after it was opened");
            return TableError::in_file(&self.path, changed.into());
        }
        TableError::in_file(&self.path, error)
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
        self.file.tiling().place(position)
    }

    /// The tile with a place, decoded at least up to there.
    pub(crate) fn decode(
        &self,
        place: TileOffset,
        cached: Cached,
    ) -> Result<DecodedTile, TableError> {
        let tile = self.file.tile(place, cached);
        tile.map_err(|error| self.failed(error))
    }
}
