//! A layer in files, while it is solved: what a share reads is in memory.

use std::sync::{Arc, Mutex};

use super::captures::{Resort, Stuck};
use super::files::{AT_ONCE, CapturesFile, GridsFile, PIECE};
use super::gather::LANES;
use super::grid::{Grid, RowNumbers};
use super::kernel::{self, Columns, Reading};
use super::layer::{Store, Visited};
use super::movers::MOVERS;
use super::queue::{Cells, Event, Place};
use super::scratch_file::ScratchFile;
use super::share::begin_confirm;
use super::shares::{Rows, Shares};
use super::solve::{Report, SmallerParts};
use super::step::{Phase, Reads};
use super::tables::Tables;
use super::window::Window;
use crate::checkpoint::{Batch, State};
use crate::progress::Progress;
use granero_game::{Bound, Cycles};
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::first_error::{Stopped, lock};
use granero_table::index::{Layer, half};
use granero_table::parallel;

/// Where a layer lies that is larger than memory, and how it is divided.
pub(crate) struct Within {
    pub(crate) shares: Shares,
    /// The place of temporary files.
    pub(crate) directory: Arc<OpenDirectory>,
    /// The memory in bytes for captures while they are looked up.
    pub(crate) room: usize,
    /// The memory of the process in bytes within which files of values are mapped.
    pub(crate) resident: u64,
}

/// Keeps an error that ends the work.
pub(crate) type Fail<'a> = dyn Fn(TableError) -> Stopped + Sync + 'a;

/// The work on a layer that is larger than memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The number of shares in which it was solved.
    pub shares: usize,
    /// The bytes of positions that were read.
    pub read: u64,
    /// The bytes of positions that were written.
    pub written: u64,
}

/// The values of a layer, or one of their bounds.
pub(super) struct FilePlane {
    pub(super) grids: GridsFile,
    /// With bounds.
    pub(super) secured: Option<GridsFile>,
    pub(super) captures: CapturesFile,
    /// By the mover's seeds: what the share in memory reads.
    window: Vec<Window>,
}

/// The memory in bytes for a layer in shares, while it is solved. For captures, up to `part` bytes of a smaller layer are
/// read.
pub(crate) fn memory(shares: &Shares, threads: usize, part: u64) -> u64 {
    let all = 0..shares.count();
    let (mut rows, mut captures, mut narrow) = (0, 0, 0);
    for own in 0..=shares.seeds {
        let (opponents_seeds, columns) = (shares.seeds - own, half::count(own) as usize);
        for share in all.clone() {
            let here = shares.rows(share, opponents_seeds).len();
            rows = rows.max(Grid::memory(here, columns));
            captures = captures.max(columns * shares.ranks(share, opponents_seeds).len());
        }
        for crossing in 0..=own {
            let read = shares.children(shares.count() - 1, opponents_seeds, crossing);
            let rows = RowNumbers::count(own - crossing);
            narrow = narrow.max(read.map_or(0, |read| Grid::memory(rows, read.len())));
        }
    }
    // The windows of all shares lie in the same memory.
    let window = shares.window_memory(all.clone());
    let solving = shares.planes * (window + rows) + narrow + captures;
    // What is asleep, and what threads read and write.
    let positions = Layer::new(shares.seeds).map_or(0, Layer::len) as usize;
    let flags = shares.planes * positions / (LANES * MOVERS);
    let solving = solving + flags + threads * 4 * AT_ONCE * MOVERS + 3 * PIECE;
    let captures = all.map(|share| shares.captures_memory(share..share + 1));
    (solving as u64).max(captures.max().unwrap_or(0) as u64 + part)
}

impl Shares {
    /// As few shares as fit into some memory, or else [`MOST`]; see [`memory`].
    pub(crate) fn in_memory(
        cycles: Cycles,
        layer: Layer,
        bytes: u64,
        threads: usize,
        part: u64,
    ) -> Shares {
        let least = Shares::equal(layer, cycles, MOST);
        // A share of opponents with few seeds takes less memory, and reads more.
        for has_narrow in [false, true] {
            let mut most = bytes;
            while most > bytes / 2 {
                let size = |shares: &Shares| memory(shares, threads, part);
                let shares = least.within(has_narrow, most, size);
                let needed = size(&shares);
                if needed <= bytes {
                    return shares;
                }
                // Shares differ in the matrices of which they read most.
                most -= (needed - bytes).max(bytes / 64).min(most);
            }
        }
        least
    }
}

/// The shares that take least memory: more would take longer.
const MOST: usize = 64;

/// The least memory in bytes for a layer in shares; see [`memory`].
pub(crate) fn least_memory(cycles: Cycles, layer: Layer, threads: usize, part: u64) -> u64 {
    memory(&Shares::equal(layer, cycles, MOST), threads, part)
}

pub(super) struct FileState<'t, 'a> {
    pub(super) tables: &'t Tables,
    pub(super) shares: Shares,
    pub(super) planes: Vec<FilePlane>,
    pub(super) stuck: Vec<Stuck>,
    pub(super) fail: &'a Fail<'a>,
    /// As in [`Within`].
    room: usize,
    pub(super) resident: u64,
    /// The share whose windows are in memory.
    share: Option<usize>,
    /// Memory for the captures, the rows and what is secured of a visit.
    pub(super) captures: Grid,
    rows: Grid,
    secured: Grid,
    /// With values, by share and by the mover's seeds: the sum of their distances from 0, if it is known. It grows with
    /// every change.
    sums: Vec<Option<u64>>,
    /// Memory for the columns that opponents with few seeds read.
    narrow: Window,
    is_confirming: bool,
    /// The first error of reading or writing single bytes.
    stopped: Mutex<Option<Stopped>>,
}

/// The sum of the distances of all values from 0.
fn sum_of_distances(grid: &Grid) -> u64 {
    let rows: Vec<usize> = (0..grid.rows()).collect();
    let sums = parallel::map(rows.chunks(AT_ONCE), |rows| {
        let of_row = |&row: &usize| kernel::sum_of_distances(grid.row(row));
        rows.iter().map(of_row).sum::<u64>()
    });
    sums.into_iter().sum()
}

impl<'t, 'a> FileState<'t, 'a> {
    /// A layer, without anything in its files.
    pub(super) fn new(
        tables: &'t Tables,
        within: Within,
        fail: &'a Fail<'a>,
    ) -> Result<FileState<'t, 'a>, Stopped> {
        let shares = within.shares;
        let file = |name| ScratchFile::new(within.directory.clone(), name).map_err(fail);
        let grids = |name| Ok(GridsFile::new(file(name)?, shares.seeds));
        let has_bounds = shares.planes > 1;
        let planes = (0..shares.planes).map(|_| {
            Ok(FilePlane {
                grids: grids("plane")?,
                secured: has_bounds.then(|| grids("secured")).transpose()?,
                captures: CapturesFile::new(file("captures")?, &shares),
                window: Vec::new(),
            })
        });
        Ok(FileState {
            planes: planes.collect::<Result<_, _>>()?,
            tables,
            sums: vec![None; shares.count() * (usize::from(shares.seeds) + 1)],
            shares,
            stuck: Vec::new(),
            fail,
            room: within.room,
            resident: within.resident,
            share: None,
            captures: Grid::default(),
            rows: Grid::default(),
            secured: Grid::default(),
            narrow: Window::default(),
            is_confirming: false,
            stopped: Mutex::new(None),
        })
    }

    /// Looks up the captures, those of some shares at a time.
    pub(super) fn look_up(
        &mut self,
        smaller: &mut SmallerParts<'_>,
        report: &Report<'_>,
    ) -> Result<(), Stopped> {
        let shares = &self.shares;
        let layer = Layer::new(shares.seeds).expect("at most 48 seeds");
        let groups = shares.groups(self.room);
        for (plane, bound) in self.planes.iter().zip([Bound::Low, Bound::High]) {
            // The same for both bounds.
            self.stuck.clear();
            for (number, group) in groups.iter().enumerate() {
                let opponents = shares.opponents(group.clone());
                let of_bound = |seeds, from| {
                    report(Progress::CapturesOfPart(number as u64, groups.len() as u64))?;
                    smaller(seeds, bound.of_child(), from)
                };
                let (captures, mut more) = self.tables.captures(layer, &opponents, of_bound)?;
                self.stuck.append(&mut more);
                let written = plane.captures.write(shares, group.clone(), &captures);
                written.map_err(self.fail)?;
            }
        }
        Stuck::sort(&mut self.stuck);
        Ok(())
    }

    /// The work on the files.
    pub(super) fn moved(&self) -> Moved {
        let mut all = Moved {
            shares: self.shares.count(),
            read: 0,
            written: 0,
        };
        for plane in &self.planes {
            let secured = plane.secured.as_ref().map(|secured| &secured.file);
            let files = [Some(&plane.grids.file), secured, Some(&plane.captures.file)];
            for (read, written) in files.into_iter().flatten().map(ScratchFile::moved) {
                all.read += read;
                all.written += written;
            }
        }
        all
    }

    fn keep_error<T>(&self, result: Result<T, TableError>) -> Result<T, Stopped> {
        result.map_err(self.fail)
    }

    /// Brings the windows of a share into memory.
    pub(super) fn enter(&mut self, share: usize) -> Result<(), Stopped> {
        // Opponents with few seeds have no window.
        if self.share == Some(share) || self.shares.is_narrow(share) {
            return Ok(());
        }
        let shares = &self.shares;
        let enter = |plane: &mut FilePlane| {
            if plane.window.is_empty() {
                let window = |own| Window::new(shares, 0..shares.count(), own, 0);
                plane.window = (0..=shares.seeds).map(window).collect();
            }
            for (own, window) in (0..).zip(&mut plane.window) {
                let parts = shares.window(share, own);
                if parts != window.parts() {
                    window.slide(&plane.grids, own, parts)?;
                }
            }
            Ok(())
        };
        self.share = Some(share);
        let entered = self.planes.iter_mut().try_for_each(enter);
        self.keep_error(entered)
    }

    /// Forgets what is in memory, because the files have changed.
    fn leave(&mut self) {
        self.share = None;
        let windows = self.planes.iter_mut().flat_map(|plane| &mut plane.window);
        windows.for_each(Window::clear);
        self.sums.fill(None);
    }

    /// By class: the columns of the children of a share.
    pub(super) fn sources(&self, rows: Rows) -> Vec<Columns<'_>> {
        let children = &self.planes[self.shares.other(rows.plane)];
        Window::sources(&children.window, &self.shares, rows)
    }

    /// The captures of a share in a matrix.
    pub(super) fn captures(
        &self,
        Rows { share, plane, own }: Rows,
        room: Grid,
    ) -> Result<Grid, Stopped> {
        let shares = self.shares.clone();
        let ranks = shares.ranks(share, shares.seeds - own);
        let mut captures = room.reshape_packed(half::count(own) as usize, ranks.len());
        let file = &self.planes[plane].captures;
        let place = file.starts[share][usize::from(own)];
        self.keep_error(file.read(place, captures.lines_mut()))?;
        Ok(captures)
    }

    /// What moves of last resort give now to a share in a matrix.
    pub(super) fn resorts(&self, rows: Rows) -> Result<Vec<Resort>, Stopped> {
        let resorts = Resort::all(self, &self.stuck, rows);
        // What they lead to may not have been read.
        Cells::check(self)?;
        Ok(resorts)
    }

    /// Raises the captures of opponents with few seeds to the best moves, class by class.
    pub(super) fn raise_narrow(&mut self, rows: Rows, captures: &mut Grid) -> Result<(), Stopped> {
        let Rows { share, plane, own } = rows;
        let opponents_seeds = self.shares.seeds - own;
        let file = &self.planes[self.shares.other(plane)].grids;
        let mut window = std::mem::take(&mut self.narrow);
        for crossing in 0..=own {
            let columns = self.shares.children(share, opponents_seeds, crossing);
            let columns = columns.expect("the share has opponents");
            let first = columns.start;
            window.clear();
            let slid = window.slide(file, opponents_seeds + crossing, vec![columns]);
            self.keep_error(slid)?;
            let source = window.columns(first).expect("it was read");
            let sources = vec![source; 2 * (usize::from(own) + 1)];
            let of_class = (&sources[..], crossing..crossing + 1);
            self.tables
                .raise_rows(&self.shares, rows, of_class, 0, captures);
        }
        self.narrow = window;
        Ok(())
    }

    /// Reads the rows of a share in a matrix.
    fn rows_of(
        &self,
        file: &GridsFile,
        Rows { share, own, .. }: Rows,
        mut grid: Grid,
    ) -> Result<Grid, Stopped> {
        let rows = self.shares.rows(share, self.shares.seeds - own);
        self.keep_error(file.read(own, rows.start, &mut grid))?;
        Ok(grid)
    }
}

impl Store for FileState<'_, '_> {
    fn shares(&self) -> Shares {
        self.shares.clone()
    }

    fn visit(
        &mut self,
        rows: Rows,
        reads: Reads,
        compares: bool,
        work: &mut dyn FnMut(Visited<'_>) -> u64,
    ) -> Result<u64, Stopped> {
        let Rows { share, plane, own } = rows;
        let (shares, a) = (self.shares.clone(), usize::from(own));
        let opponents_seeds = shares.seeds - own;
        let here = shares.rows(share, opponents_seeds);
        if here.is_empty() {
            return Ok(0);
        }
        self.enter(share)?;
        let is_narrow = shares.is_narrow(share);
        let has_captures = reads.captures || is_narrow;
        let resorts = self.resorts(rows)?;
        let mut captures = std::mem::take(&mut self.captures);
        if has_captures {
            captures = self.captures(rows, captures)?;
        }
        if is_narrow {
            self.raise_narrow(rows, &mut captures)?;
        }
        let columns = half::count(own) as usize;
        let has_bounds = self.planes[plane].secured.is_some();
        let rows_room = std::mem::take(&mut self.rows).reshape(here.len(), columns);
        let mut grid = (rows_room, Grid::default());
        let sum = share * (usize::from(shares.seeds) + 1) + a;
        let sum_before = self.sums[sum].filter(|_| !compares);
        let FilePlane { grids, secured, .. } = &self.planes[plane];
        if sum_before.is_none() {
            grid.0 = self.rows_of(grids, rows, grid.0)?;
        }
        if let Some(secured) = secured.as_ref().filter(|_| reads.secured) {
            let room = std::mem::take(&mut self.secured).reshape(here.len(), columns);
            grid.1 = self.rows_of(secured, rows, room)?;
        }
        let sources = if is_narrow {
            Vec::new()
        } else {
            self.sources(rows)
        };
        let mut changes = work(Visited {
            reading: Reading {
                movers: &self.tables.movers[a],
                gathers: &self.tables.gathers[usize::from(opponents_seeds)],
                sources: &sources,
                captures: has_captures.then_some(Columns {
                    grid: &captures,
                    first: shares.ranks(share, opponents_seeds).start,
                }),
                crossing: if is_narrow { 0..0 } else { 0..own + 1 },
            },
            blocks: shares.blocks(share, opponents_seeds),
            first_row: 0,
            rows: &mut grid.0,
            secured: reads.secured.then_some(&grid.1),
            resorts: &resorts,
            changed: None,
        });
        if !has_bounds {
            let sum_now = sum_of_distances(&grid.0);
            changes = sum_before.map_or(changes, |before| sum_now.abs_diff(before));
            self.sums[sum] = Some(sum_now);
        }
        if changes > 0 {
            let FilePlane { grids, window, .. } = &mut self.planes[plane];
            if let Some(window) = window.get_mut(a) {
                window.put_rows(here.start, &grid.0);
            }
            let written = grids.write(own, here.start, grid.0.stride(), grid.0.lines());
            self.keep_error(written)?;
        }
        (self.rows, self.secured) = grid;
        self.captures = captures;
        Ok(changes)
    }

    fn few(&self) -> f64 {
        // Single bytes of files take longer than those of memory.
        0.002
    }

    fn pass_on(&mut self, changes: Vec<Event>, phase: Phase) -> Result<(), Stopped> {
        if changes.is_empty() {
            return Ok(());
        }
        self.sums.fill(None);
        self.pass_on_all(changes, phase)
    }

    fn end_sweep(&mut self, changes: u64, _: bool, _: Phase) -> Result<u64, Stopped> {
        Ok(changes)
    }

    fn begin(&mut self, phase: Phase, _: &mut SmallerParts<'_>) -> Result<(), Stopped> {
        self.leave();
        self.is_confirming = phase == Phase::Confirm;
        let seeds = self.shares.seeds;
        let mut grids = self.planes.iter().flat_map(|plane| {
            let grids = &plane.grids;
            (0..=seeds).map(move |own| (grids, own))
        });
        let filled = grids.try_for_each(|(grids, own)| {
            let first_byte = self.tables.first_byte(seeds, own);
            grids.fill(own, first_byte)
        });
        self.keep_error(filled)
    }

    fn enter(&mut self, phase: Phase) -> Result<(), Stopped> {
        self.is_confirming = phase == Phase::Confirm;
        if !self.is_confirming {
            return Ok(());
        }
        self.leave();
        for plane in &mut self.planes {
            let secured = plane.secured.as_mut().expect("bounds are secured");
            std::mem::swap(&mut plane.grids, secured);
        }
        self.keep_error(self.begin_confirm())
    }
}

impl State for FileState<'_, '_> {
    fn sizes(&self) -> Vec<(usize, usize)> {
        self.shares.sizes(self.is_confirming)
    }

    fn copy_rows(&mut self, batch: &Batch, to: &mut [u8]) -> Result<(), Stopped> {
        let (file, own) = self.file_of(batch);
        let columns = 0..file.size(own).1;
        let read = file.read_lines(
            own,
            batch.rows.start,
            &[(columns, 0)],
            batch.row,
            to,
            |_| (),
        );
        self.keep_error(read)
    }

    fn take_rows(&mut self, batch: &Batch, from: &[u8]) -> Result<(), Stopped> {
        let (file, own) = self.file_of(batch);
        self.keep_error(file.write(own, batch.rows.start, batch.row, from))
    }
}

impl FileState<'_, '_> {
    /// The file with the matrix of a batch, and the mover's seeds.
    fn file_of(&self, batch: &Batch) -> (&GridsFile, u8) {
        let (plane, is_secured, own) = self.shares.matrix(batch.matrix);
        let FilePlane { grids, secured, .. } = &self.planes[plane];
        let file = if is_secured {
            secured.as_ref()
        } else {
            Some(grids)
        };
        (file.expect("bounds are secured"), own as u8)
    }

    /// Writes the planes as they are before they are confirmed.
    fn begin_confirm(&self) -> Result<(), TableError> {
        let [low, high] = &self.planes[..] else {
            unreachable!("positions have two bounds");
        };
        let mut bytes = [(); 2].map(|()| vec![0; PIECE]);
        for own in 0..=self.shares.seeds {
            for (place, len) in low.grids.pieces(own) {
                let [lows, highs] = bytes.each_mut().map(|bytes| &mut bytes[..len]);
                for (plane, bytes) in [(low, &mut *lows), (high, &mut *highs)] {
                    let secured = plane.secured.as_ref().expect("bounds are secured");
                    secured.file.read(place, bytes)?;
                }
                begin_confirm(self.tables.sides(self.shares.seeds, own), lows, highs);
                low.grids.file.write(place, lows)?;
                high.grids.file.write(place, highs)?;
            }
        }
        Ok(())
    }

    /// Reads a byte, or keeps the error.
    fn byte(&self, file: &ScratchFile, place: u64) -> u8 {
        let mut byte = [0];
        if let Err(stopped) = self.keep_error(file.read(place, &mut byte)) {
            *lock(&self.stopped) = Some(stopped);
        }
        byte[0]
    }
}

impl Cells for FileState<'_, '_> {
    fn tables(&self) -> &Tables {
        self.tables
    }

    fn division(&self) -> &Shares {
        &self.shares
    }

    fn get(&self, place: Place) -> u8 {
        let FilePlane { grids, window, .. } = &self.planes[usize::from(place.plane)];
        let window = window.get(usize::from(place.own));
        let byte = window.and_then(|window| window.get(place));
        byte.unwrap_or_else(|| self.byte(&grids.file, grids.place_of(place)))
    }

    fn put(&mut self, place: Place, byte: u8) {
        let FilePlane { grids, window, .. } = &mut self.planes[usize::from(place.plane)];
        if let Some(window) = window.get_mut(usize::from(place.own)) {
            window.put(place, byte);
        }
        let written = grids.file.write(grids.place_of(place), &[byte]);
        if let Err(stopped) = self.keep_error(written) {
            *lock(&self.stopped) = Some(stopped);
        }
    }

    fn secured(&self, place: Place) -> u8 {
        let secured = self.planes[usize::from(place.plane)].secured.as_ref();
        let secured = secured.expect("bounds are secured");
        self.byte(&secured.file, secured.place_of(place))
    }

    fn capture(&self, place: Place, opponents: half::Rank) -> u8 {
        let Place { plane, own, .. } = place;
        let opponents_seeds = self.shares.seeds - own;
        let share = self.shares.share_of(opponents_seeds, opponents);
        let ranks = self.shares.ranks(share, opponents_seeds);
        let captures = &self.planes[usize::from(plane)].captures;
        let start = captures.starts[share][usize::from(own)];
        let at = place.column as usize * ranks.len() + opponents.0 as usize - ranks.start;
        self.byte(&captures.file, start + at as u64)
    }

    fn check(&self) -> Result<(), Stopped> {
        lock(&self.stopped).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests;
