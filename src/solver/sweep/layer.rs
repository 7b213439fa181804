//! The matrices of a layer, and sweeps over them.

use super::captures::Stuck;
use super::gather::{CHUNK, Gather};
use super::grid::{Grid, RowNumbers, ZERO};
use super::kernel::{self, Line, Opponents, Reading, Scratch, Target};
use super::movers::{MOVERS, Movers};
use super::queue::Event;
use super::step::{Phase, Step};
use granero_game::Cycles;
use granero_game::worth::extent::ValueLimits;
use granero_table::index::{Layer, half};
use granero_table::parallel;
use granero_table::rows::RowMoves;

/// Tables of moves for layers with up to some number of seeds.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) rows: RowMoves,
    pub(crate) numbers: RowNumbers,
    /// By the mover's seeds.
    pub(crate) movers: Vec<Movers>,
    /// By the opponent's seeds, then by class.
    pub(crate) gathers: Vec<Vec<Gather>>,
}

impl Tables {
    pub(crate) fn new(rows: RowMoves) -> Tables {
        let max_seeds = rows.max_seeds();
        let numbers = RowNumbers::new(max_seeds);
        Tables {
            movers: parallel::map(0..=max_seeds, |seeds| Movers::new(&rows, &numbers, seeds)),
            gathers: super::gather::gathers(rows.ruleset(), max_seeds),
            numbers,
            rows,
        }
    }
}

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

/// The memory in bytes for a layer: for its values, from the captures on, and besides while it is solved.
pub(crate) fn memory(cycles: Cycles, layer: Layer) -> (u64, u64) {
    let seeds = layer.seeds();
    let sum = |of: &dyn Fn(u8) -> usize| (0..=seeds).map(|own| of(own) as u64).sum::<u64>();
    let count = |seeds| half::count(seeds) as usize;
    let grid = |own| Grid::memory(RowNumbers::count(seeds - own), count(own));
    let captures = sum(&|own| Grid::memory(count(own), count(seeds - own)));
    let grids = sum(&grid);
    match cycles {
        Cycles::Split => (
            captures,
            grids + (0..=seeds).map(grid).max().unwrap_or(0) as u64,
        ),
        // Also what is secured.
        Cycles::OwnSide => (2 * captures, 4 * grids),
    }
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
    /// The number of sweeps that have changed something.
    pub(crate) sweeps: u32,
}

/// By plane, by the mover's seeds, then by chunk of opponents and tile: tiles that a sink has brought down to what is
/// secured, so that they cannot change any more.
pub(crate) type Asleep = Vec<Vec<Vec<bool>>>;

/// A part of a matrix: some tiles of movers against a chunk of opponents.
struct Task<'a> {
    opponents: &'a Opponents,
    /// The number of the first row, and all rows: their places in the chunk, and the ranks of their opponents.
    first_row: usize,
    rows: &'a [(usize, u32)],
    first_tile: usize,
    /// By row: the bytes of the tiles.
    lines: Vec<&'a mut [u8]>,
    /// By tile.
    asleep: &'a mut [bool],
}

/// Divides a matrix: into chunks, and these into tiles where that would not keep all threads busy.
fn divide<'a>(
    chunks: &'a [(Opponents, Vec<(usize, u32)>)],
    grid: &'a mut Grid,
    tiles: usize,
    mut asleep: &'a mut [bool],
) -> Vec<Task<'a>> {
    let threads = match rayon::current_num_threads() {
        1 => 1,
        threads => 4 * threads,
    };
    let at_once = tiles.div_ceil(threads.div_ceil(chunks.len()));
    let stride = grid.stride();
    let mut rows_left = grid.lines_mut().chunks_exact_mut(stride);
    let mut first_row = 0;
    let mut tasks = Vec::new();
    for (opponents, rows) in chunks {
        let mut lines: Vec<&mut [u8]> = rows_left.by_ref().take(rows.len()).collect();
        for first_tile in (0..tiles).step_by(at_once) {
            let tiles = at_once.min(tiles - first_tile);
            let flags;
            (flags, asleep) = asleep.split_at_mut(tiles);
            let cut = |line: &mut &'a mut [u8]| {
                line.split_off_mut(..tiles * MOVERS).expect("whole lines")
            };
            tasks.push(Task {
                opponents,
                first_row,
                rows,
                first_tile,
                lines: lines.iter_mut().map(cut).collect(),
                asleep: flags,
            });
        }
        first_row += rows.len();
    }
    tasks
}

/// The positions of a matrix that are not worth waking other threads.
const SMALL: usize = 1 << 16;

/// The result of a sweep.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    pub(crate) changes: u64,
    /// The changes, if they are wanted.
    pub(crate) events: Vec<Event>,
}

impl LayerState<'_> {
    pub(crate) fn positions(&self) -> u64 {
        let of = |own| half::count(own) as usize * RowNumbers::count(self.seeds - own);
        (0..=self.seeds).map(|own| of(own) as u64).sum()
    }

    /// The plane with the values of children.
    pub(crate) fn other(&self, plane: usize) -> usize {
        self.planes.len() - 1 - plane
    }

    /// The byte for the difference of the sides.
    pub(crate) fn sides(&self, own: u8) -> u8 {
        sides(self.tables.rows.limits(), self.seeds, own)
    }

    /// No tile is asleep.
    pub(crate) fn all_awake(&self) -> Asleep {
        let flags = |own: u8| {
            let chunks = (half::count(self.seeds - own) as usize).div_ceil(CHUNK);
            vec![false; chunks * self.tables.movers[usize::from(own)].tiles()]
        };
        let plane = || (0..=self.seeds).map(flags).collect();
        self.planes.iter().map(|_| plane()).collect()
    }

    /// Sweeps over all matrices, and returns the number of changes. If few positions change, passes on what has changed
    /// in a matrix before the next one.
    pub(crate) fn sweep(&mut self, phase: Phase, are_few: bool, asleep: &mut Asleep) -> u64 {
        let mut changes = 0;
        for own in order(self.seeds) {
            for plane in 0..self.planes.len() {
                self.value_stuck(own, plane);
                let step = Step::of(phase, plane);
                let asleep = &mut asleep[plane][usize::from(own)];
                let swept = self.sweep_matrix(own, plane, step, are_few, asleep);
                changes += swept.changes;
                self.pass_on(swept.events, phase);
            }
        }
        changes
    }

    fn sweep_matrix(
        &mut self,
        own: u8,
        plane: usize,
        step: Step,
        wants_events: bool,
        asleep: &mut [bool],
    ) -> Swept {
        let a = usize::from(own);
        let mut grid = std::mem::take(&mut self.planes[plane].grids[a]);
        // A matrix with moves inside itself is read as it was before.
        let reads_itself = self.planes.len() == 1 && 2 * own >= self.seeds;
        let mut before = std::mem::take(&mut self.before);
        if reads_itself {
            before.copy(&grid);
        }
        let sides = self.sides(own);
        let (stride, columns) = (grid.stride(), grid.columns());
        let is_small = grid.rows() * columns < SMALL;
        let secured = self.planes[plane].secured.get(a);
        let opponents_seeds = self.seeds - own;
        let tiles = self.tables.movers[a].tiles();
        let sources = self.sources(own, plane, reads_itself.then_some(&before));
        let reading = self.reading(own, plane, &sources);
        let rows: Vec<_> = Opponents::all(half::count(opponents_seeds) as usize)
            .map(|opponents| (opponents, self.rows_of(opponents_seeds, opponents)))
            .collect();
        let tasks = divide(&rows, &mut grid, tiles, asleep);
        let work = |task: Task<'_>| {
            let Task {
                opponents,
                first_row,
                rows,
                first_tile,
                mut lines,
                asleep,
            } = task;
            let mut swept = Swept::default();
            Scratch::with(|scratch| {
                for (tile, asleep) in (first_tile..).zip(asleep) {
                    if *asleep {
                        continue;
                    }
                    kernel::best_turned(&reading, tile, opponents, scratch);
                    let column = tile * MOVERS;
                    let target = Target {
                        step,
                        sides,
                        rows,
                        secured: secured.map(|secured| &secured.bytes()[first_row * stride..]),
                        stride,
                        first_column: first_tile * MOVERS,
                        column,
                        width: MOVERS.min(columns - column),
                    };
                    let mut note = |opponents: u32, before: &Line, after: &Line| {
                        if !wants_events {
                            return;
                        }
                        for (lane, (&before, &after)) in before.iter().zip(after).enumerate() {
                            if before != after {
                                let movers = (column + lane) as u32;
                                let plane = plane as u8;
                                swept.events.push(Event {
                                    plane,
                                    own,
                                    before,
                                    after,
                                    opponents,
                                    movers,
                                });
                            }
                        }
                    };
                    let stored = kernel::store(&target, &scratch.turned, &mut lines, &mut note);
                    swept.changes += stored.changes;
                    *asleep = stored.is_secured && step.sinks();
                }
            });
            swept
        };
        let found: Vec<Swept> = if is_small {
            tasks.into_iter().map(work).collect()
        } else {
            parallel::map(tasks, work)
        };
        self.planes[plane].grids[a] = grid;
        self.before = before;
        found
            .into_iter()
            .fold(Swept::default(), |mut all, mut swept| {
                all.changes += swept.changes;
                all.events.append(&mut swept.events);
                all
            })
    }

    /// What the results of a matrix follow from.
    pub(crate) fn reading<'s>(
        &'s self,
        own: u8,
        plane: usize,
        sources: &'s [&'s Grid],
    ) -> Reading<'s> {
        Reading {
            movers: &self.tables.movers[usize::from(own)],
            gathers: &self.tables.gathers[usize::from(self.seeds - own)],
            sources,
            captures: &self.planes[plane].captures[usize::from(own)],
        }
    }

    /// By class: the matrix of the children. `itself` stands for the matrix that is read and written.
    pub(crate) fn sources<'s>(
        &'s self,
        own: u8,
        plane: usize,
        itself: Option<&'s Grid>,
    ) -> Vec<&'s Grid> {
        let children = &self.planes[self.other(plane)].grids;
        let opponents_seeds = self.seeds - own;
        (0..2 * (usize::from(own) + 1))
            .map(|class| usize::from(opponents_seeds) + class / 2)
            .map(|seeds| match itself {
                Some(itself) if seeds == usize::from(own) => itself,
                _ => &children[seeds],
            })
            .collect()
    }

    /// The places in the chunk, and the ranks, of the opponents that have rows.
    fn rows_of(&self, seeds: u8, opponents: Opponents) -> Vec<(usize, u32)> {
        let first = opponents.chunk * CHUNK;
        let end = CHUNK.min(half::count(seeds) as usize - first);
        (0..end)
            .map(|place| (place, (first + place) as u32))
            .filter(|&(_, rank)| self.tables.numbers.row(seeds, rank).is_some())
            .collect()
    }
}

/// The byte for the difference of the sides.
pub(crate) fn sides(limits: ValueLimits, seeds: u8, own: u8) -> u8 {
    let difference = 2 * own as i8 - seeds as i8;
    (ZERO as i8 - limits.cut(seeds, difference)) as u8
}

/// The order in which matrices are swept: a position and what it becomes when the board is turned are near each other.
fn order(seeds: u8) -> impl Iterator<Item = u8> {
    (0..=seeds).map(move |at| if at % 2 == 0 { at / 2 } else { seeds - at / 2 })
}
