//! A temporary file with bytes for each row of a layer.

use std::ops::Range;

use super::BandedTask;
use super::scratch_file::ScratchFile;
use crate::graph::{BySeeds, Layout, Number};
use crate::passes::{Plane, Solved, decode};
use granero_table::TableError;
use granero_table::first_error::Stopped;

/// A temporary file with bytes for each row of a layer, in the order of a plane.
#[derive(Debug)]
pub(super) struct RowsFile {
    pub(super) file: ScratchFile,
    /// By the mover's seeds: the bytes of a row, and where the first row begins.
    row_bytes: BySeeds,
    starts: BySeeds,
    /// The bytes of all rows.
    pub(super) len: usize,
}

impl RowsFile {
    /// Makes a file, given the bytes of a row by the mover's seeds.
    pub(super) fn new(
        task: &BandedTask<'_>,
        name: &str,
        layout: &Layout,
        row_bytes: impl Fn(u8) -> usize,
    ) -> Result<RowsFile, Stopped> {
        let bytes = |own| layout.rows(own) as usize * row_bytes(own);
        let starts = BySeeds::sums(layout.matrices().map(bytes));
        Ok(RowsFile {
            file: task.file(name)?,
            row_bytes: BySeeds::of(layout.matrices().map(row_bytes)),
            len: starts.get(layout.seeds() + 1),
            starts,
        })
    }

    /// The bytes of a row.
    pub(super) fn row_bytes(&self, own_seeds: u8) -> usize {
        self.row_bytes.get(own_seeds)
    }

    /// The place of a row in the file.
    pub(super) fn place(&self, own_seeds: u8, own: Number) -> u64 {
        (self.starts.get(own_seeds) + own as usize * self.row_bytes(own_seeds)) as u64
    }

    /// Writes the bytes of a band, given its rows by the mover's seeds.
    pub(super) fn write_band(
        &self,
        rows: &[Range<Number>],
        mut bytes: &[u8],
    ) -> Result<(), TableError> {
        for (own_seeds, rows) in (0..).zip(rows) {
            let (now, later) = bytes.split_at(rows.len() * self.row_bytes(own_seeds));
            self.file.write(self.place(own_seeds, rows.start), now)?;
            bytes = later;
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
            for place in (0..self.len).step_by(PIECE).filter(|_| decodes) {
                let bytes = &mut bytes[..PIECE.min(self.len - place)];
                self.file.read(place as u64, bytes)?;
                decode(bytes, &values);
                self.file.write(place as u64, bytes)?;
            }
            self.file.map()
        };
        let mapped = mapped().map_err(task.fail)?;
        Ok(Solved {
            plane: Plane::InFile(mapped, self.file),
            decode: values,
        })
    }
}

/// The bytes that become values at once.
const PIECE: usize = 1 << 20;
