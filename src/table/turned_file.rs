//! A turned layer in a temporary file. Matrices are compressed in pieces, with checksums, so that
//! parts of the layer can be read, on all threads.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::compression::{Decompressor, compressor};
use super::directory::error;
use super::error::TableError;
use super::open_directory::{OpenDirectory, is_temporary};
use super::source::{ByteSource, FileSource};
use crate::index::Layer;
use crate::rows::{self, LayerValues, Matrix, TurnedLayer};

/// A turned layer in a temporary file.
#[derive(Debug)]
pub(crate) struct TurnedFile {
    layer: Layer,
    directory: Arc<OpenDirectory>,
    name: String,
    /// Whether this process has made the file: then it is removed when this is dropped.
    is_ours: bool,
    /// By the opponent's seeds: where the pieces of a matrix lie in the file.
    matrices: Vec<Vec<Range<u64>>>,
}

/// The values of a piece, unless it is the last one of its matrix.
const PIECE: usize = 1 << 20;

impl TurnedFile {
    /// Turns the values of a layer and writes them.
    pub(super) fn write(
        directory: Arc<OpenDirectory>,
        name: &str,
        values: &impl LayerValues,
    ) -> Result<TurnedFile, TableError> {
        TurnedFile::write_matrices(directory, name, values.layer(), |matrix| {
            let mut turned = vec![0; matrix.places().len()];
            rows::turn(values, matrix, &mut turned);
            Ok(turned)
        })
    }

    /// Writes the matrices of a layer that `turned` returns, already turned. It is asked for them by
    /// the opponent's seeds, ascending.
    pub(super) fn write_matrices<E: From<TableError>>(
        directory: Arc<OpenDirectory>,
        name: &str,
        layer: Layer,
        mut turned: impl FnMut(Matrix) -> Result<Vec<i8>, E>,
    ) -> Result<TurnedFile, E> {
        let made = directory.create_temporary(name);
        let (mut file, name) = made.map_err(error("write", directory.path_of(name)))?;
        let mut made = TurnedFile {
            layer,
            directory,
            name,
            is_ours: true,
            matrices: Vec::new(),
        };
        let mut next = 0;
        for opponents_seeds in 0..=layer.seeds() {
            let matrix = Matrix::new(layer, layer.seeds() - opponents_seeds);
            let places = write_matrix(&mut file, &mut next, &turned(matrix)?);
            let places = places.map_err(error("write", made.directory.path_of(&made.name)))?;
            made.matrices.push(places);
        }
        Ok(made)
    }

    /// What another process must know to read the file: its name, and where the matrices lie.
    pub(super) fn description(&self) -> Vec<u8> {
        let mut text = self.name.clone();
        for places in &self.matrices {
            let ends = places.iter().map(|place| format!(" {}", place.end));
            text += &format!("\n{}", ends.collect::<String>());
        }
        text.into_bytes()
    }

    /// The file of another process; `None` if the description cannot be of that layer.
    pub(super) fn described(
        directory: Arc<OpenDirectory>,
        layer: Layer,
        description: &[u8],
    ) -> Option<TurnedFile> {
        let mut lines = std::str::from_utf8(description).ok()?.split('\n');
        let name = lines.next()?.to_string();
        let mut start = 0;
        let mut matrices = Vec::new();
        for (opponents_seeds, line) in (0..=layer.seeds()).zip(lines) {
            let mut places = Vec::new();
            for end in line.split_ascii_whitespace() {
                let end = end.parse().ok().filter(|&end| end >= start)?;
                places.push(start..end);
                start = end;
            }
            let len = rows::places(layer, &(opponents_seeds..opponents_seeds + 1)).len();
            if places.len() != len.div_ceil(PIECE) {
                return None;
            }
            matrices.push(places);
        }
        let is_whole = matrices.len() == usize::from(layer.seeds()) + 1;
        let is_name = is_temporary(name.as_ref()) && !name.contains(['/', '\\']);
        (is_whole && is_name).then_some(TurnedFile {
            layer,
            directory,
            name,
            is_ours: false,
            matrices,
        })
    }

    /// Reads the matrix in which the opponent has `from` seeds, and the next ones, as long as all
    /// have at most `most` values.
    pub(super) fn read(&self, from: u8, most: u64) -> Result<TurnedLayer, TableError> {
        let fits = |&end: &u8| rows::places(self.layer, &(from..end)).len() as u64 <= most;
        let end = (from + 1..=self.layer.seeds() + 1).take_while(fits).last();
        let matrices = from..end.unwrap_or(from + 1);
        let path = self.directory.path_of(&self.name);
        let file = self.directory.open_regular(&self.name);
        let file = file.and_then(FileSource::of);
        let file = file.map_err(error("read", &path))?;
        let mut values = vec![0; rows::places(self.layer, &matrices).len()];
        let mut rest = &mut values[..];
        let mut pieces = Vec::new();
        for opponents_seeds in matrices.clone() {
            let len = rows::places(self.layer, &(opponents_seeds..opponents_seeds + 1)).len();
            let (matrix, others) = rest.split_at_mut(len);
            rest = others;
            let places = &self.matrices[usize::from(opponents_seeds)];
            pieces.extend(matrix.chunks_mut(PIECE).zip(places));
        }
        let read =
            pieces
                .into_par_iter()
                .map_init(Decompressor::new, |decompressor, (values, place)| {
                    let bytes = file.bytes(place.clone()).map_err(error("read", &path))?;
                    let decompressor = decompressor
                        .as_mut()
                        .map_err(|found| error("read", &path)(again(found)))?;
                    let length = decompressor.decompress_to_buffer(&bytes, values.as_mut_bytes());
                    match length {
                        Ok(length) if length == values.len() => Ok(()),
                        _ => Err(TableError::damaged(&path, "it is not what was written")),
                    }
                });
        read.collect::<Result<(), TableError>>()?;
        Ok(TurnedLayer::part(self.layer, matrices, values))
    }
}

/// Writes a matrix, from `next` on; returns where its pieces lie.
fn write_matrix(file: &mut File, next: &mut u64, turned: &[i8]) -> io::Result<Vec<Range<u64>>> {
    let pieces = turned.par_chunks(PIECE);
    let pieces = pieces.map_init(compressor, |compressor, piece| {
        compressor
            .as_mut()
            .map_err(again)?
            .compress(piece.as_bytes())
    });
    let mut places = Vec::new();
    for piece in pieces.collect::<io::Result<Vec<_>>>()? {
        file.write_all(&piece)?;
        places.push(*next..*next + piece.len() as u64);
        *next += piece.len() as u64;
    }
    Ok(places)
}

/// The same error for another piece.
pub(super) fn again(error: &mut io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

impl Drop for TurnedFile {
    fn drop(&mut self) {
        if self.is_ours {
            // If it cannot be removed now, the next build does it.
            let _ = self.directory.remove(&self.name);
        }
    }
}
