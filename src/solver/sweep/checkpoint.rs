//! The state of a layer as a checkpoint. Whatever has been found so far is a start that leads to the same end.

use super::grid::Grid;
use super::in_file::{FileState, GridsFile};
use super::in_memory::LayerState;
use super::step::Phase;
use crate::checkpoint::{CheckpointStore, Sink, Source};
use granero_table::TableError;
use granero_table::first_error::Stopped;

impl LayerState<'_> {
    /// Writes a checkpoint if it is time for one.
    pub(super) fn keep_rows(
        &self,
        phase: Phase,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        if !checkpoints.is_due() {
            return Ok(());
        }
        let planes = self.planes.iter();
        let grids: Vec<&Grid> = planes
            .flat_map(|plane| plane.grids.iter().chain(&plane.secured))
            .collect();
        let lengths: Vec<usize> = grids.iter().map(|grid| grid.lines().len()).collect();
        let mut from = Lines {
            grids: &grids,
            at: 0,
        };
        checkpoints.write(phase.name(), &lengths, &mut from)
    }

    /// Reads the checkpoint, if there is one.
    pub(super) fn resume_rows(
        &mut self,
        phases: &[Phase],
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Resumed, Stopped> {
        let planes = self.planes.iter_mut();
        let grids = planes.flat_map(|plane| plane.grids.iter_mut().chain(&mut plane.secured));
        let lines: Vec<&mut [u8]> = grids.map(Grid::lines_mut).collect();
        let lengths: Vec<usize> = lines.iter().map(|lines| lines.len()).collect();
        let mut to = LinesMut {
            phases,
            found: None,
            lines: lines.into_iter(),
            rest: &mut [],
        };
        let is_whole = checkpoints.read(&lengths, &mut to)?;
        Ok(match to.found {
            Some(phase) if is_whole => Resumed::At(phase),
            Some(_) => Resumed::Spoilt,
            None => Resumed::Untouched,
        })
    }
}

/// What a checkpoint has made of the grids.
pub(crate) enum Resumed {
    /// The sweeps go on in this phase.
    At(Phase),
    /// There is no checkpoint of this layer.
    Untouched,
    /// It could not be read to its end: the grids hold nothing useful.
    Spoilt,
}

/// Gives the rows of grids.
struct Lines<'a> {
    grids: &'a [&'a Grid],
    /// Where the next bytes begin in the first grid.
    at: usize,
}

impl Source for Lines<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        let lines = self.grids[0].lines();
        let next = &lines[self.at..self.at + length];
        self.at += length;
        if self.at == lines.len() {
            (self.grids, self.at) = (&self.grids[1..], 0);
        }
        Ok(next)
    }
}

/// Takes the rows of grids.
struct LinesMut<'a> {
    /// The phases that are possible.
    phases: &'a [Phase],
    found: Option<Phase>,
    /// The next grids, and the rest of this one.
    lines: std::vec::IntoIter<&'a mut [u8]>,
    rest: &'a mut [u8],
}

impl Sink for LinesMut<'_> {
    fn begin(&mut self, name: &[u8]) -> Result<bool, Stopped> {
        let mut phases = self.phases.iter().copied();
        self.found = phases.find(|phase| phase.name() == name);
        Ok(self.found.is_some())
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        if self.rest.is_empty() {
            self.rest = self.lines.next().expect("a part for each grid");
        }
        let (next, rest) = std::mem::take(&mut self.rest).split_at_mut(length);
        self.rest = rest;
        Ok(next)
    }
}

impl FileState<'_, '_> {
    /// The files, and the mover's seeds, of the parts of a checkpoint.
    fn parts(&self) -> impl Iterator<Item = (&GridsFile, u8)> {
        let files = self.planes.iter();
        let files = files.flat_map(|plane| [Some(&plane.grids), plane.secured.as_ref()]);
        let all = 0..=self.shares.seeds;
        files
            .flatten()
            .flat_map(move |file| all.clone().map(move |own| (file, own)))
    }

    /// Writes a checkpoint if it is time for one.
    pub(super) fn keep_rows(
        &self,
        phase: Phase,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        if !checkpoints.is_due() {
            return Ok(());
        }
        let lengths: Vec<usize> = self.parts().map(|(file, own)| file.len(own)).collect();
        let mut from = FileRows::new(self);
        checkpoints.write(phase.name(), &lengths, &mut from)
    }

    /// Reads the checkpoint, if there is one.
    pub(super) fn resume_rows(
        &self,
        phases: &[Phase],
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Resumed, Stopped> {
        let lengths: Vec<usize> = self.parts().map(|(file, own)| file.len(own)).collect();
        let mut to = FileRowsMut {
            phases,
            found: None,
            rows: FileRows::new(self),
        };
        let is_whole = checkpoints.read(&lengths, &mut to)?;
        if is_whole {
            to.rows.write()?;
        }
        Ok(match to.found {
            Some(phase) if is_whole => Resumed::At(phase),
            Some(_) => Resumed::Spoilt,
            None => Resumed::Untouched,
        })
    }
}

/// The rows of files, one after the other.
struct FileRows<'a> {
    parts: Vec<(&'a GridsFile, u8)>,
    /// Keeps an error that ends the work.
    fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    /// The next row of the first part.
    row: usize,
    /// Rows, whole lines each.
    bytes: Vec<u8>,
    /// How many of these bytes were given before.
    given: usize,
}

/// The bytes of rows that are moved together, about.
const TOGETHER: usize = 1 << 18;

impl<'a> FileRows<'a> {
    fn new(state: &'a FileState<'_, '_>) -> FileRows<'a> {
        FileRows {
            parts: state.parts().collect(),
            fail: state.files.fail,
            row: 0,
            bytes: Vec::new(),
            given: 0,
        }
    }

    /// A grid for the next rows, which have up to so many bytes, unless a single one has more.
    fn grid(&self, most: usize) -> Grid {
        let (file, own) = self.parts[0];
        let (rows, columns) = file.size(own);
        let fit = (most / Grid::stride_of(columns)).min(rows - self.row);
        Grid::new(fit, columns, 0)
    }

    fn go_on(&mut self, rows: usize) {
        let (file, own) = self.parts[0];
        self.row += rows;
        if self.row == file.size(own).0 {
            self.parts.remove(0);
            self.row = 0;
        }
    }

    /// Writes the rows that are whole.
    fn write(&mut self) -> Result<(), Stopped> {
        let mut done = 0;
        while let Some(&(file, own)) = self.parts.first() {
            let mut grid = self.grid((self.bytes.len() - done).min(TOGETHER));
            if grid.rows() == 0 {
                // One row can have more than the others together.
                grid = self.grid(self.bytes.len() - done);
            }
            if grid.rows() == 0 {
                break;
            }
            let lines = grid.lines_mut();
            lines.copy_from_slice(&self.bytes[done..][..lines.len()]);
            done += lines.len();
            file.write(own, self.row, &grid).map_err(self.fail)?;
            self.go_on(grid.rows());
        }
        self.bytes.drain(..done);
        Ok(())
    }
}

impl Source for FileRows<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        self.bytes.drain(..self.given);
        while self.bytes.len() < length {
            let (file, own) = self.parts[0];
            let stride = Grid::stride_of(file.size(own).1);
            let mut grid = self.grid(TOGETHER.max(stride));
            file.read(own, self.row, &mut grid).map_err(self.fail)?;
            self.bytes.extend_from_slice(grid.lines());
            self.go_on(grid.rows());
        }
        self.given = length;
        Ok(&self.bytes[..length])
    }
}

/// Takes the rows of files.
struct FileRowsMut<'a> {
    /// The phases that are possible.
    phases: &'a [Phase],
    found: Option<Phase>,
    rows: FileRows<'a>,
}

impl Sink for FileRowsMut<'_> {
    fn begin(&mut self, name: &[u8]) -> Result<bool, Stopped> {
        let mut phases = self.phases.iter().copied();
        self.found = phases.find(|phase| phase.name() == name);
        Ok(self.found.is_some())
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        self.rows.write()?;
        let begin = self.rows.bytes.len();
        self.rows.bytes.resize(begin + length, 0);
        Ok(&mut self.rows.bytes[begin..])
    }
}
