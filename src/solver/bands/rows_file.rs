//! A temporary file with bytes for each row of a layer.

use super::BandedTask;
use super::division::Division;
use super::scratch_file::{SECTOR, ScratchFile};
use crate::graph::{BySeeds, Number};
use crate::passes::{Plane, Solved, decode};
use granero_table::TableError;
use granero_table::first_error::Stopped;

/// A temporary file with bytes for each row of a layer: band after band, and each in the order of its plane. Bands
/// begin at multiples of [`SECTOR`].
#[derive(Debug)]
pub(crate) struct RowsFile {
    pub(super) file: ScratchFile,
    /// By the mover's seeds: the bytes of a row, and where the first row begins in a plane.
    row_bytes: BySeeds,
    starts: BySeeds,
    /// Where the rows of a matrix that lie in a band begin in a plane and in the file, ascending.
    pieces: Vec<(usize, usize)>,
    /// By band: where it begins in the file, and its bytes.
    bands: Vec<(usize, usize)>,
    /// The bytes of all rows.
    pub(super) len: usize,
}

impl RowsFile {
    /// Makes a file, given the bytes of a row by the mover's seeds.
    pub(super) fn new(
        task: &BandedTask<'_>,
        name: &str,
        division: &Division,
        row_bytes: impl Fn(u8) -> usize,
    ) -> Result<RowsFile, Stopped> {
        let layout = &division.whole;
        let bytes = |own| layout.rows(own) as usize * row_bytes(own);
        let starts = BySeeds::sums(layout.matrices().map(bytes));
        let (mut pieces, mut bands, mut place) = (Vec::new(), Vec::new(), 0);
        for band in 0..division.len() {
            let start = place;
            for (own_seeds, rows) in (0..).zip(division.all_rows(band)) {
                if !rows.is_empty() {
                    let row = rows.start as usize * row_bytes(own_seeds);
                    pieces.push((starts.get(own_seeds) + row, place));
                    place += rows.len() * row_bytes(own_seeds);
                }
            }
            bands.push((start, place - start));
            place = place.next_multiple_of(SECTOR);
        }
        pieces.sort_unstable();
        let file = task.file(name)?;
        file.set_len(place as u64).map_err(task.fail)?;
        Ok(RowsFile {
            file,
            row_bytes: BySeeds::of(layout.matrices().map(row_bytes)),
            len: starts.get(layout.seeds() + 1),
            starts,
            pieces,
            bands,
        })
    }

    /// The bytes of a row.
    pub(super) fn row_bytes(&self, own_seeds: u8) -> usize {
        self.row_bytes.get(own_seeds)
    }

    /// The place of a row in the file.
    pub(super) fn place(&self, own_seeds: u8, own: Number) -> u64 {
        let start = self.starts.get(own_seeds) + own as usize * self.row_bytes(own_seeds);
        self.place_of(start) as u64
    }

    /// The place in the file of a place in a plane.
    pub(crate) fn place_of(&self, start: usize) -> usize {
        let piece = self.pieces.partition_point(|&(first, _)| first <= start) - 1;
        let (first, place) = self.pieces[piece];
        place + start - first
    }

    /// The place in the file of a band, and its bytes.
    pub(super) fn band(&self, band: usize) -> (u64, usize) {
        let (start, len) = self.bands[band];
        (start as u64, len)
    }

    pub(super) fn largest_band(&self) -> usize {
        self.bands.iter().map(|&(_, len)| len).max().unwrap_or(0)
    }

    /// The bytes of each band, given those of the file.
    pub(crate) fn bands<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        (self.bands.iter()).map(move |&(start, len)| &bytes[start..start + len])
    }

    /// Writes the bytes of a band.
    pub(super) fn write_band(&self, band: usize, bytes: &[u8]) -> Result<(), TableError> {
        self.file.write(self.band(band).0, bytes)
    }

    /// Calls `with` for each part of some bytes of a plane that begin at `start`, with its place in the file.
    pub(super) fn each_part(
        &self,
        mut start: usize,
        mut length: usize,
        mut with: impl FnMut(u64, usize) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        while length > 0 {
            let next = self.pieces.partition_point(|&(first, _)| first <= start);
            let end = self.pieces.get(next).map_or(self.len, |&(first, _)| first);
            let part = length.min(end - start);
            with(self.place_of(start) as u64, part)?;
            (start, length) = (start + part, length - part);
        }
        Ok(())
    }

    /// Ends the work: maps the file. `decodes` says whether its bytes become values first.
    pub(super) fn finish(
        self,
        task: &BandedTask<'_>,
        values: [i8; 256],
        decodes: bool,
    ) -> Result<Solved, Stopped> {
        let mapped = || {
            let mut bytes = vec![0; self.len.min(PIECE)];
            for &(start, len) in self.bands.iter().filter(|_| decodes) {
                for place in (start..start + len).step_by(PIECE) {
                    let bytes = &mut bytes[..PIECE.min(start + len - place)];
                    self.file.read(place as u64, bytes)?;
                    decode(bytes, &values);
                    self.file.write(place as u64, bytes)?;
                }
            }
            self.file.map()
        };
        let mapped = mapped().map_err(task.fail)?;
        Ok(Solved {
            plane: Plane::InFile(mapped, Box::new(self)),
            decode: values,
        })
    }
}

/// The bytes that become values at once.
const PIECE: usize = 1 << 20;
