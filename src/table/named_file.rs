//! The file of a layer together with its name, so that errors can say it.

use std::path::PathBuf;

use super::cache::Known;
use super::codec::block::DecoderScratch;
use super::codec::tiling::Place;
use super::error::TableError;
use super::layer_file::{DecodedTile, LayerFile, LayerFileError, fingerprint};
use super::manifest::{FinishedLayer, Manifest};
use super::source::ByteSource;
use crate::index::Layer;
use crate::measured::Measure;
use crate::position::Position;

/// The file of a layer together with its name.
#[derive(Debug)]
pub(super) struct NamedFile {
    pub(super) path: PathBuf,
    pub(super) file: LayerFile<Box<dyn ByteSource>>,
}

impl NamedFile {
    /// Opens a file of a layer, and makes sure that it is the one of the manifest.
    pub(super) fn open(
        path: PathBuf,
        source: Box<dyn ByteSource>,
        manifest: &Manifest,
        seeds: u8,
        measure: Measure,
    ) -> Result<NamedFile, TableError> {
        let FinishedLayer { statistics, files } = &manifest.layers[usize::from(seeds)];
        let bytes = files.get(measure.bound()).bytes;
        let values = statistics.values.get(measure.bound());
        let file = (|| {
            // Before the header: a file that is cut off says so, whatever is left of it.
            if source.length() != bytes {
                return Err(LayerFileError::Length {
                    expected: bytes,
                    found: source.length(),
                });
            }
            let file = LayerFile::open(source)?;
            let header = file.header();
            let is_right = (header.layer.seeds(), header.measure) == (seeds, measure)
                && header.fingerprint == fingerprint(manifest.rules, manifest.cycles)
                && values.sha256 == header.values_sha256;
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

    pub(super) fn layer(&self) -> Layer {
        self.file.header().layer
    }

    /// Where the value of a position of the layer is stored.
    pub(super) fn place(&self, position: &Position) -> Place {
        let (row, column) = (
            crate::index::half::rank(position.own()),
            crate::index::half::rank(position.opponents()),
        );
        self.file.tiling().place(position.own_seeds(), row, column)
    }

    /// What is stored at a place, and the tile it was found in.
    pub(super) fn decode(
        &self,
        place: Place,
        known: Known,
        scratch: &mut DecoderScratch,
    ) -> Result<(DecodedTile, i8), TableError> {
        let tile = self.file.tile(place, known, scratch);
        let tile = tile.map_err(|error| TableError::in_file(&self.path, error))?;
        let value = tile.get(place.offset).expect("as much as is necessary");
        Ok((tile, value))
    }
}
