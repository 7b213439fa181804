//! The files of a layer.
//!
//! A file of matrices has the columns of each in **strips** of 64, one after the other, so that the window of a share is
//! read, and its rows are written, in a few long pieces. Captures lie in the order in which shares read them.

use std::ops::Range;

use super::grid::{Grid, RowNumbers};
use super::movers::MOVERS;
use super::queue::Place;
use super::scratch_file::ScratchFile;
use super::shares::Shares;
use granero_table::TableError;
use granero_table::index::half;
use granero_table::parallel;

/// The rows that a thread reads or writes at a time.
pub(super) const AT_ONCE: usize = 256;

/// The bytes of a file that are worked on at a time.
pub(super) const PIECE: usize = 1 << 20;

/// No page of a file is larger.
pub(super) const PAGE: u64 = 2 << 20;

/// A file with the matrices of a plane.
pub(super) struct GridsFile {
    pub(super) file: ScratchFile,
    /// By the mover's seeds: the rows and the columns of the matrix, and where it begins.
    pub(super) matrices: Vec<(usize, usize, u64)>,
}

impl GridsFile {
    pub(super) fn new(file: ScratchFile, seeds: u8) -> GridsFile {
        let mut matrices = Vec::new();
        let mut start = 0;
        for own in 0..=seeds {
            let (rows, columns) = (RowNumbers::count(seeds - own), half::count(own) as usize);
            matrices.push((rows, columns, start));
            start += (rows * columns.next_multiple_of(MOVERS)) as u64;
        }
        GridsFile { file, matrices }
    }

    /// The rows and the columns of a matrix.
    pub(super) fn size(&self, own: u8) -> (usize, usize) {
        let (rows, columns, _) = self.matrices[usize::from(own)];
        (rows, columns)
    }

    fn place(&self, own: u8, strip: usize, row: usize) -> u64 {
        let (rows, _, start) = self.matrices[usize::from(own)];
        start + ((strip * rows + row) * MOVERS) as u64
    }

    pub(super) fn place_of(&self, place: Place) -> u64 {
        let (strip, column) = (
            place.column as usize / MOVERS,
            place.column as usize % MOVERS,
        );
        self.place(place.own, strip, place.row as usize) + column as u64
    }

    /// Reads all columns of the rows from `first` on.
    pub(super) fn read(&self, own: u8, first: usize, to: &mut Grid) -> Result<(), TableError> {
        let columns = 0..to.columns();
        let stride = to.stride();
        self.read_lines(own, first, &[(columns, 0)], stride, to.lines_mut(), |_| ())
    }

    /// Reads columns, whole strips each time, into those of lines from some on, for the rows from `first` on. First calls
    /// `prepare` with each line.
    pub(super) fn read_lines(
        &self,
        own: u8,
        first: usize,
        columns: &[(Range<usize>, usize)],
        stride: usize,
        to: &mut [u8],
        prepare: impl Fn(&mut [u8]) + Sync,
    ) -> Result<(), TableError> {
        let tasks = to.chunks_mut(AT_ONCE * stride);
        let tasks = (first..).step_by(AT_ONCE).zip(tasks);
        parallel::try_for_each(tasks, |(row, lines)| {
            lines.chunks_mut(stride).for_each(&prepare);
            let mut bytes = [0; AT_ONCE * MOVERS];
            let bytes = &mut bytes[..lines.len() / stride * MOVERS];
            for (columns, at) in columns {
                for (column, at) in columns.clone().zip(*at..).step_by(MOVERS) {
                    self.file
                        .read(self.place(own, column / MOVERS, row), bytes)?;
                    let to = lines[at..].chunks_mut(stride);
                    for (to, from) in to.zip(bytes.chunks_exact(MOVERS)) {
                        to[..MOVERS].copy_from_slice(from);
                    }
                }
            }
            Ok(())
        })
    }

    /// Writes rows of a matrix, from `first_row` on.
    pub(super) fn write(
        &self,
        own: u8,
        first_row: usize,
        stride: usize,
        lines: &[u8],
    ) -> Result<(), TableError> {
        let strips = self.size(own).1.div_ceil(MOVERS);
        let tasks = lines.chunks(AT_ONCE * stride);
        let tasks = (first_row..).step_by(AT_ONCE).zip(tasks);
        parallel::try_for_each(tasks, |(row, lines)| {
            let mut bytes = Vec::with_capacity(lines.len() / stride * MOVERS);
            for strip in 0..strips {
                bytes.clear();
                let from = lines[strip * MOVERS..].chunks(stride);
                from.for_each(|line| bytes.extend_from_slice(&line[..MOVERS]));
                self.file.write(self.place(own, strip, row), &bytes)?;
            }
            Ok(())
        })
    }

    /// The pieces of a matrix in the file: where they begin and their lengths.
    pub(super) fn pieces(&self, own: u8) -> impl Iterator<Item = (u64, usize)> + use<> {
        let (rows, columns, start) = self.matrices[usize::from(own)];
        let len = rows * columns.next_multiple_of(MOVERS);
        let pieces = (0..len).step_by(PIECE);
        pieces.map(move |place| (start + place as u64, PIECE.min(len - place)))
    }

    /// Fills a matrix.
    pub(super) fn fill(&self, own: u8, byte: u8) -> Result<(), TableError> {
        let bytes = vec![byte; PIECE];
        let mut pieces = self.pieces(own);
        pieces.try_for_each(|(place, len)| self.file.write(place, &bytes[..len]))
    }
}

/// A file with the best captures of a plane: by share, by the mover's seeds, then by mover.
pub(super) struct CapturesFile {
    pub(super) file: ScratchFile,
    /// By share, then by the mover's seeds: where they begin.
    pub(super) starts: Vec<Vec<u64>>,
}

impl CapturesFile {
    pub(super) fn new(file: ScratchFile, shares: &Shares) -> CapturesFile {
        let (starts, _) = CapturesFile::starts(shares);
        CapturesFile { file, starts }
    }

    /// By share, then by the mover's seeds: where captures begin; and where the last ones end. Several processes may write
    /// to the file over a network, where only whole pages are safe from the others: so each share begins one.
    pub(super) fn starts(shares: &Shares) -> (Vec<Vec<u64>>, u64) {
        let (mut next, mut end) = (0u64, 0);
        let starts = (0..shares.count()).map(|share| {
            next = next.next_multiple_of(PAGE);
            let start = |own| {
                let start = next;
                let len = shares.ranks(share, shares.seeds - own).len();
                next += len as u64 * u64::from(half::count(own));
                end = if len > 0 { next } else { end };
                start
            };
            (0..=shares.seeds).map(start).collect()
        });
        (starts.collect(), end)
    }

    pub(super) fn read(&self, place: u64, to: &mut [u8]) -> Result<(), TableError> {
        let tasks = (place..).step_by(PIECE).zip(to.chunks_mut(PIECE));
        parallel::try_for_each(tasks, |(place, to)| self.file.read(place, to))
    }

    /// Writes captures, or values, of some shares.
    pub(super) fn write(
        &self,
        shares: &Shares,
        group: Range<usize>,
        captures: &[Grid],
    ) -> Result<(), TableError> {
        let opponents = shares.opponents(group.clone());
        for (own, (of, captures)) in (0..).zip(opponents.iter().zip(captures)) {
            for share in group.clone() {
                let Range { start, end } = shares.ranks(share, shares.seeds - own);
                if start == end {
                    continue;
                }
                let (columns, len) = (start - of.start..end - of.start, end - start);
                let place = self.starts[share][usize::from(own)];
                let at_once = PIECE / len + 1;
                for begin in (0..captures.rows()).step_by(at_once) {
                    let rows = begin..captures.rows().min(begin + at_once);
                    let lines = rows.map(|row| &captures.row(row)[columns.clone()]);
                    let bytes = lines.collect::<Vec<_>>().concat();
                    self.file.write(place + (begin * len) as u64, &bytes)?;
                }
            }
        }
        Ok(())
    }
}
