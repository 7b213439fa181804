//! A layer that several processes solve together: each has a share, and the window of that share, in memory.
//!
//! All processes visit the same matrix at the same time, and then tell each other what has changed in it. So each sweep
//! does what it does in memory.

use std::ops::Range;

use super::captures::Stuck;
use super::changes::{ChangedLines, make, next_tile, number, read_bytes, write_bytes};
use super::checkpoint::Resumed;
use super::grid::Grid;
use super::in_memory::{LayerState, Plane};
use super::kernel::Line;
use super::layer::{Store, Tables, Visited};
use super::movers::MOVERS;
use super::queue::{Cells, Event, Place};
use super::shares::{Rows, Shares};
use super::solve::{Report, SmallerParts};
use super::step::Phase;
use super::values::{SweptLayer, measured};
use crate::checkpoint::CheckpointStore;
use crate::progress::Progress;
use granero_game::Cycles;
use granero_table::first_error::Stopped;
use granero_table::index::{Layer, half};
use granero_table::rows::Matrix;

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

    /// Writes a checkpoint of the bytes of all processes. A part of it begins with those of process 0, and has
    /// `lengths`, by part and by process.
    fn keep(
        &mut self,
        name: &[u8],
        lengths: &[Vec<usize>],
        own: Vec<&mut [u8]>,
        store: &mut dyn CheckpointStore,
    ) -> Result<(), Stopped>;

    /// Reads a checkpoint. Returns the number of its name and whether it was read to its end, unless there is none with
    /// such a name.
    fn resume(
        &mut self,
        names: &[&[u8]],
        lengths: &[Vec<usize>],
        own: Vec<&mut [u8]>,
        store: &mut dyn CheckpointStore,
    ) -> Result<Option<(usize, bool)>, Stopped>;
}

/// The most bytes of a row in a part of a message.
const PIECE: usize = 16 << 10;

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
            captures += Grid::memory(columns, shares.ranks(share, opponents_seeds).len());
            grids += Grid::memory(rows, columns);
            largest = largest.max(Grid::memory(rows, columns));
        }
        let window = shares.window_memory(share..share + 1);
        let planes = shares.planes;
        // Also what is secured, and the changes of a matrix.
        let solving = planes * (grids * if planes > 1 { 2 } else { 1 } + window) + largest * 9 / 8;
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
const EVENT: usize = 12;

impl Event {
    fn to_bytes(self) -> [u8; EVENT] {
        let [o0, o1, o2, o3] = self.opponents.to_le_bytes();
        let [m0, m1, m2, m3] = self.movers.to_le_bytes();
        let [plane, own] = [self.plane, self.own];
        let [before, after] = [self.before, self.after];
        [plane, own, before, after, o0, o1, o2, o3, m0, m1, m2, m3]
    }

    fn from_bytes(bytes: &[u8; EVENT], shares: &Shares) -> Option<Event> {
        let [plane, own, before, after, numbers @ ..] = *bytes;
        let mut numbers = &numbers[..];
        let (opponents, movers) = (number(&mut numbers)?, number(&mut numbers)?);
        let opponents_seeds = shares.seeds.checked_sub(own)?;
        let is_possible = usize::from(plane) < shares.planes
            && opponents < half::count(opponents_seeds)
            && movers < half::count(own);
        is_possible.then_some(Event {
            plane,
            own,
            before,
            after,
            opponents,
            movers,
        })
    }
}

fn contain(columns: &[Range<usize>], column: usize) -> bool {
    columns.iter().any(|columns| columns.contains(&column))
}

/// Sends items to those that they are for. Returns the sum of the counts, and the items that have come.
fn swap_items<T, const N: usize>(
    peers: &mut dyn Peers,
    count: u64,
    items: &[T],
    is_for: impl Fn(usize, &T) -> bool,
    to_bytes: impl Fn(&T) -> [u8; N],
    from_bytes: impl Fn(&[u8; N]) -> Option<T>,
) -> Result<(u64, Vec<T>), Stopped> {
    let mut left = vec![items.iter(); peers.processes()];
    let mut next = |to: usize, message: &mut Vec<u8>| {
        let item = left[to].find(|item| is_for(to, item));
        message.extend(item.iter().flat_map(|item| to_bytes(item)));
        item.is_some()
    };
    let mut found = Vec::new();
    let mut take = |_, message: &[u8]| {
        let (all, rest) = message.as_chunks();
        for bytes in all {
            found.push(from_bytes(bytes)?);
        }
        rest.is_empty().then_some(())
    };
    let sum = peers.swap(count, &mut next, &mut take)?;
    Ok((sum, found))
}

impl SharedState<'_, '_> {
    /// Tells the others which lines of a matrix have changed here, and takes over what has changed there.
    fn swap_lines(&mut self, plane: usize, own: u8, changed: &ChangedLines) -> Result<(), Stopped> {
        let a = usize::from(own);
        let Some(window) = self.share.planes[plane].window.get_mut(a) else {
            // This process is alone.
            return Ok(());
        };
        make(changed.bytes(), window, false).expect("lines of the matrix");
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
        let mut take = |_, message: &[u8]| make(message, window, true);
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
        let is_for = |to: usize, event: &Event| {
            let columns = &windows[to][usize::from(event.own)];
            contain(columns, event.movers as usize)
        };
        let (sum, mut found) = swap_items(
            *peers,
            count,
            &events[..],
            is_for,
            |event| event.to_bytes(),
            |bytes| Event::from_bytes(bytes, shares),
        )?;
        for event in &found {
            let numbers = &share.tables.numbers;
            if let Some(row) = numbers.row(shares.seeds - event.own, event.opponents) {
                let place = Place {
                    own: event.own,
                    row,
                    column: event.movers,
                };
                let window = &mut share.planes[usize::from(event.plane)].window;
                window[usize::from(event.own)].put(place, event.after);
            }
        }
        events.append(&mut found);
        Ok(sum)
    }

    /// Tells if something is so at all processes.
    fn is_everywhere(&mut self, is_here: bool) -> Result<bool, Stopped> {
        let sum = self
            .peers
            .swap(u64::from(!is_here), &mut |_, _| false, &mut |_, _| Some(()));
        Ok(sum? == 0)
    }

    /// By part of a checkpoint, and by process: the bytes.
    fn lengths(&self) -> Vec<Vec<usize>> {
        let shares = &self.share.shares;
        let has_bounds = shares.planes > 1;
        let parts = shares.planes * if has_bounds { 2 } else { 1 };
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

    /// Sends the rows of this process to those that read them.
    fn swap_all(&mut self) -> Result<(), Stopped> {
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

/// By part of a checkpoint: the bytes of this process.
fn own_lines(planes: &mut [Plane]) -> Vec<&mut [u8]> {
    let grids = planes
        .iter_mut()
        .flat_map(|plane| plane.grids.iter_mut().chain(&mut plane.secured));
    grids.map(Grid::lines_mut).collect()
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
        _: bool,
        work: &mut dyn FnMut(Visited<'_>) -> u64,
    ) -> Result<u64, Stopped> {
        let mut changed = ChangedLines::default();
        let changes = self.share.visit_rows(rows, Some(&mut changed), work);
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

    fn begin(&mut self) -> Result<(), Stopped> {
        self.share.begin()
    }

    fn is_confirmed(&mut self) -> Result<bool, Stopped> {
        let is_here = self.share.is_confirmed_here();
        self.is_everywhere(is_here)
    }

    fn secure(&mut self) -> Result<(), Stopped> {
        self.share.secure()
    }

    fn keep(&mut self, phase: Phase, checkpoints: &mut dyn CheckpointStore) -> Result<(), Stopped> {
        if self.is_everywhere(!checkpoints.is_due())? {
            return Ok(());
        }
        let (lengths, own) = (self.lengths(), own_lines(&mut self.share.planes));
        self.peers.keep(phase.name(), &lengths, own, checkpoints)
    }

    fn resume(
        &mut self,
        phases: &[Phase],
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Resumed, Stopped> {
        let names: Vec<&[u8]> = phases.iter().map(|phase| phase.name()).collect();
        let (lengths, own) = (self.lengths(), own_lines(&mut self.share.planes));
        let found = self.peers.resume(&names, &lengths, own, checkpoints)?;
        Ok(match found {
            Some((number, true)) => {
                self.swap_all()?;
                Resumed::At(phases[number])
            }
            Some(_) => Resumed::Spoilt,
            None => Resumed::Untouched,
        })
    }
}

impl Tables {
    /// Solves a layer together with other processes. By process, then by the mover's seeds, `movers` are the ranks of the
    /// half-boards whose rows each has in the end. Returns the values of the rows of this one.
    pub(crate) fn solve_together(
        &self,
        layer: Layer,
        smaller: &mut SmallerParts<'_>,
        peers: &mut dyn Peers,
        movers: &[Vec<Range<u32>>],
        checkpoints: &mut dyn CheckpointStore,
        report: &Report<'_>,
    ) -> Result<SweptLayer, Stopped> {
        let planes = self.cycles().measures().into_iter().count();
        let shares = Shares::of_processes(layer.seeds(), planes, peers.processes());
        let mut share = LayerState::new(self, shares.clone(), peers.process());
        let here = &movers[share.share];
        for (_, measure) in self.cycles().measures() {
            let mut captures = self.captures(layer, here, |seeds, from| {
                report(Progress::Captures(layer.seeds() - seeds))?;
                smaller(seeds, measure.bound().of_child(), from)
            })?;
            // The same for both bounds.
            let stuck = self.ends(layer, here, &mut captures);
            share.stuck = share.swap_stuck(peers, stuck)?;
            let captures = share.swap_captures(peers, movers, captures)?;
            share.planes.push(Plane {
                captures,
                ..Plane::default()
            });
        }
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
        self.run(&mut state, checkpoints, report)?;
        let SharedState { share, peers, .. } = state;
        share.finish_together(peers, movers, layer)
    }
}

impl LayerState<'_> {
    /// Sends positions without a move that is always legal to the processes that have their opponents.
    fn swap_stuck(&self, peers: &mut dyn Peers, all: Vec<Stuck>) -> Result<Vec<Stuck>, Stopped> {
        let (shares, tables) = (&self.shares, self.tables);
        let owner = |stuck: &Stuck| {
            let opponents_seeds = shares.seeds - stuck.own_seeds();
            shares.share_of(opponents_seeds, stuck.opponents())
        };
        let (_, mut found) = swap_items(
            peers,
            0,
            &all,
            |to, stuck| owner(stuck) == to,
            Stuck::to_bytes,
            |bytes| Stuck::from_bytes(bytes, tables, shares.seeds),
        )?;
        found.extend(all.into_iter().filter(|stuck| owner(stuck) == self.share));
        found.sort_by_key(Stuck::own_seeds);
        Ok(found)
    }

    /// Sends captures of the rows of this process to the processes that have their opponents.
    fn swap_captures(
        &self,
        peers: &mut dyn Peers,
        movers: &[Vec<Range<u32>>],
        from: Vec<Grid>,
    ) -> Result<Vec<Grid>, Stopped> {
        let new = |own| Grid::new(half::count(own) as usize, self.ranks(own).len(), 0);
        let mut to: Vec<Grid> = self.all().map(new).collect();
        let (shares, share) = (&self.shares, self.share);
        let of = |to: usize, own: u8| Rectangle {
            rows: 0..movers[share][usize::from(own)].len(),
            columns: shares.ranks(to, shares.seeds - own),
        };
        let place = |from: usize, own: u8| {
            let Range { start, end } = movers[from][usize::from(own)];
            Rectangle {
                rows: start as usize..end as usize,
                columns: 0..shares.ranks(share, shares.seeds - own).len(),
            }
        };
        swap_rectangles(peers, &from, &of, &mut to, &place)?;
        Ok(to)
    }

    /// Takes the best move of each position once more, also of those that no move leads to, and sends the values to the
    /// processes that have their rows.
    fn finish_together(
        mut self,
        peers: &mut dyn Peers,
        movers: &[Vec<Range<u32>>],
        layer: Layer,
    ) -> Result<SweptLayer, Stopped> {
        self.finish_rows();
        let (shares, share) = (self.shares.clone(), self.share);
        let here = &movers[share];
        let of = |to: usize, own: u8| {
            let Range { start, end } = movers[to][usize::from(own)];
            Rectangle {
                rows: start as usize..end as usize,
                columns: 0..shares.ranks(share, shares.seeds - own).len(),
            }
        };
        let place = |from: usize, own: u8| Rectangle {
            rows: 0..here[usize::from(own)].len(),
            columns: shares.ranks(from, shares.seeds - own),
        };
        // First give back what is not needed any more.
        let planes: Vec<_> = self
            .planes
            .into_iter()
            .map(|plane| plane.captures)
            .collect();
        let mut all = Vec::new();
        for captures in planes {
            let matrices = Matrix::all(layer).zip(here);
            let new = matrices.map(|(matrix, rows)| Grid::new(rows.len(), matrix.row_len(), 0));
            let mut values: Vec<Grid> = new.collect();
            swap_rectangles(peers, &captures, &of, &mut values, &place)?;
            all.push(values);
        }
        let values = measured(all);
        Ok(SweptLayer::of_rows(layer, values, here.clone()))
    }
}

/// Some rows and columns of a matrix.
struct Rectangle {
    rows: Range<usize>,
    columns: Range<usize>,
}

/// Sends rectangles of matrices, by process and by the mover's seeds, and puts those that arrive into others.
fn swap_rectangles(
    peers: &mut dyn Peers,
    from: &[Grid],
    of: &dyn Fn(usize, u8) -> Rectangle,
    to: &mut [Grid],
    place: &dyn Fn(usize, u8) -> Rectangle,
) -> Result<(), Stopped> {
    let process = peers.process();
    for (own, (from, to)) in (0..).zip(from.iter().zip(&mut *to)) {
        let (here, there) = (of(process, own), place(process, own));
        let columns = here.columns;
        if !columns.is_empty() {
            to.copy_part(
                there.rows.start,
                there.columns.start,
                from,
                here.rows,
                columns,
            );
        }
    }
    // By process: the matrix, the row in it, and the column.
    let mut done = vec![(0, 0, 0); peers.processes()];
    let mut next = |process: usize, message: &mut Vec<u8>| {
        let (own, row, column) = &mut done[process];
        while let Some(grid) = from.get(usize::from(*own)) {
            let Rectangle { rows, columns } = of(process, *own);
            if *row == rows.len() || columns.is_empty() {
                (*own, *row) = (*own + 1, 0);
            } else if *column == columns.len() {
                (*row, *column) = (*row + 1, 0);
            } else {
                let length = PIECE.min(columns.len() - *column);
                message.push(*own);
                for number in [*row, *column, length] {
                    message.extend((number as u32).to_le_bytes());
                }
                let bytes = &grid.row(rows.start + *row)[columns.start + *column..][..length];
                write_bytes(message, bytes);
                *column += length;
                return true;
            }
        }
        false
    };
    let mut take = |process: usize, mut message: &[u8]| {
        while let Some(&own) = message.split_off_first() {
            let Rectangle { rows, columns } =
                (usize::from(own) < to.len()).then(|| place(process, own))?;
            let mut next = || Some(number(&mut message)? as usize);
            let (row, column, length) = (next()?, next()?, next()?);
            if row >= rows.len() || column + length > columns.len() {
                return None;
            }
            let (row, column) = (rows.start + row, columns.start + column);
            let line = to[usize::from(own)].row_from(row, column)?;
            read_bytes(&mut message, line.get_mut(..length)?)?;
        }
        Some(())
    };
    peers.swap(0, &mut next, &mut take).map(|_| ())
}
