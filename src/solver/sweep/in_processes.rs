//! A layer that several processes solve together: each has a share, and the window of that share, in memory.
//!
//! All processes visit the same matrix at the same time, and then tell each other what has changed in it. So each sweep
//! does what it does in memory.

use std::ops::Range;
use std::sync::Arc;

use super::changes::{ChangedLines, make, next_tile};
use super::files::CapturesFile;
use super::grid::Grid;
use super::in_memory::{LayerState, Plane};
use super::layer::{Store, Visited};
use super::movers::{Line, MOVERS};
use super::queue::{Cells, Event};
use super::scratch_file::ScratchFile;
use super::shares::{Rows, Shares};
use super::solve::{Report, SmallerParts, reporting};
use super::step::{Phase, Reads};
use super::tables::Tables;
use super::values::SweptLayer;
use crate::checkpoint::{Batch, CheckpointStore, State};
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

/// The memory in bytes for a layer at each of some processes: for its values, from the captures on, and besides while it
/// is solved.
pub(crate) fn memory(cycles: Cycles, layer: Layer, processes: usize) -> (u64, u64) {
    let planes = cycles.measures().into_iter().count();
    let shares = Shares::of_processes(layer.seeds(), planes, processes);
    let (mut values, mut status) = (0, 0);
    for share in 0..processes {
        let (mut captures, mut grids, mut largest) = (0, 0, 0);
        for own in 0..=shares.seeds {
            let (opponents_seeds, columns) = (shares.seeds - own, half::count(own) as usize);
            let rows = shares.rows(share, opponents_seeds).len();
            captures += Grid::packed_memory(columns, shares.ranks(share, opponents_seeds).len());
            grids += Grid::memory(rows, columns);
            largest = largest.max(Grid::memory(rows, columns));
        }
        let window = shares.window_memory(share..share + 1);
        let planes = shares.planes;
        // Also what is secured, while there are no low captures.
        let secured = (planes - 1) * (2 * grids - captures.min(2 * grids));
        // Also the changes of a matrix.
        let solving = planes * (grids + window) + secured + largest * 9 / 8;
        values = values.max(planes * captures);
        status = status.max(solving);
    }
    (values as u64, status as u64)
}

/// A share with the other processes.
pub(super) struct SharedState<'t, 'p> {
    share: LayerState<'t>,
    peers: &'p mut dyn Peers,
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

impl SharedState<'_, '_> {
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
        self.peers.swap(0, &mut next, &mut take).map(|_| ())
    }

    /// Tells the others of changes here, and adds theirs to `events`. Returns the sum of the counts.
    fn swap_events(&mut self, count: u64, events: &mut Vec<Event>) -> Result<u64, Stopped> {
        let SharedState {
            share,
            peers,
            windows,
            ..
        } = self;
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
            if let Some(place) = share.tables.place(&event.position) {
                let window = &mut share.planes[usize::from(event.plane)].window;
                window[usize::from(place.own)].put(place, event.after);
            }
        }
        events.append(&mut found);
        Ok(sum)
    }

    /// The rows of a batch by process, and the places of their bytes in it.
    fn parts(&self, batch: &Batch) -> Vec<(usize, Range<usize>, Range<usize>)> {
        let shares = &self.share.shares;
        let (_, _, own) = shares.matrix(batch.matrix);
        let of = |process| {
            let Range { start, end } = shares.rows(process, shares.seeds - own as u8);
            let rows = start.max(batch.rows.start)..end.min(batch.rows.end);
            let place = |row: usize| (row - batch.rows.start) * batch.row;
            (!rows.is_empty()).then(|| (process, rows.clone(), place(rows.start)..place(rows.end)))
        };
        (0..shares.count()).filter_map(of).collect()
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

impl Store for SharedState<'_, '_> {
    fn shares(&self) -> Shares {
        self.share.shares.clone()
    }

    fn shares_here(&self) -> Range<usize> {
        self.share.share..self.share.share + 1
    }

    fn visit(
        &mut self,
        rows: Rows,
        reads: Reads,
        _: bool,
        work: &mut dyn FnMut(Visited<'_>) -> u64,
    ) -> Result<u64, Stopped> {
        let mut changed = ChangedLines::default();
        let changes = self.share.visit_rows(rows, reads, Some(&mut changed), work);
        self.swap_lines(rows.plane, rows.own, &changed)?;
        Ok(changes)
    }

    fn pass_on(&mut self, mut changes: Vec<Event>, _: Phase) -> Result<(), Stopped> {
        self.waiting.append(&mut changes);
        Ok(())
    }

    fn end_sweep(&mut self, changes: u64, are_few: bool, phase: Phase) -> Result<u64, Stopped> {
        let mut events = std::mem::take(&mut self.waiting);
        let all = self.swap_events(changes, &mut events)?;
        let mut left = all;
        while are_few && left > 0 {
            events = self.share.pass_on_once(&events, phase);
            left = self.swap_events(events.len() as u64, &mut events)?;
        }
        Ok(all)
    }

    fn begin(&mut self, phase: Phase, smaller: &mut SmallerParts<'_>) -> Result<(), Stopped> {
        self.share.begin(phase, smaller)
    }

    fn enter(&mut self, phase: Phase) -> Result<(), Stopped> {
        self.share.enter(phase)
    }

    fn sum(&mut self, number: u64) -> Result<u64, Stopped> {
        self.peers
            .swap(number, &mut |_, _| false, &mut |_, _| Some(()))
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
impl State for SharedState<'_, '_> {
    fn sizes(&self) -> Vec<(usize, usize)> {
        self.share.sizes()
    }

    fn copy_rows(&mut self, batch: &Batch, to: &mut [u8]) -> Result<(), Stopped> {
        for (process, rows, bytes) in self.parts(batch) {
            let to = &mut to[bytes];
            if process == self.share.share {
                let own = self.share.lines(batch.matrix, rows);
                if process > 0 {
                    self.peers.write(0, own)?;
                } else {
                    to.copy_from_slice(own);
                }
            } else if self.share.share == 0 {
                self.peers.read(process, to)?;
            }
        }
        self.peers.flush()
    }

    fn take_rows(&mut self, batch: &Batch, from: &[u8]) -> Result<(), Stopped> {
        for (process, rows, bytes) in self.parts(batch) {
            let from = &from[bytes];
            if process == self.share.share {
                let own = self.share.lines(batch.matrix, rows);
                if process > 0 {
                    self.peers.read(0, own)?;
                } else {
                    own.copy_from_slice(from);
                }
            } else if self.share.share == 0 {
                self.peers.write(process, from)?;
            }
        }
        self.peers.flush()
    }
}

impl Tables {
    /// Solves a layer together with other processes. The process may take so much memory with what it maps of the values.
    pub(crate) fn solve_together(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        peers: &mut dyn Peers,
        resident: u64,
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<SweptLayer, Stopped> {
        let planes = self.cycles().measures().into_iter().count();
        let shares = Shares::of_processes(layer.seeds(), planes, peers.processes());
        let share = LayerState::new(self, shares.clone(), peers.process());
        let windows = |share| {
            (0..=shares.seeds)
                .map(|own| shares.window(share, own))
                .collect()
        };
        let windows = (0..shares.count()).map(windows).collect();
        let mut state = SharedState {
            share,
            peers,
            windows,
            waiting: Vec::new(),
        };
        self.run(
            &mut state,
            &mut reporting(layer, smaller, report),
            checkpoints,
            report,
        )?;
        state.finish(smaller, resident)
    }
}

impl SharedState<'_, '_> {
    /// Takes the best move of each position once more, also of those that no move leads to, and writes the values to files,
    /// which all processes read.
    fn finish(
        mut self,
        smaller: &mut SmallerParts<'_>,
        resident: u64,
    ) -> Result<SweptLayer, Stopped> {
        self.share.finish_rows(smaller)?;
        let (shares, share) = (self.share.shares.clone(), self.share.share);
        // First give back what is not needed any more.
        let planes = std::mem::take(&mut self.share.planes).into_iter();
        let planes: Vec<_> = planes.map(|plane| plane.captures).collect();
        let mut files = Vec::new();
        for values in planes {
            let file = CapturesFile::new(self.shared_file("values")?, &shares);
            let written = file.write(&shares, share..share + 1, &values);
            let flushed = written.and_then(|()| file.file.flush());
            flushed.map_err(|error| self.peers.fail(error))?;
            files.push(file.file.close());
        }
        // All have written theirs.
        self.sum(0)?;
        let swept = SweptLayer::in_files(&shares, files, resident);
        swept.map_err(|error| self.peers.fail(error))
    }

    /// A file to which all processes write.
    fn shared_file(&mut self, name: &str) -> Result<ScratchFile, Stopped> {
        let peers = &mut *self.peers;
        let directory = peers.directory();
        let made = (peers.process() == 0).then(|| ScratchFile::new(directory.clone(), name));
        let made = made.transpose().map_err(|error| peers.fail(error))?;
        let name = made.as_ref().map(|file| file.name().into());
        let name = peers.spread(name.unwrap_or_default())?;
        let name = String::from_utf8_lossy(&name).into_owned();
        let file = made.map_or_else(|| ScratchFile::shared(directory, name), Ok);
        file.map_err(|error| peers.fail(error))
    }
}
