//! A turned layer in a file of pieces of whole rows, so that parts of the layer can be read.

use std::ops::Range;
use std::sync::Arc;

use zerocopy::IntoBytes;

use crate::pieces::{NotRead, Pieces};
use crate::tuning::Tuning;
use granero_game::Measure;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::bytes::source::FileSource;
use granero_table::file::directory::error;
use granero_table::file::manifest::turned_name;
use granero_table::file::sha256::Sha256;
use granero_table::index::Layer;
use granero_table::rows::{self, LayerValues, Matrix, TurnedLayer};
use granero_table::{TableError, TableWriter};

/// A turned layer in a file. It stays if the build is stopped, for the next one.
#[derive(Debug)]
pub struct TurnedFile {
    layer: Layer,
    directory: Arc<OpenDirectory>,
    name: String,
    /// The most values of a piece, unless a single row has more.
    piece: usize,
    pieces: Pieces,
}

/// Raise the number with every change of what a file holds.
const VERSION: &[u8] = b"granero turned 2 ";

/// The most pieces of values that are turned at a time, see [`strips`].
const STRIP: u64 = 1 << 6;

/// A layer in strips, in the turned order: some columns of a matrix, which are whole rows of the turned layer and whole
/// pieces, and the number of their values. These are up to `part`, but at least one piece and [`Tuning::columns`], and at
/// most [`STRIP`] pieces.
fn strips(
    layer: Layer,
    part: u64,
    tuning: Tuning,
) -> impl Iterator<Item = (Matrix, Range<usize>, usize)> {
    let most = (part / tuning.piece as u64).clamp(1, STRIP) as usize;
    turned_matrices(layer).flat_map(move |matrix| {
        let piece = columns_a_piece(matrix, tuning.piece);
        let columns = (most * tuning.piece / matrix.rows() as usize).max(tuning.columns);
        let step = columns.next_multiple_of(piece);
        let all = matrix.row_len();
        (0..all).step_by(step).map(move |first| {
            let columns = first..all.min(first + step);
            let len = columns.len() * matrix.rows() as usize;
            (matrix, columns, len)
        })
    })
}

/// The memory in bytes for a strip while it is turned and compressed, if parts of up to `part` values are read.
pub(crate) fn strip_memory(layer: Layer, part: u64) -> u64 {
    let lengths = strips(layer, part, Tuning::USUAL).map(|(_, _, len)| len);
    // Compressed, it takes less than half a byte for each value.
    lengths.max().unwrap_or(0) as u64 * 3 / 2
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
            pieces: Pieces::default(),
        }
    }

    /// Turns the values of a layer and writes them; parts of up to `part` values are read later.
    pub(super) fn write(
        values: &impl LayerValues,
        measure: Measure,
        part: u64,
        tables: &TableWriter,
        tuning: Tuning,
    ) -> Result<TurnedFile, TableError> {
        let (layer, lock) = (values.layer(), tables.lock());
        let mut made = TurnedFile::new(lock.directory.clone(), layer, measure, tuning);
        lock.write_durably(&turned_name(layer.seeds(), measure), |file| {
            for (matrix, columns, len) in strips(layer, part, tuning) {
                let mut turned = vec![0; len];
                rows::turn(values, matrix, columns.start, &mut turned);
                let piece = columns_a_piece(matrix, tuning.piece) * matrix.rows() as usize;
                made.pieces.write(file, turned.as_bytes(), piece)?;
            }
            made.pieces
                .end(file, 0, &made.holds(&tables.manifest().fingerprint()))
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
        let file = left.file()?;
        let found = Pieces::of(&file, &left.holds(fingerprint));
        (_, left.pieces) = found.map_err(|found| left.refuse(found))?;
        if left.pieces.count() != pieces(layer, tuning.piece).count() {
            return Err(left.refuse(NotRead::Damaged));
        }
        Ok(left)
    }

    fn file(&self) -> Result<FileSource, TableError> {
        let file = self.directory.open_regular(&self.name);
        let file = file.and_then(FileSource::of);
        file.map_err(error("read", self.directory.path_of(&self.name)))
    }

    /// All that must be the same in the next build.
    fn holds(&self, fingerprint: &Sha256) -> Vec<u8> {
        let piece = (self.piece as u64).to_le_bytes();
        let name = self.name.as_bytes();
        [VERSION, name, fingerprint.as_bytes(), &piece].concat()
    }

    pub(super) fn layer(&self) -> Layer {
        self.layer
    }

    /// Reads the piece that begins at a place of the turned order, and the next ones, as long as all
    /// have at most `most` values.
    pub fn read(&self, from: usize, most: u64) -> Result<TurnedLayer, TableError> {
        let pieces = (0..).zip(pieces(self.layer, self.piece));
        let wanted: Vec<_> = pieces
            .skip_while(|(_, places)| places.start < from)
            .take_while(|(_, places)| places.start == from || (places.end - from) as u64 <= most)
            .collect();
        let mut values = vec![0; wanted.iter().map(|(_, places)| places.len()).sum()];
        let mut rest = values.as_mut_bytes();
        let to = wanted
            .iter()
            .map(|(_, places)| rest.split_off_mut(..places.len()).expect("all values"));
        let first = wanted.first().map_or(0, |&(number, _)| number);
        let read = self.pieces.read(&self.file()?, first, to);
        read.map_err(|found| self.refuse(found))?;
        Ok(TurnedLayer::part(self.layer, from, values))
    }

    /// The error for a file that is not what was written. The next build reads the layer instead.
    fn refuse(&self, found: NotRead) -> TableError {
        let path = self.directory.path_of(&self.name);
        if let NotRead::Damaged = found
            && self.directory.remove(&self.name).is_ok()
        {
            let what = "it is not what was written, so it was deleted";
            return TableError::damaged(path, what);
        }
        found.of(&path)
    }
}
