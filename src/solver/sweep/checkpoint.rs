//! The state of a layer as a checkpoint. Whatever has been found so far is a start that leads to the same end.

use std::collections::VecDeque;

use super::grid::Grid;
use super::in_file::{FileState, GridsFile};
use super::in_memory::LayerState;
use super::in_processes::Peers;
use super::step::Phase;
use crate::checkpoint::{CheckpointStore, Sink, Source};
use granero_table::TableError;
use granero_table::first_error::Stopped;
use granero_table::index::half;

impl LayerState<'_> {
    /// By part of a checkpoint, and by process: the bytes.
    fn lengths(&self) -> Vec<Vec<usize>> {
        let shares = &self.shares;
        let parts = self.planes.iter();
        let parts: usize = parts
            .map(|plane| 1 + usize::from(!plane.secured.is_empty()))
            .sum();
        let part = |own| {
            let stride = Grid::stride_of(half::count(own) as usize);
            let rows = |share| shares.rows(share, shares.seeds - own).len();
            (0..shares.count())
                .map(|share| rows(share) * stride)
                .collect()
        };
        (0..parts)
            .flat_map(|_| (0..=shares.seeds).map(part))
            .collect()
    }

    /// By part of a checkpoint: the bytes of this process.
    fn own_lines(&mut self) -> VecDeque<&mut [u8]> {
        let planes = self.planes.iter_mut();
        let grids = planes.flat_map(|plane| plane.grids.iter_mut().chain(&mut plane.secured));
        grids.map(Grid::lines_mut).collect()
    }

    /// Writes a checkpoint, as all processes do: process 0 has the file. They do the same whether or not it can be written,
    /// so none blocks.
    pub(super) fn keep_rows(
        &mut self,
        phase: Phase,
        others: Others<'_, '_>,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped> {
        let (share, lengths) = (self.share, self.lengths());
        let mut rows = Rows::new(&lengths, self.own_lines(), others);
        if share > 0 {
            return rows.pass_own(|peers, own| peers.write(0, own));
        }
        checkpoints.write(phase.name(), &sums(&lengths), &mut rows)?;
        // Takes what is left.
        while rows.left() > 0 {
            let length = REST.min(rows.left());
            Source::next(&mut rows, length)?;
        }
        Ok(())
    }

    /// Reads the checkpoint, if there is one, as all processes do.
    pub(super) fn resume_rows(
        &mut self,
        phases: &[Phase],
        others: Others<'_, '_>,
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Resumed, Stopped> {
        let (share, lengths) = (self.share, self.lengths());
        let mut rows = Rows::new(&lengths, self.own_lines(), others);
        rows.phases = phases;
        let is_whole = if share > 0 {
            rows.find(0)?;
            if rows.found.is_some() {
                rows.pass_own(|peers, own| peers.read(0, own))?;
            }
            true
        } else {
            checkpoints.read(&sums(&lengths), &mut rows)?
        };
        if share == 0 && rows.found.is_none() {
            rows.find(0)?;
        } else if share == 0 {
            // Gives the others what is left, though it may mean nothing.
            while rows.left() > rows.buffer.len() {
                let length = REST.min(rows.left() - rows.buffer.len());
                Sink::next(&mut rows, length)?;
            }
            rows.pass(false)?;
        }
        let Some(phase) = rows.found else {
            return Ok(Resumed::Untouched);
        };
        Ok(match rows.sum(u64::from(!is_whole))? {
            0 => Resumed::At(phase),
            _ => Resumed::Spoilt,
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

/// The other processes, if there are any.
pub(super) type Others<'a, 'p> = Option<&'a mut (dyn Peers + 'p)>;

/// The bytes that are not written are taken in pieces of at most this length.
const REST: usize = 1 << 20;

/// The length of each part.
fn sums(lengths: &[Vec<usize>]) -> Vec<usize> {
    lengths.iter().map(|part| part.iter().sum()).collect()
}

/// The rows of all processes, on their way to the checkpoint of process 0, or from there.
struct Rows<'a> {
    /// The bytes that are still to come, in their order: the process that has them, and their number.
    pieces: VecDeque<(usize, usize)>,
    own: VecDeque<&'a mut [u8]>,
    others: Others<'a, 'a>,
    /// Bytes that are given, or not sent yet.
    buffer: Vec<u8>,
    /// The phases that a checkpoint can have, and the one that it has.
    phases: &'a [Phase],
    found: Option<Phase>,
}

impl<'a> Rows<'a> {
    fn new(
        lengths: &[Vec<usize>],
        own: VecDeque<&'a mut [u8]>,
        others: Others<'a, '_>,
    ) -> Rows<'a> {
        let pieces = lengths
            .iter()
            .flat_map(|part| part.iter().copied().enumerate());
        Rows {
            pieces: pieces.filter(|&(_, length)| length > 0).collect(),
            own: own.into_iter().filter(|part| !part.is_empty()).collect(),
            others: others.map(|peers| peers as &mut dyn Peers),
            buffer: Vec::new(),
            phases: &[],
            found: None,
        }
    }

    /// The number of bytes that are still to come.
    fn left(&self) -> usize {
        self.pieces.iter().map(|&(_, length)| length).sum()
    }

    /// The sum of the numbers of all processes.
    fn sum(&mut self, number: u64) -> Result<u64, Stopped> {
        match &mut self.others {
            Some(peers) => peers.swap(number, &mut |_, _| false, &mut |_, _| Some(())),
            None => Ok(number),
        }
    }

    /// Tells the others the number of the phase, counted from 1, or 0 if there is no checkpoint.
    fn find(&mut self, number: u64) -> Result<(), Stopped> {
        let found = self.sum(number)?.checked_sub(1);
        self.found = found.and_then(|found| self.phases.get(found as usize).copied());
        Ok(())
    }

    /// Sends the rows of this process to process 0, or gets them.
    fn pass_own(
        &mut self,
        mut pass: impl FnMut(&mut dyn Peers, &mut [u8]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let peers = self.others.as_mut().expect("process 0");
        let mut own = self.own.iter_mut();
        own.try_for_each(|own| pass(*peers, own))?;
        peers.flush()
    }

    /// The next bytes if this process has them all.
    fn next_own(&mut self, length: usize) -> Option<&'a mut [u8]> {
        let &(process, left) = self.pieces.front()?;
        if process > 0 || left < length {
            return None;
        }
        self.took(length);
        let own = self.own.front_mut()?.split_off_mut(..length);
        self.own.pop_front_if(|part| part.is_empty());
        own
    }

    fn took(&mut self, length: usize) {
        if let Some((_, left)) = self.pieces.front_mut() {
            *left -= length;
        }
        self.pieces.pop_front_if(|(_, left)| *left == 0);
    }

    /// Fills the buffer with the next bytes of the processes, or gives them what is in it.
    fn pass(&mut self, fills: bool) -> Result<(), Stopped> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut rest = &mut buffer[..];
        while let Some(&(process, left)) = self.pieces.front().filter(|_| !rest.is_empty()) {
            let length = rest.len().min(left);
            let bytes = rest.split_off_mut(..length).expect("not more");
            if let Some(own) = self.next_own(length) {
                let (from, to) = if fills { (own, bytes) } else { (bytes, own) };
                to.copy_from_slice(from);
                continue;
            }
            let peers = self.others.as_mut().expect("another process");
            if fills {
                peers.read(process, bytes)?;
            } else {
                peers.write(process, bytes)?;
            }
            self.took(length);
        }
        self.buffer = buffer;
        self.others.as_mut().map_or(Ok(()), |peers| peers.flush())
    }
}

impl Source for Rows<'_> {
    fn next(&mut self, length: usize) -> Result<&[u8], Stopped> {
        if let Some(own) = self.next_own(length) {
            return Ok(own);
        }
        self.buffer.resize(length, 0);
        self.pass(true)?;
        Ok(&self.buffer)
    }
}

impl Sink for Rows<'_> {
    fn begin(&mut self, name: &[u8]) -> Result<bool, Stopped> {
        let found = self.phases.iter().position(|phase| phase.name() == name);
        if let Some(found) = found {
            self.find(found as u64 + 1)?;
        }
        Ok(found.is_some())
    }

    fn next(&mut self, length: usize) -> Result<&mut [u8], Stopped> {
        self.pass(false)?;
        self.buffer.clear();
        if let Some(own) = self.next_own(length) {
            return Ok(own);
        }
        self.buffer.resize(length, 0);
        Ok(&mut self.buffer)
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
