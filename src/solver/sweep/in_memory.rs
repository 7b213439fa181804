//! A layer in the memory of this process, or of several that solve it together: each has a share, and the window of that
//! share.
//!
//! All processes visit the same matrix at the same time, and then tell each other what has changed in it. So each sweep
//! does what it does with one process.

use std::ops::Range;
use std::sync::Arc;

use super::changes::{ChangedLines, make, next_tile};
use super::files::CapturesFile;
use super::grid::{Grid, RowNumbers};
use super::layer::{Store, Visited};
use super::movers::{Line, MOVERS};
use super::queue::{Cells, Event};
use super::scratch_file::ScratchFile;
use super::share::{Plane, Share};
use super::shares::{Rows, Shares};
use super::solve::SmallerParts;
use super::step::{Phase, Reads};
use super::tables::Tables;
use super::values::SweptLayer;
use crate::checkpoint::{Batch, State};
use granero_game::{Cycles, Position};
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::first_error::Stopped;
use granero_table::index::{Layer, half};

/// The other processes.
pub trait Peers {
    /// The number of this process.
    fn process(&self) -> usize;

    /// The number of processes.
    fn processes(&self) -> usize;

    /// Sends messages to all others and takes theirs, as all processes do at the same time. Returns the sum of the
    /// `count`s of all.
    ///
    /// * `next` adds a few bytes for a process to a message, or tells that there are no more.
    /// * `take` gets the messages, with the process that has sent them. It returns `None` if they are impossible.
    fn swap(
        &mut self,
        count: u64,
        next: &mut dyn FnMut(usize, &mut Vec<u8>) -> bool,
        take: &mut dyn FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<u64, Stopped>;

    /// Gives each process the bytes of process 0.
    fn spread(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, Stopped>;

    /// The place of temporary files, which all processes see.
    fn directory(&self) -> Arc<OpenDirectory>;

    /// Keeps an error that ends the work.
    fn fail(&mut self, error: TableError) -> Stopped;

    /// Adds bytes for a process.
    fn write(&mut self, to: usize, bytes: &[u8]) -> Result<(), Stopped>;

    /// Sends the rest of what was written.
    fn flush(&mut self) -> Result<(), Stopped>;

    /// Reads the next bytes that a process has written.
    fn read(&mut self, from: usize, bytes: &mut [u8]) -> Result<(), Stopped>;
}

/// The rows whose lines are written at a time.
const AT_ONCE: usize = 128;

/// The memory in bytes for a layer at each of some processes: for its captures, and besides while it is solved, if to look
/// captures up takes `reading`.
pub(crate) fn memory(cycles: Cycles, layer: Layer, processes: usize, reading: u64) -> (u64, u64) {
    let shares = Shares::of_processes(layer, cycles, processes);
    let planes = shares.planes;
    let (mut values, mut status) = (0, 0);
    for share in 0..processes {
        let (mut captures, mut grids, mut changing) = (0, 0, 0);
        for own in 0..=shares.seeds {
            let (opponents_seeds, columns) = (shares.seeds - own, half::count(own) as usize);
            let rows = shares.rows(share, opponents_seeds).len();
            captures += Grid::packed_memory(columns, shares.ranks(share, opponents_seeds).len());
            grids += Grid::memory(rows, columns);
            changing = changing.max(match processes {
                1 if planes > 1 => 0,
                1 => copied(&shares, own),
                // The changes on their way to the others.
                _ => Grid::memory(rows, columns) * 9 / 8,
            });
        }
        let window = match processes {
            1 => 0,
            _ => shares.window_memory(share..share + 1),
        };
        // Also what is secured, while there are no low captures.
        let secured = (planes - 1) * (2 * grids).saturating_sub(captures);
        values = values.max(planes * captures);
        // The last step looks low captures up again.
        let besides = (secured + changing).max((planes - 1) * reading as usize);
        status = status.max(planes * (grids + window) + besides);
    }
    (values as u64, status as u64)
}

/// The memory in bytes for what is copied of a matrix that reads itself.
fn copied(shares: &Shares, own: u8) -> usize {
    let (groups, opponents_seeds) = (shares.groups_of(own), shares.seeds - own);
    let crossing = own.checked_sub(opponents_seeds);
    let of = |group| groups.children(group, opponents_seeds, crossing?);
    let copies = (0..groups.count()).filter_map(of);
    let copies = copies.map(|it| Grid::memory(RowNumbers::count(opponents_seeds), it.len()));
    copies.max().unwrap_or(0)
}

/// A layer in memory.
pub(super) struct InMemory<'t, 'p> {
    share: Share<'t>,
    /// The other processes, if there are any.
    peers: Option<&'p mut dyn Peers>,
    /// By process, then by the mover's seeds: the columns that it reads.
    windows: Vec<Vec<Vec<Range<usize>>>>,
    /// Changes that are not passed on yet.
    waiting: Vec<Event>,
}

/// The bytes of a change in a message.
const EVENT: usize = 15;

impl Event {
    fn to_bytes(self) -> [u8; EVENT] {
        let mut bytes = [0; EVENT];
        bytes[..3].copy_from_slice(&[self.plane, self.before, self.after]);
        bytes[3..].copy_from_slice(&self.position.houses());
        bytes
    }

    fn from_bytes(bytes: &[u8; EVENT], shares: &Shares) -> Option<Event> {
        let ([plane, before, after], houses) = bytes.split_first_chunk()?;
        let position = Position::new(houses.try_into().ok()?).ok()?;
        let is_possible = usize::from(*plane) < shares.planes && position.seeds() == shares.seeds;
        is_possible.then_some(Event {
            plane: *plane,
            before: *before,
            after: *after,
            position,
        })
    }
}

fn contain(columns: &[Range<usize>], column: usize) -> bool {
    columns.iter().any(|columns| columns.contains(&column))
}

impl InMemory<'_, '_> {
    /// Tells the others which lines of a matrix have changed here, and takes over what has changed there.
    fn swap_lines(&mut self, plane: usize, own: u8, changed: &ChangedLines) -> Result<(), Stopped> {
        let a = usize::from(own);
        let first = self.share.rows(own).start;
        let Plane { grids, window, .. } = &mut self.share.planes[plane];
        let Some(window) = window.get_mut(a) else {
            // This process is alone.
            return Ok(());
        };
        if !changed.bytes().is_empty() {
            window.put_rows(first, &grids[a]);
        }
        let windows = &self.windows;
        let mut left = vec![changed.bytes(); windows.len()];
        let mut next = |to: usize, message: &mut Vec<u8>| {
            while let Some((column, tile)) = next_tile(&mut left[to]) {
                if contain(&windows[to][a], column) {
                    message.extend(tile);
                    return true;
                }
            }
            false
        };
        let mut take = |_, message: &[u8]| make(message, window);
        let peers = self.peers.as_deref_mut().expect("windows are of several");
        peers.swap(0, &mut next, &mut take).map(|_| ())
    }

    /// Tells the others of changes here, and adds theirs to `events`. Returns the sum of the counts.
    fn swap_events(&mut self, count: u64, events: &mut Vec<Event>) -> Result<u64, Stopped> {
        let InMemory {
            share,
            peers: Some(peers),
            windows,
            ..
        } = self
        else {
            return Ok(count);
        };
        let shares = &share.shares;
        let mut left = vec![events.iter(); windows.len()];
        let mut next = |to: usize, message: &mut Vec<u8>| {
            let event = left[to].find(|Event { position, .. }| {
                let columns = &windows[to][usize::from(position.own_seeds())];
                contain(columns, half::rank(position.own()).0 as usize)
            });
            message.extend(event.iter().flat_map(|event| event.to_bytes()));
            event.is_some()
        };
        let mut found = Vec::new();
        let mut take = |_, message: &[u8]| {
            let (all, rest) = message.as_chunks();
            for bytes in all {
                found.push(Event::from_bytes(bytes, shares)?);
            }
            rest.is_empty().then_some(())
        };
        let sum = peers.swap(count, &mut next, &mut take)?;
        for event in &found {
            if let Some(place) = share.tables.place(event.plane, &event.position) {
                let window = &mut share.planes[usize::from(event.plane)].window;
                window[usize::from(place.own)].put(place, event.after);
            }
        }
        events.append(&mut found);
        Ok(sum)
    }

    /// The rows of a batch by process, and the places of their bytes in it: at process 0 of all, at others their own.
    fn parts(&self, batch: &Batch) -> Vec<(usize, Range<usize>, Range<usize>)> {
        let Share { shares, number, .. } = &self.share;
        let (_, _, own) = shares.matrix(batch.matrix);
        let has_part = |process: &usize| *number == 0 || process == number;
        let of = |process| {
            let Range { start, end } = shares.rows(process, shares.seeds - own as u8);
            let rows = start.max(batch.rows.start)..end.min(batch.rows.end);
            let place = |row: usize| (row - batch.rows.start) * batch.row;
            (!rows.is_empty()).then(|| (process, rows.clone(), place(rows.start)..place(rows.end)))
        };
        let processes = (0..shares.count()).filter(has_part);
        processes.filter_map(of).collect()
    }
}

/// The lines of rows that have other bytes than this one. `first` is the number of the first row.
fn lines_unlike(rows: &Grid, first: usize, byte: u8) -> ChangedLines {
    let mut lines = ChangedLines::default();
    for column in (0..rows.columns()).step_by(MOVERS) {
        for begin in (0..rows.rows()).step_by(AT_ONCE) {
            lines.begin(column);
            for row in begin..rows.rows().min(begin + AT_ONCE) {
                let line = rows.bytes()[row * rows.stride() + column..].first_chunk();
                let line: &Line = line.expect("whole lines");
                if *line != [byte; MOVERS] {
                    lines.add((first + row) as u32, &[byte; MOVERS], line);
                }
            }
            lines.end();
        }
    }
    lines
}

impl Store for InMemory<'_, '_> {
    fn shares(&self) -> Shares {
        self.share.shares.clone()
    }

    fn shares_here(&self) -> Range<usize> {
        self.share.number..self.share.number + 1
    }

    fn visit(
        &mut self,
        rows: Rows,
        reads: Reads,
        _: bool,
        work: &mut dyn FnMut(Visited<'_>) -> u64,
    ) -> Result<u64, Stopped> {
        if self.peers.is_none() {
            return Ok(self.share.visit_rows(rows, reads, None, work));
        }
        let mut changed = ChangedLines::default();
        let changes = self.share.visit_rows(rows, reads, Some(&mut changed), work);
        self.swap_lines(rows.plane, rows.own, &changed)?;
        Ok(changes)
    }

    fn pass_on(&mut self, mut changes: Vec<Event>, phase: Phase) -> Result<(), Stopped> {
        if self.peers.is_none() {
            return self.share.pass_on_all(changes, phase);
        }
        self.waiting.append(&mut changes);
        Ok(())
    }

    fn end_sweep(&mut self, changes: u64, are_few: bool, phase: Phase) -> Result<u64, Stopped> {
        let mut events = std::mem::take(&mut self.waiting);
        let all = self.swap_events(changes, &mut events)?;
        let mut left = if are_few { all } else { 0 };
        while left > 0 {
            events = self.share.pass_on_once(&events, phase);
            left = self.swap_events(events.len() as u64, &mut events)?;
        }
        Ok(all)
    }

    fn begin(&mut self, phase: Phase, smaller: &mut SmallerParts<'_>) -> Result<(), Stopped> {
        self.share.begin(phase, smaller)
    }

    fn enter(&mut self, phase: Phase) -> Result<(), Stopped> {
        self.share.enter(phase);
        Ok(())
    }

    fn sum(&mut self, number: u64) -> Result<u64, Stopped> {
        self.swap_events(number, &mut Vec::new())
    }

    /// Sends the rows of this process to those that read them.
    fn resumed(&mut self) -> Result<(), Stopped> {
        let seeds = self.share.shares.seeds;
        for plane in 0..self.share.shares.planes {
            for own in self.share.all() {
                let first = self.share.rows(own).start;
                let rows = &self.share.planes[plane].grids[usize::from(own)];
                let changed = lines_unlike(rows, first, self.share.tables.first_byte(seeds, own));
                self.swap_lines(plane, own, &changed)?;
            }
        }
        Ok(())
    }
}

/// Process 0 has the file of a checkpoint; the others send it their rows, or take them from it.
impl State for InMemory<'_, '_> {
    fn sizes(&self) -> Vec<(usize, usize)> {
        let is_confirming = !self.share.planes[0].secured.is_empty();
        self.share.shares.sizes(is_confirming)
    }

    fn copy_rows(&mut self, batch: &Batch, to: &mut [u8]) -> Result<(), Stopped> {
        for (process, rows, bytes) in self.parts(batch) {
            let (share, to) = (&mut self.share, &mut to[bytes]);
            match &mut self.peers {
                Some(peers) if process != share.number => peers.read(process, to)?,
                Some(peers) if process > 0 => peers.write(0, share.lines(batch.matrix, rows))?,
                _ => to.copy_from_slice(share.lines(batch.matrix, rows)),
            }
        }
        self.flush()
    }

    fn take_rows(&mut self, batch: &Batch, from: &[u8]) -> Result<(), Stopped> {
        for (process, rows, bytes) in self.parts(batch) {
            let (share, from) = (&mut self.share, &from[bytes]);
            match &mut self.peers {
                Some(peers) if process != share.number => peers.write(process, from)?,
                Some(peers) if process > 0 => peers.read(0, share.lines(batch.matrix, rows))?,
                _ => share.lines(batch.matrix, rows).copy_from_slice(from),
            }
        }
        self.flush()
    }
}

impl<'t, 'p> InMemory<'t, 'p> {
    /// A layer, without anything in its matrices.
    pub(super) fn new(
        tables: &'t Tables,
        layer: Layer,
        peers: Option<&'p mut dyn Peers>,
    ) -> InMemory<'t, 'p> {
        let (process, processes) = match &peers {
            Some(peers) => (peers.process(), peers.processes()),
            None => (0, 1),
        };
        let shares = Shares::of_processes(layer, tables.cycles(), processes);
        let of_share = |share| {
            (0..=shares.seeds)
                .map(|own| shares.window(share, own))
                .collect()
        };
        InMemory {
            windows: (0..processes).map(of_share).collect(),
            share: Share::new(tables, shares, process),
            peers,
            waiting: Vec::new(),
        }
    }

    fn flush(&mut self) -> Result<(), Stopped> {
        self.peers.as_mut().map_or(Ok(()), |peers| peers.flush())
    }

    /// Takes the best move of each position once more, also of those that no move leads to. Several processes write the
    /// values to files, which all of them read: each may take so much memory with what it maps of them.
    pub(super) fn finish(
        mut self,
        smaller: &mut SmallerParts<'_>,
        resident: u64,
    ) -> Result<SweptLayer, Stopped> {
        self.share.finish_rows(smaller)?;
        let Share {
            shares,
            number,
            planes,
            ..
        } = self.share;
        // First give back what is not needed any more.
        let planes = planes.into_iter().map(|plane| plane.captures);
        let planes = planes.collect::<Vec<_>>();
        match self.peers {
            None => Ok(SweptLayer::in_memory(shares.seeds, planes)),
            Some(peers) => {
                let files = planes.into_iter().map(|values| {
                    let file = CapturesFile::new(shared_file(peers, "values")?, &shares);
                    let written = file.write(&shares, number..number + 1, &values);
                    let flushed = written.and_then(|()| file.file.flush());
                    flushed.map_err(|error| peers.fail(error))?;
                    Ok(file.file.close())
                });
                let files = files.collect::<Result<_, Stopped>>()?;
                // All have written theirs.
                peers.swap(0, &mut |_, _| false, &mut |_, _| Some(()))?;
                let swept = SweptLayer::in_files(&shares, files, resident);
                swept.map_err(|error| peers.fail(error))
            }
        }
    }
}

/// A file to which all processes write.
fn shared_file(peers: &mut dyn Peers, name: &str) -> Result<ScratchFile, Stopped> {
    let directory = peers.directory();
    let made = (peers.process() == 0).then(|| ScratchFile::new(directory.clone(), name));
    let made = made.transpose().map_err(|error| peers.fail(error))?;
    let name = made.as_ref().map(|file| file.name().into());
    let name = peers.spread(name.unwrap_or_default())?;
    let name = String::from_utf8_lossy(&name).into_owned();
    let file = made.map_or_else(|| ScratchFile::shared(directory, name), Ok);
    file.map_err(|error| peers.fail(error))
}
