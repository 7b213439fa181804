//! A layer in memory, while it is solved.

use super::captures::Stuck;
use super::checkpoint::Resumed;
use super::grid::{Grid, RowNumbers};
use super::kernel::{Columns, Reading};
use super::layer::{Store, Tables, Visited};
use super::queue::{Cells, Event, Place};
use super::shares::{Rows, Shares};
use super::step::{Phase, Step};
use crate::checkpoint::CheckpointStore;
use granero_game::Cycles;
use granero_table::first_error::Stopped;
use granero_table::index::half;

/// The values of a layer, or one of their bounds, while it is solved.
#[derive(Debug)]
pub(crate) struct Plane {
    /// By the mover's seeds: a row for each half-board of the opponent with an empty house, a column for each of the
    /// mover's.
    pub(crate) grids: Vec<Grid>,
    /// By the mover's seeds: the best captures, a row for each half-board of the mover, a column for each of the
    /// opponent's.
    pub(crate) captures: Vec<Grid>,
    /// With bounds: what is secured so far, like `grids`.
    pub(crate) secured: Vec<Grid>,
}

/// A layer while it is solved: one plane, or with bounds the low and the high ones.
pub(crate) struct LayerState<'t> {
    pub(crate) tables: &'t Tables,
    pub(crate) seeds: u8,
    pub(crate) planes: Vec<Plane>,
    /// Positions whose only moves are legal because there is no other.
    pub(crate) stuck: Vec<Stuck>,
    /// A matrix as it was before a sweep.
    pub(crate) before: Grid,
}

impl LayerState<'_> {
    /// The plane with the values of children.
    pub(crate) fn other(&self, plane: usize) -> usize {
        self.planes.len() - 1 - plane
    }

    /// Makes matrices, filled by the mover's seeds.
    fn grids(&self, fill: impl Fn(u8) -> u8) -> Vec<Grid> {
        let grid = |own| {
            let rows = RowNumbers::count(self.seeds - own);
            Grid::new(rows, half::count(own) as usize, fill(own))
        };
        (0..=self.seeds).map(grid).collect()
    }

    /// What the results of a matrix follow from.
    pub(crate) fn reading<'s>(
        &'s self,
        own: u8,
        plane: usize,
        sources: &'s [Columns<'s>],
    ) -> Reading<'s> {
        Reading {
            movers: &self.tables.movers[usize::from(own)],
            gathers: &self.tables.gathers[usize::from(self.seeds - own)],
            sources,
            captures: Columns::all(&self.planes[plane].captures[usize::from(own)]),
            crossing: 0..own + 1,
        }
    }

    /// By class: the matrix of the children. `itself` stands for the matrix that is read and written.
    pub(crate) fn sources<'s>(
        &'s self,
        own: u8,
        plane: usize,
        itself: Option<&'s Grid>,
    ) -> Vec<Columns<'s>> {
        let children = &self.planes[self.other(plane)].grids;
        let opponents_seeds = self.seeds - own;
        (0..2 * (usize::from(own) + 1))
            .map(|class| usize::from(opponents_seeds) + class / 2)
            .map(|seeds| match itself {
                Some(itself) if seeds == usize::from(own) => itself,
                _ => &children[seeds],
            })
            .map(Columns::all)
            .collect()
    }
}

impl Store for LayerState<'_> {
    /// There is one share.
    fn shares(&self) -> Shares {
        Shares::whole(self.seeds, self.planes.len())
    }

    fn visit(
        &mut self,
        Rows { plane, own, .. }: Rows,
        _: bool,
        work: &mut dyn FnMut(Visited<'_>) -> u64,
    ) -> Result<u64, Stopped> {
        self.value_stuck(own, plane);
        let a = usize::from(own);
        let mut rows = std::mem::take(&mut self.planes[plane].grids[a]);
        // A matrix with moves inside itself is read as it was before.
        let reads_itself = self.planes.len() == 1 && 2 * own >= self.seeds;
        let mut before = std::mem::take(&mut self.before);
        if reads_itself {
            before.copy(&rows);
        }
        let sources = self.sources(own, plane, reads_itself.then_some(&before));
        let changes = work(Visited {
            reading: self.reading(own, plane, &sources),
            rows: &mut rows,
            secured: self.planes[plane].secured.get(a),
            changed: None,
        });
        self.planes[plane].grids[a] = rows;
        self.before = before;
        Ok(changes)
    }

    fn pass_on(&mut self, changes: Vec<Event>, phase: Phase) -> Result<(), Stopped> {
        self.pass_on_all(changes, phase)
    }

    fn few(&self) -> f64 {
        0.005
    }

    fn end_sweep(&mut self, changes: u64, _: bool, _: Phase) -> Result<u64, Stopped> {
        Ok(changes)
    }

    fn begin(&mut self) -> Result<(), Stopped> {
        for plane in 0..self.planes.len() {
            // First give back what there was.
            (self.planes[plane].grids, self.planes[plane].secured) = Default::default();
            if self.tables.cycles() == Cycles::OwnSide {
                let unsecured = Step::of(Phase::Sink, plane).unsecured();
                self.planes[plane].secured = self.grids(|_| unsecured);
            }
            self.planes[plane].grids = self.grids(|own| self.tables.first_byte(self.seeds, own));
        }
        Ok(())
    }

    fn is_confirmed(&mut self) -> Result<bool, Stopped> {
        Ok(self.planes.iter().all(|plane| {
            let mut grids = plane.grids.iter().zip(&plane.secured);
            grids.all(|(grid, secured)| grid.same(secured))
        }))
    }

    fn secure(&mut self) -> Result<(), Stopped> {
        let (tables, seeds) = (self.tables, self.seeds);
        let [low, high] = &mut self.planes[..] else {
            unreachable!("positions have two bounds");
        };
        for (own, a) in (0..=self.seeds).zip(0..) {
            std::mem::swap(&mut low.grids[a], &mut low.secured[a]);
            std::mem::swap(&mut high.grids[a], &mut high.secured[a]);
            let lows = (low.grids[a].lines_mut(), low.secured[a].lines());
            let highs = (high.grids[a].lines_mut(), high.secured[a].lines());
            begin_sink(tables.sides(seeds, own), lows, highs);
        }
        Ok(())
    }

    fn keep(&mut self, phase: Phase, checkpoints: &mut dyn CheckpointStore) -> Result<(), Stopped> {
        self.keep_rows(phase, checkpoints)
    }

    fn resume(
        &mut self,
        phases: &[Phase],
        checkpoints: &mut dyn CheckpointStore,
    ) -> Result<Resumed, Stopped> {
        self.resume_rows(phases, checkpoints)
    }
}

impl Cells for LayerState<'_> {
    fn tables(&self) -> &Tables {
        self.tables
    }

    fn seeds(&self) -> u8 {
        self.seeds
    }

    #[inline(always)]
    fn children_plane(&self, plane: u8) -> u8 {
        self.other(plane.into()) as u8
    }

    #[inline(always)]
    fn get(&self, plane: u8, place: Place) -> u8 {
        self.planes[usize::from(plane)].grids[usize::from(place.own)]
            .get(place.row as usize, place.column as usize)
    }

    #[inline(always)]
    fn put(&mut self, plane: u8, place: Place, byte: u8) {
        self.planes[usize::from(plane)].grids[usize::from(place.own)].set(
            place.row as usize,
            place.column as usize,
            byte,
        );
    }

    #[inline(always)]
    fn secured(&self, plane: u8, place: Place) -> u8 {
        let secured = self.planes[usize::from(plane)]
            .secured
            .get(usize::from(place.own));
        secured.map_or(0, |grid| {
            grid.get(place.row as usize, place.column as usize)
        })
    }

    #[inline(always)]
    fn capture(&self, plane: u8, own: u8, movers: u32, opponents: u32) -> u8 {
        self.planes[usize::from(plane)].captures[usize::from(own)]
            .get(movers as usize, opponents as usize)
    }

    #[inline(always)]
    fn fetch(&self, plane: u8, Place { own, row, column }: Place) {
        let Plane { grids, secured, .. } = &self.planes[usize::from(plane)];
        grids[usize::from(own)].fetch(row, column);
        if let Some(secured) = secured.get(usize::from(own)) {
            secured.fetch(row, column);
        }
    }

    #[inline(always)]
    fn fetch_capture(&self, plane: u8, own: u8, movers: u32, opponents: u32) {
        self.planes[usize::from(plane)].captures[usize::from(own)].fetch(movers, opponents);
    }
}

/// Fills low and high bounds for the next sink, given the byte for the difference of the sides. Each comes with what is
/// secured.
pub(super) fn begin_sink(
    sides: u8,
    (lows, lows_secured): (&mut [u8], &[u8]),
    (highs, highs_secured): (&mut [u8], &[u8]),
) {
    let secured = lows_secured.iter().zip(highs_secured);
    for ((low, high), (&low_secured, &high_secured)) in lows.iter_mut().zip(highs).zip(secured) {
        *low = low_secured.min(sides.max(high_secured));
        *high = high_secured.max(sides.min(low_secured));
    }
}
