//! Sweeps over the matrices of a layer, wherever they lie.

use std::ops::Range;

use super::captures::Resort;
use super::changes::ChangedLines;
use super::gather::LANES;
use super::grid::{Grid, RowNumbers};
use super::kernel::{self, Opponents, Reading, Scratch, Target};
use super::movers::{Line, MOVERS};
use super::queue::Event;
use super::shares::{Rows, Shares};
use super::solve::SmallerParts;
use super::step::{Phase, Reads, Step};
use super::tables::Tables;
use crate::checkpoint::State;
use granero_game::Position;
use granero_game::position::join;
use granero_table::first_error::Stopped;
use granero_table::index::half;
use granero_table::parallel;

/// Rows that are visited, and what their results follow from.
pub(crate) struct Visited<'a> {
    pub(crate) reading: Reading<'a>,
    /// The opponents, and the number of their first row in `rows`.
    pub(crate) blocks: Range<usize>,
    pub(crate) first_row: usize,
    /// The rows of the share alone.
    pub(crate) rows: &'a mut Grid,
    /// What is secured of them, if the sweep reads it.
    pub(crate) secured: Option<&'a Grid>,
    /// The best moves of last resort, where no other is legal.
    pub(crate) resorts: &'a [Resort],
    /// Gets the lines that change, if other processes read them.
    pub(crate) changed: Option<&'a mut ChangedLines>,
}

/// Where a layer lies while it is solved. A sweep goes through the shares in order, and in each through the matrices.
/// Whatever its bytes are between two sweeps is a start that leads to the same end.
pub(crate) trait Store: State {
    /// The division of the layer.
    fn shares(&self) -> Shares;

    /// The shares that are visited here.
    fn shares_here(&self) -> Range<usize> {
        0..self.shares().count()
    }

    /// Gives rows to `work`, all together or some at a time, and keeps what that makes of them; it returns the number of changes. Unless it `compares` what
    /// it makes with what was there, the rows may mean nothing where they are values. Returns the number of changes, or
    /// then at least that, and 0 only if there are none.
    fn visit(
        &mut self,
        rows: Rows,
        reads: Reads,
        compares: bool,
        work: &mut dyn FnMut(Visited<'_>) -> u64,
    ) -> Result<u64, Stopped>;

    /// The share of positions that change in a sweep below which the rest is done one by one.
    fn few(&self) -> f64 {
        0.005
    }

    /// Takes the changes of a visit, if few positions change, to pass them on to the positions that lead there: now, or
    /// when the sweep [ends](Store::end_sweep).
    fn pass_on(&mut self, changes: Vec<Event>, phase: Phase) -> Result<(), Stopped>;

    /// Passes on all that is not passed on yet. Takes the number of changes here, and returns the number in all processes.
    fn end_sweep(&mut self, changes: u64, are_few: bool, phase: Phase) -> Result<u64, Stopped>;

    /// Fills the matrices as before the first sweep: play is endless everywhere. Makes room for what is secured, if a
    /// checkpoint of this phase has it.
    fn begin(&mut self, phase: Phase, smaller: &mut SmallerParts<'_>) -> Result<(), Stopped>;

    /// Goes on to a phase of bounds. To confirm, it secures what a rise has reached, and begins at the difference of the
    /// sides, but no further from what is secured than the other bound.
    fn enter(&mut self, phase: Phase) -> Result<(), Stopped>;

    /// The sum of the numbers of all processes.
    fn sum(&mut self, number: u64) -> Result<u64, Stopped> {
        Ok(number)
    }

    /// Follows a checkpoint that was read as a whole.
    fn resumed(&mut self) -> Result<(), Stopped> {
        Ok(())
    }
}

/// By plane, by the mover's seeds: from the place of a share's first block on, by chunk and tile, tiles that have come down
/// to what is secured, so that they cannot change any more.
pub(crate) type Asleep = Vec<Vec<Vec<bool>>>;

/// A part of a matrix: some tiles of movers against a chunk of opponents.
struct Task<'a> {
    opponents: &'a Opponents,
    /// The number of the first row, and all rows: their places in the tile, and the ranks of their opponents.
    first_row: usize,
    rows: &'a [(usize, half::Rank)],
    first_tile: usize,
    /// By row: the bytes of the tiles.
    lines: Vec<&'a mut [u8]>,
    /// By tile.
    asleep: &'a mut [bool],
}

/// Divides a matrix: into chunks, and these into tiles where that would not keep all threads busy.
fn divide<'a>(
    chunks: &'a [(Opponents, Vec<(usize, half::Rank)>)],
    (grid, mut first_row): (&'a mut Grid, usize),
    tiles: usize,
    mut asleep: &'a mut [bool],
) -> Vec<Task<'a>> {
    let threads = match rayon::current_num_threads() {
        1 => 1,
        threads => 4 * threads,
    };
    let at_once = tiles.div_ceil(threads.div_ceil(chunks.len()));
    let stride = grid.stride();
    let mut rows_left = grid.lines_mut()[first_row * stride..].chunks_exact_mut(stride);
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

/// The result of a task, or of a sweep.
#[derive(Debug, Default)]
pub(super) struct Swept {
    pub(super) changes: u64,
    /// The tiles that have not come down to what is secured.
    pub(super) awake: u64,
    /// The changes, if they are wanted.
    events: Vec<Event>,
    /// The lines that changed, if they are wanted.
    lines: ChangedLines,
}

impl Shares {
    pub(crate) fn positions(&self) -> u64 {
        let of = |own| half::count(own) as usize * RowNumbers::count(self.seeds - own);
        (0..=self.seeds).map(|own| of(own) as u64).sum()
    }

    /// The sizes of the matrices of a checkpoint: those of all planes, then, while bounds are confirmed, what is secured.
    pub(super) fn sizes(&self, is_confirming: bool) -> Vec<(usize, usize)> {
        let size = |own| {
            let columns = half::count(own) as usize;
            (
                RowNumbers::count(self.seeds - own),
                Grid::stride_of(columns),
            )
        };
        let sizes: Vec<_> = (0..=self.seeds).map(size).collect();
        sizes.repeat(self.planes * if is_confirming { 2 } else { 1 })
    }

    /// The plane of one of them, whether it is what is secured, and the mover's seeds.
    pub(super) fn matrix(&self, number: usize) -> (usize, bool, usize) {
        let each = usize::from(self.seeds) + 1;
        let all = number / each;
        (all % self.planes, all >= self.planes, number % each)
    }

    /// The plane with the values of children.
    pub(crate) fn other(&self, plane: usize) -> usize {
        self.planes - 1 - plane
    }
}

impl Tables {
    /// No tile is asleep.
    pub(crate) fn all_awake(&self, shares: &Shares) -> Asleep {
        let flags = |own: u8| {
            let blocks = (half::count(shares.seeds - own) as usize).div_ceil(LANES);
            vec![false; blocks * self.tiles(own)]
        };
        let plane = || (0..=shares.seeds).map(flags).collect();
        (0..shares.planes).map(|_| plane()).collect()
    }

    /// Sweeps over all matrices, for the first time in a phase or again. If few positions change, these are passed on.
    /// Returns the number of changes in all processes, and of tiles that are awake in this one.
    pub(super) fn sweep(
        &self,
        store: &mut dyn Store,
        (phase, is_first): (Phase, bool),
        are_few: bool,
        asleep: &mut Asleep,
    ) -> Result<(u64, u64), Stopped> {
        let (shares, mut changes, mut awake) = (store.shares(), 0, 0);
        for share in store.shares_here() {
            for own in order(shares.seeds) {
                for plane in 0..shares.planes {
                    let (rows, step) = (Rows { share, plane, own }, Step::of(phase, plane));
                    let asleep = &mut asleep[plane][usize::from(own)];
                    let mut events = Vec::new();
                    changes +=
                        store.visit(rows, step.reads(is_first), are_few, &mut |visited| {
                            let mut swept =
                                self.sweep_rows(&shares, rows, visited, step, are_few, asleep);
                            events.append(&mut swept.events);
                            awake += swept.awake;
                            swept.changes
                        })?;
                    store.pass_on(events, phase)?;
                }
            }
        }
        Ok((store.end_sweep(changes, are_few, phase)?, awake))
    }

    fn sweep_rows(
        &self,
        shares: &Shares,
        Rows { plane, own, .. }: Rows,
        visited: Visited<'_>,
        step: Step,
        wants_events: bool,
        asleep: &mut [bool],
    ) -> Swept {
        let Visited {
            reading,
            blocks,
            first_row,
            rows: grid,
            secured,
            resorts,
            changed,
        } = visited;
        let wants_lines = changed.is_some();
        let sides = self.sides(shares.seeds, own);
        let (stride, columns) = (grid.stride(), grid.columns());
        let is_small = grid.rows() * columns < SMALL;
        let opponents_seeds = shares.seeds - own;
        let tiles = self.tiles(own);
        let asleep = &mut asleep[blocks.start * tiles..blocks.end * tiles];
        let rows: Vec<_> = Opponents::of(blocks)
            .map(|opponents| (opponents.clone(), self.rows_of(opponents_seeds, &opponents)))
            .collect();
        let tasks = divide(&rows, (grid, first_row), tiles, asleep);
        let work = |mut task: Task<'_>| {
            let mut swept = Swept::default();
            Scratch::with(|scratch| {
                for (tile, asleep) in (task.first_tile..).zip(task.asleep) {
                    if *asleep {
                        continue;
                    }
                    let opponents = task.opponents;
                    kernel::best_turned(&reading, tile, opponents, scratch);
                    Resort::put_turned(resorts, tile, opponents.first(), &mut scratch.turned);
                    let column = tile * MOVERS;
                    let target = Target {
                        step,
                        sides,
                        rows: task.rows,
                        secured: secured.map(|it| &it.bytes()[task.first_row * stride..]),
                        stride,
                        first_column: task.first_tile * MOVERS,
                        column,
                        width: MOVERS.min(columns - column),
                    };
                    swept.lines.begin(column);
                    let mut note = |opponents: half::Rank, before: &Line, after: &Line| {
                        if wants_lines {
                            let row = self.numbers.row(opponents_seeds, opponents);
                            swept.lines.add(row.expect("an empty house"), before, after);
                        }
                        if !wants_events {
                            return;
                        }
                        let opponents = half::unrank(opponents_seeds, opponents);
                        for (lane, (&before, &after)) in before.iter().zip(after).enumerate() {
                            if before != after {
                                let movers = half::unrank(own, half::Rank((column + lane) as u32));
                                swept.events.push(Event {
                                    plane: plane as u8,
                                    before,
                                    after,
                                    position: Position::from_valid(join(movers, opponents)),
                                });
                            }
                        }
                    };
                    let lines = &mut task.lines;
                    let stored = kernel::store(&target, &scratch.turned, lines, &mut note);
                    swept.lines.end();
                    swept.changes += stored.changes;
                    swept.awake += u64::from(!stored.is_secured);
                    *asleep = stored.is_secured;
                }
            });
            swept
        };
        let found: Vec<Swept> = if is_small {
            tasks.into_iter().map(work).collect()
        } else {
            parallel::map(tasks, work)
        };
        let (mut all, mut lines) = (Swept::default(), Vec::new());
        for mut swept in found {
            all.changes += swept.changes;
            all.awake += swept.awake;
            all.events.append(&mut swept.events);
            lines.push(swept.lines);
        }
        if let Some(changed) = changed {
            *changed = ChangedLines::join(lines);
        }
        all
    }
}

/// The order in which matrices are swept: a position and what it becomes when the board is turned are near each other.
fn order(seeds: u8) -> impl Iterator<Item = u8> {
    (0..=seeds).map(move |at| if at % 2 == 0 { at / 2 } else { seeds - at / 2 })
}
