//! A share of a layer in memory, while it is solved: the one of this process, or the whole layer.

use std::ops::Range;

use super::captures::{Resort, Stuck};
use super::changes::ChangedLines;
use super::grid::Grid;
use super::kernel::{Columns, Reading};
use super::layer::Visited;
use super::queue::{Cells, Place};
use super::shares::{Rows, Shares};
use super::solve::SmallerParts;
use super::step::{Phase, Reads};
use super::tables::Tables;
use super::window::Window;
use granero_game::Bound;
use granero_table::first_error::Stopped;
use granero_table::index::{Layer, half};

/// The values of a share, or one of their bounds, while the layer is solved: by the mover's seeds.
#[derive(Debug, Default)]
pub(crate) struct Plane {
    /// A row for each half-board of the opponent with an empty house, a column for each of the mover's.
    pub(crate) grids: Vec<Grid>,
    /// The best captures, a row for each half-board of the mover, a column for each of the opponent's. While bounds are
    /// confirmed, there are no low ones.
    pub(crate) captures: Vec<Grid>,
    /// While bounds are confirmed: what is secured, like `grids`.
    pub(crate) secured: Vec<Grid>,
    /// The columns that the share reads, unless it is the whole layer.
    pub(super) window: Vec<Window>,
}

/// A share of a layer while it is solved: one plane, or with bounds the low and the high ones.
pub(crate) struct Share<'t> {
    pub(crate) tables: &'t Tables,
    pub(super) shares: Shares,
    pub(super) number: usize,
    /// By the mover's seeds: the rows of the share, and the ranks of its opponents.
    rows: Vec<Range<usize>>,
    ranks: Vec<Range<usize>>,
    pub(crate) planes: Vec<Plane>,
    /// Positions whose only moves are legal because there is no other.
    pub(crate) stuck: Vec<Stuck>,
    /// Columns of a matrix as they were before a sweep.
    before: Grid,
}

impl<'t> Share<'t> {
    /// A share, without anything in its planes.
    pub(crate) fn new(tables: &'t Tables, shares: Shares, number: usize) -> Share<'t> {
        let rows = (0..=shares.seeds).map(|own| shares.rows(number, shares.seeds - own));
        Share {
            tables,
            number,
            rows: rows.collect(),
            ranks: shares.opponents(number..number + 1),
            planes: (0..shares.planes).map(|_| Plane::default()).collect(),
            shares,
            stuck: Vec::new(),
            before: Grid::default(),
        }
    }

    /// The mover's seeds of all matrices.
    pub(super) fn all(&self) -> impl Iterator<Item = u8> + use<> {
        0..=self.shares.seeds
    }

    /// The rows of the share in a matrix.
    #[inline(always)]
    pub(super) fn rows(&self, own: u8) -> &Range<usize> {
        &self.rows[usize::from(own)]
    }

    /// The ranks of its opponents in a matrix.
    #[inline(always)]
    pub(super) fn ranks(&self, own: u8) -> &Range<usize> {
        &self.ranks[usize::from(own)]
    }

    /// Makes a matrix.
    fn grid(&self, own: u8, fill: u8) -> Grid {
        Grid::new(self.rows(own).len(), half::count(own) as usize, fill)
    }

    /// Looks up the captures of a plane, unless they are here.
    pub(super) fn look_up(
        &mut self,
        plane: usize,
        smaller: &mut SmallerParts<'_>,
    ) -> Result<(), Stopped> {
        if self.planes[plane].captures.is_empty() {
            let layer = Layer::new(self.shares.seeds).expect("at most 48 seeds");
            let bound = [Bound::Low, Bound::High][plane].of_child();
            let of_bound = |seeds, from| smaller(seeds, bound, from);
            let (captures, stuck) = self.tables.captures(layer, &self.ranks, of_bound)?;
            self.planes[plane].captures = captures;
            // The same for both bounds.
            self.stuck = stuck;
        }
        Ok(())
    }

    /// Gives back all matrices but captures.
    fn give_back(&mut self) {
        for plane in &mut self.planes {
            let captures = std::mem::take(&mut plane.captures);
            *plane = Plane {
                captures,
                ..Plane::default()
            };
        }
    }

    /// What the results of a matrix follow from.
    pub(crate) fn reading<'s>(
        &'s self,
        own: u8,
        plane: usize,
        sources: &'s [Columns<'s>],
    ) -> Reading<'s> {
        let captures = self.planes[plane].captures.get(usize::from(own));
        Reading {
            movers: &self.tables.movers[usize::from(own)],
            gathers: &self.tables.gathers[usize::from(self.shares.seeds - own)],
            sources,
            captures: captures.map(|grid| Columns {
                grid,
                first: self.ranks(own).start,
            }),
            crossing: 0..own + 1,
        }
    }

    /// By class: the columns of the children. `itself` stands for the matrix that is read and written.
    pub(crate) fn sources<'s>(
        &'s self,
        own: u8,
        plane: usize,
        itself: Option<Columns<'s>>,
    ) -> Vec<Columns<'s>> {
        let children = &self.planes[self.shares.other(plane)];
        if !children.window.is_empty() {
            let share = self.number;
            return Window::sources(&children.window, &self.shares, Rows { share, plane, own });
        }
        let opponents_seeds = self.shares.seeds - own;
        (0..2 * (usize::from(own) + 1))
            .map(|class| usize::from(opponents_seeds) + class / 2)
            .map(|seeds| match itself {
                Some(itself) if seeds == usize::from(own) => itself,
                _ => Columns::all(&children.grids[seeds]),
            })
            .collect()
    }

    /// Visits the rows of a matrix. `changed` gets the lines that change.
    pub(super) fn visit_rows(
        &mut self,
        rows: Rows,
        reads: Reads,
        mut changed: Option<&mut ChangedLines>,
        work: &mut dyn FnMut(Visited<'_>) -> u64,
    ) -> u64 {
        let Rows { plane, own, .. } = rows;
        if self.ranks(own).is_empty() {
            return 0;
        }
        let resorts = Resort::all(self, &self.stuck, rows);
        let a = usize::from(own);
        let mut rows = std::mem::take(&mut self.planes[plane].grids[a]);
        let is_whole = self.planes[plane].window.is_empty();
        let reads_itself = is_whole && self.planes.len() == 1 && 2 * own >= self.shares.seeds;
        let opponents_seeds = self.shares.seeds - own;
        let (shares, here) = if reads_itself {
            let groups = self.shares.groups_of(own);
            (groups.clone(), 0..groups.count())
        } else {
            (self.shares.clone(), self.number..self.number + 1)
        };
        let mut before = std::mem::take(&mut self.before);
        let mut changes = 0;
        for share in here {
            let crossing = own.saturating_sub(opponents_seeds);
            let columns = shares.children(share, opponents_seeds, crossing);
            let columns = columns.expect("there are opponents");
            let first = columns.start;
            // Where moves stay in the matrix, it is read as it was before its rows are written.
            if reads_itself {
                before = before.copy_columns(&rows, columns);
            }
            let grid = &before;
            let itself = reads_itself.then_some(Columns { grid, first });
            let sources = self.sources(own, plane, itself);
            let mut reading = self.reading(own, plane, &sources);
            if !reads.captures {
                reading.captures = None;
            }
            let secured = &self.planes[plane].secured;
            changes += work(Visited {
                reading,
                blocks: shares.blocks(share, opponents_seeds),
                first_row: shares.rows(share, opponents_seeds).start - self.rows(own).start,
                rows: &mut rows,
                secured: secured.get(a).filter(|_| reads.secured),
                resorts: &resorts,
                changed: changed.as_deref_mut(),
            });
        }
        self.planes[plane].grids[a] = rows;
        self.before = before;
        changes
    }

    /// The lines of rows that lie here, of a matrix of a checkpoint.
    pub(super) fn lines(&mut self, matrix: usize, rows: Range<usize>) -> &mut [u8] {
        let (plane, is_secured, a) = self.shares.matrix(matrix);
        let first = self.rows[a].start;
        let Plane { grids, secured, .. } = &mut self.planes[plane];
        let grid = if is_secured {
            &mut secured[a]
        } else {
            &mut grids[a]
        };
        let stride = grid.stride();
        &mut grid.lines_mut()[(rows.start - first) * stride..(rows.end - first) * stride]
    }

    /// Looks up the captures, and fills the matrices as before the first sweep. Makes room for what is secured, if this
    /// phase has it.
    pub(super) fn begin(
        &mut self,
        phase: Phase,
        smaller: &mut SmallerParts<'_>,
    ) -> Result<(), Stopped> {
        self.give_back();
        let is_confirming = phase == Phase::Confirm;
        for plane in usize::from(is_confirming)..self.shares.planes {
            self.look_up(plane, smaller)?;
        }
        let (shares, tables) = (&self.shares, self.tables);
        let fill = |own| tables.first_byte(shares.seeds, own);
        let window = |own| Window::of_share(shares, self.number, own, fill(own));
        let all = || 0..=shares.seeds;
        for number in 0..shares.planes {
            let grids = all().map(|own| self.grid(own, fill(own))).collect();
            let secured = all().filter(|_| is_confirming);
            let secured = secured.map(|own| self.grid(own, 0)).collect();
            let window = all().filter(|_| shares.count() > 1).map(window).collect();
            let plane = &mut self.planes[number];
            (plane.grids, plane.secured, plane.window) = (grids, secured, window);
        }
        Ok(())
    }

    /// Goes on to a phase of bounds.
    pub(super) fn enter(&mut self, phase: Phase) {
        self.planes
            .iter_mut()
            .for_each(|plane| plane.secured.clear());
        if phase != Phase::Confirm {
            return;
        }
        // What is secured is as good as any capture, so low ones are not read before the end.
        self.planes[0].captures = Vec::new();
        for own in self.all() {
            let a = usize::from(own);
            for plane in 0..2 {
                let mut grid = self.grid(own, 0);
                let Plane { grids, secured, .. } = &mut self.planes[plane];
                grid.lines_mut().copy_from_slice(grids[a].lines());
                secured.push(std::mem::replace(&mut grids[a], grid));
            }
            let sides = self.tables.sides(self.shares.seeds, own);
            let [low, high] = &mut self.planes[..] else {
                unreachable!("positions have two bounds");
            };
            begin_confirm(sides, low.grids[a].lines_mut(), high.grids[a].lines_mut());
            let windows = low.window.get_mut(a).zip(high.window.get_mut(a));
            if let Some((low, high)) = windows {
                begin_confirm(sides, low.lines_mut(), high.lines_mut());
            }
        }
    }
}

impl Cells for Share<'_> {
    fn tables(&self) -> &Tables {
        self.tables
    }

    #[inline(always)]
    fn division(&self) -> &Shares {
        &self.shares
    }

    #[inline(always)]
    fn get(&self, place: Place) -> u8 {
        let Plane { grids, window, .. } = &self.planes[usize::from(place.plane)];
        let (rows, row) = (self.rows(place.own), place.row as usize);
        if rows.contains(&row) {
            return grids[usize::from(place.own)].get(row - rows.start, place.column as usize);
        }
        let byte = window[usize::from(place.own)].get(place);
        byte.expect("a child in the window")
    }

    #[inline(always)]
    fn put(&mut self, place: Place, byte: u8) {
        let (a, row) = (usize::from(place.own), place.row as usize);
        let first = self.rows(place.own).start;
        let Plane { grids, window, .. } = &mut self.planes[usize::from(place.plane)];
        grids[a].set(row - first, place.column as usize, byte);
        if let Some(window) = window.get_mut(a) {
            window.put(place, byte);
        }
    }

    #[inline(always)]
    fn secured(&self, place: Place) -> u8 {
        let secured = &self.planes[usize::from(place.plane)].secured[usize::from(place.own)];
        let row = place.row as usize - self.rows(place.own).start;
        secured.get(row, place.column as usize)
    }

    #[inline(always)]
    fn capture(&self, place: Place, opponents: half::Rank) -> u8 {
        let captures = &self.planes[usize::from(place.plane)].captures;
        let captures = captures.get(usize::from(place.own));
        let opponents = opponents.0 as usize - self.ranks(place.own).start;
        captures.map_or(0, |it| it.get(place.column as usize, opponents))
    }

    #[inline(always)]
    fn has_row(&self, place: Place) -> bool {
        self.rows(place.own).contains(&(place.row as usize))
    }

    #[inline(always)]
    fn fetch(&self, place: Place) {
        let Plane { grids, window, .. } = &self.planes[usize::from(place.plane)];
        let a = usize::from(place.own);
        if self.has_row(place) {
            let row = place.row - self.rows(place.own).start as u32;
            grids[a].fetch(row, place.column);
        } else if let Some(window) = window.get(a) {
            window.fetch(place);
        }
    }

    #[inline(always)]
    fn fetch_secured(&self, place: Place) {
        let secured = &self.planes[usize::from(place.plane)].secured[usize::from(place.own)];
        secured.fetch(place.row - self.rows(place.own).start as u32, place.column);
    }

    #[inline(always)]
    fn fetch_capture(&self, place: Place, opponents: half::Rank) {
        let captures = &self.planes[usize::from(place.plane)].captures;
        if let Some(captures) = captures.get(usize::from(place.own)) {
            let opponents = opponents.0 - self.ranks(place.own).start as u32;
            captures.fetch(place.column, opponents);
        }
    }
}

/// Makes of low and high bounds that are secured those with which a sink that confirms begins, given the byte for the
/// difference of the sides.
pub(super) fn begin_confirm(sides: u8, lows: &mut [u8], highs: &mut [u8]) {
    for (low, high) in lows.iter_mut().zip(highs) {
        let (low_secured, high_secured) = (*low, *high);
        *low = low_secured.min(sides.max(high_secured));
        *high = high_secured.max(sides.min(low_secured));
    }
}
