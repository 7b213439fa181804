//! A turned layer in a file. It is compressed in pieces of whole rows, with checksums, so
//! that parts of the layer can be read, on all threads.

use std::ops::Range;
use std::sync::Arc;

use zerocopy::IntoBytes;

use crate::compression::{compress, compress_bound, decompress};
use crate::tuning::Tuning;
use granero_game::Measure;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::bytes::source::{ByteSource, FileSource};
use granero_table::file::directory::error;
use granero_table::file::manifest::turned_name;
use granero_table::file::sha256::Sha256;
use granero_table::index::Layer;
use granero_table::parallel;
use granero_table::rows::{self, LayerValues, Matrix, TurnedLayer};
use granero_table::write::lock::Lock;

/// A turned layer in a file. It stays if the build is stopped, for the next one.
#[derive(Debug)]
pub struct TurnedFile {
    layer: Layer,
    directory: Arc<OpenDirectory>,
    name: String,
    /// The most values of a piece, unless a single row has more.
    piece: usize,
    /// Where the [pieces] lie in the file.
    pieces: Vec<Range<u64>>,
}

/// The lock and the fingerprint of tables.
pub(super) type OfTables<'a> = (&'a Lock, Sha256);

/// Raise the number with every change of what a file holds.
const VERSION: &[u8] = b"granero turned 1 ";

/// The most pieces of values that are turned at a time, see [`strips`].
const STRIP: u64 = 1 << 6;

/// Some columns of a matrix: whole rows of the turned layer, and whole pieces.
struct Strip {
    matrix: Matrix,
    columns: Range<usize>,
}

impl Strip {
    fn len(&self) -> usize {
        self.columns.len() * self.matrix.rows() as usize
    }
}

/// A layer in strips, in the turned order. They have up to `most` pieces of values, but at least one
/// piece and [`Tuning::columns`].
fn strips(layer: Layer, most: usize, tuning: Tuning) -> impl Iterator<Item = Strip> {
    turned_matrices(layer).flat_map(move |matrix| {
        let piece = columns_a_piece(matrix, tuning.piece);
        let columns = (most * tuning.piece / matrix.rows() as usize).max(tuning.columns);
        let step = columns.next_multiple_of(piece);
        let all = matrix.row_len();
        (0..all).step_by(step).map(move |first| Strip {
            matrix,
            columns: first..all.min(first + step),
        })
    })
}

/// The memory in bytes for a strip while it is turned and compressed, if parts of up to `part` values are read.
pub(crate) fn strip_memory(layer: Layer, part: u64) -> u64 {
    let strips = strips(layer, pieces_a_strip(part, Tuning::USUAL), Tuning::USUAL);
    // Compressed, it takes less than half a byte for each value.
    strips.map(|strip| strip.len()).max().unwrap_or(0) as u64 * 3 / 2
}

/// The pieces of values that are turned at a time, if parts of up to `part` values are read.
fn pieces_a_strip(part: u64, tuning: Tuning) -> usize {
    (part / tuning.piece as u64).clamp(1, STRIP) as usize
}

/// The places of the pieces in the turned order, if they have up to `most` values.
fn pieces(layer: Layer, most: usize) -> impl Iterator<Item = Range<usize>> {
    turned_matrices(layer).flat_map(move |matrix| {
        let piece = columns_a_piece(matrix, most) * matrix.rows() as usize;
        let Range { start, end } = matrix.turned().places();
        (start..end)
            .step_by(piece)
            .map(move |start| start..end.min(start + piece))
    })
}

fn columns_a_piece(matrix: Matrix, most: usize) -> usize {
    (most / matrix.rows() as usize).max(1)
}

/// The matrices of a layer in the turned order.
fn turned_matrices(layer: Layer) -> impl Iterator<Item = Matrix> {
    Matrix::all(layer).map(Matrix::turned)
}

impl TurnedFile {
    fn new(
        directory: Arc<OpenDirectory>,
        layer: Layer,
        measure: Measure,
        tuning: Tuning,
    ) -> TurnedFile {
        TurnedFile {
            layer,
            directory,
            name: turned_name(layer.seeds(), measure),
            piece: tuning.piece,
            pieces: Vec::new(),
        }
    }

    /// Turns the values of a layer and writes them; parts of up to `part` values are read later.
    pub(super) fn write(
        values: &impl LayerValues,
        measure: Measure,
        part: u64,
        (lock, fingerprint): OfTables<'_>,
        tuning: Tuning,
    ) -> Result<TurnedFile, TableError> {
        let layer = values.layer();
        let mut made = TurnedFile::new(lock.directory.clone(), layer, measure, tuning);
        lock.write_durably(&turned_name(layer.seeds(), measure), |file| {
            for strip in strips(layer, pieces_a_strip(part, tuning), tuning) {
                let Strip { matrix, columns } = &strip;
                let mut turned = vec![0; strip.len()];
                rows::turn(values, *matrix, columns.start, &mut turned);
                let piece = columns_a_piece(*matrix, tuning.piece) * matrix.rows() as usize;
                for piece in compress(turned.as_bytes(), piece)? {
                    file.write_all(&piece)?;
                    let start = made.pieces.last().map_or(0, |last| last.end);
                    made.pieces.push(start..start + piece.len() as u64);
                }
            }
            file.write_all(&made.trailer(&fingerprint))
        })?;
        Ok(made)
    }

    /// Opens a file of another build, or of another process. `fingerprint` is that of the tables.
    ///
    /// # Errors
    ///
    /// If there is none, or it is not whole, or of other tables.
    pub fn open(
        directory: Arc<OpenDirectory>,
        layer: Layer,
        measure: Measure,
        fingerprint: &Sha256,
        tuning: Tuning,
    ) -> Result<TurnedFile, TableError> {
        let mut left = TurnedFile::new(directory, layer, measure, tuning);
        let path = left.directory.path_of(&left.name);
        let file = left.directory.open_regular(&left.name);
        let file = file
            .and_then(FileSource::of)
            .map_err(error("read", &path))?;
        let count = pieces(layer, tuning.piece).count();
        let end = file.length().checked_sub(8 * count as u64 + 32);
        let end = end.ok_or_else(|| left.refuse())?;
        let trailer = file.bytes(end..file.length());
        let trailer = trailer.map_err(error("read", &path))?;
        let mut start = 0;
        for &place in trailer.as_chunks().0.iter().take(count) {
            let place = u64::from_le_bytes(place);
            left.pieces.push(start..place);
            start = place;
        }
        let rise = left.pieces.iter().all(|piece| piece.start <= piece.end);
        if *trailer != left.trailer(fingerprint) || !rise || start != end {
            return Err(left.refuse());
        }
        Ok(left)
    }

    /// The end of a file: where the pieces end (u64 each), and a hash of these ends and of all that must be the same in the
    /// next build.
    fn trailer(&self, fingerprint: &Sha256) -> Vec<u8> {
        let ends = self.pieces.iter().map(|piece| piece.end.to_le_bytes());
        let mut trailer = ends.collect::<Vec<_>>().concat();
        let piece = (self.piece as u64).to_le_bytes();
        let known = [
            VERSION,
            self.name.as_bytes(),
            fingerprint.as_bytes(),
            &piece,
        ]
        .concat();
        trailer.extend(Sha256::of([&known[..], &trailer].concat()).as_bytes());
        trailer
    }

    pub(super) fn layer(&self) -> Layer {
        self.layer
    }

    /// Reads the piece that begins at a place of the turned order, and the next ones, as long as all
    /// have at most `most` values.
    pub fn read(&self, from: usize, most: u64) -> Result<TurnedLayer, TableError> {
        let path = self.directory.path_of(&self.name);
        let file = self.directory.open_regular(&self.name);
        let file = file.and_then(FileSource::of);
        let file = file.map_err(error("read", &path))?;
        let wanted: Vec<_> = pieces(self.layer, self.piece)
            .zip(&self.pieces)
            .skip_while(|(places, _)| places.start < from)
            .take_while(|(places, _)| places.start == from || (places.end - from) as u64 <= most)
            .collect();
        let mut values = vec![0; wanted.iter().map(|(places, _)| places.len()).sum()];
        let mut rest = &mut values[..];
        let wanted = wanted.into_iter().map(|(places, place)| {
            let (piece, others) = std::mem::take(&mut rest).split_at_mut(places.len());
            rest = others;
            (piece, place)
        });
        parallel::try_for_each(wanted, |(values, place)| {
            if place.end - place.start > compress_bound(values.len()) as u64 {
                return Err(self.refuse());
            }
            let bytes = file.bytes(place.clone()).map_err(error("read", &path))?;
            match decompress(&bytes, values.as_mut_bytes()) {
                Ok(true) => Ok(()),
                Ok(false) => Err(self.refuse()),
                Err(found) => Err(error("read", &path)(found)),
            }
        })?;
        Ok(TurnedLayer::part(self.layer, from, values))
    }

    /// The error for a file that is not what was written. The next build reads the layer instead.
    fn refuse(&self) -> TableError {
        let what = match self.directory.remove(&self.name) {
            Ok(()) => "it is not what was written, so it was deleted",
            Err(_) => "it is not what was written",
        };
        TableError::damaged(self.directory.path_of(&self.name), what)
    }
}
