//! Before the sweeps: the best captures, and positions without a move that is always legal.

use std::ops::Range;
use std::sync::Arc;

use super::grid::{Grid, ZERO};
use super::kernel::ByOpponent;
use super::movers::MOVERS;
use super::queue::Cells;
use super::shares::Rows;
use super::tables::Tables;
use granero_game::Position;
use granero_table::first_error::Stopped;
use granero_table::index::Layer;
use granero_table::index::half::Rank;
use granero_table::parallel;
use granero_table::rows::{LastResort, Matrix, Row, TurnedLayer, each_smaller};

/// A position whose only moves are legal because there is no other, and capture nothing.
#[derive(Debug)]
pub(crate) struct Stuck {
    row: Row,
    opponents: Rank,
    /// The result without these moves, if there is one: a byte of the captures, or 0.
    end: u8,
    children: Vec<Position>,
}

/// The byte for a result: what it is worth to the mover.
fn byte_of(result: i8) -> u8 {
    (ZERO as i8 + result) as u8
}

/// Raises the best results against opponents from the rank `first` on.
#[inline(always)]
fn raise(best: &mut [u8], first: usize) -> impl FnMut(usize, i8) {
    move |opponents, result| {
        let best = &mut best[opponents - first];
        *best = (*best).max(byte_of(result));
    }
}

impl Tables {
    /// The best captures and ends of the game for opponents with some ranks, by the mover's seeds: a row for each
    /// half-board of the mover, and a column for each rank. Besides the positions in which moves of last resort lead on.
    pub(crate) fn captures(
        &self,
        layer: Layer,
        opponents: &[Range<usize>],
        smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, Stopped>,
    ) -> Result<(Vec<Grid>, Vec<Stuck>), Stopped> {
        let grids = Matrix::all(layer).zip(opponents);
        let packed = |rows, columns| Grid::default().reshape_packed(rows, columns);
        let grids = grids.map(|(matrix, of)| packed(matrix.rows() as usize, of.len()));
        let mut grids: Vec<Grid> = grids.collect();
        // A new page that is read before it is written takes two faults, and for the second one all threads are interrupted.
        each_row(layer, opponents, &mut grids, |_, _, best| best.fill(0));
        each_smaller(layer, smaller, |captured, part| {
            each_row(layer, opponents, &mut grids, |row, of, best| {
                let rows = &self.rows;
                rows.captures_of(row, of, captured, part, raise(best, of.start));
            });
        })?;
        if self.rows.kind().rules.variation().slam_ends_game {
            each_row(layer, opponents, &mut grids, |row, of, best| {
                self.rows.ends_of(row, of, raise(best, of.start));
            });
        }
        let stuck = self.ends(layer, opponents, &mut grids);
        Ok((grids, stuck))
    }

    /// Puts the ends of the game into these captures, where no move is always legal. Returns the positions in which
    /// moves of last resort lead on.
    fn ends(&self, layer: Layer, opponents: &[Range<usize>], captures: &mut [Grid]) -> Vec<Stuck> {
        let mut stuck = Vec::new();
        for ((matrix, of), grid) in Matrix::all(layer).zip(opponents).zip(captures) {
            if of.is_empty() {
                continue;
            }
            for row in matrix.all_rows() {
                let here = self.rows.without_move(row).into_iter();
                for opponents in here.filter(|&opponents| of.contains(&(opponents.0 as usize))) {
                    let (mut end, mut children) = (0, Vec::new());
                    for outcome in self.rows.last_resorts(&row.position(opponents)) {
                        match outcome {
                            LastResort::Result(result) => end = byte_of(result).max(end),
                            LastResort::Quiet(child) => children.push(child),
                        }
                    }
                    grid.set(row.rank().0 as usize, opponents.0 as usize - of.start, end);
                    if !children.is_empty() {
                        stuck.push(Stuck {
                            row,
                            opponents,
                            end,
                            children,
                        });
                    }
                }
            }
        }
        stuck
    }
}

/// The best move of such a position as its children are now.
pub(crate) struct Resort {
    mover: usize,
    opponents: usize,
    best: u8,
}

impl Resort {
    /// Those of some rows, in the order of movers.
    pub(super) fn all(
        cells: &impl Cells,
        stuck: &[Stuck],
        Rows { share, plane, own }: Rows,
    ) -> Vec<Resort> {
        let shares = cells.division();
        let opponents = shares.ranks(share, shares.seeds - own);
        let children = cells.children_plane(plane as u8);
        let byte = |child: &Position| {
            let place = cells.tables().place(children, child);
            cells.get(place.expect("an empty house"))
        };
        let begin = stuck.partition_point(|stuck| stuck.row.own_seeds() < own);
        let here = stuck[begin..]
            .iter()
            .take_while(|stuck| stuck.row.own_seeds() == own);
        let here = here.filter(|stuck| opponents.contains(&(stuck.opponents.0 as usize)));
        let of = |stuck: &Stuck| Resort {
            mover: stuck.row.rank().0 as usize,
            opponents: stuck.opponents.0 as usize,
            best: stuck.children.iter().map(byte).fold(stuck.end, u8::max),
        };
        here.map(of).collect()
    }

    /// Puts those of a tile into its results.
    pub(super) fn put_turned(all: &[Resort], tile: usize, first: usize, to: &mut ByOpponent) {
        let begin = all.partition_point(|resort| resort.mover < tile * MOVERS);
        let of_tile = all[begin..]
            .iter()
            .take_while(|resort| resort.mover < (tile + 1) * MOVERS);
        for resort in of_tile {
            let place = resort.opponents.checked_sub(first);
            if let Some(movers) = place.and_then(|place| to.get_mut(place)) {
                movers[resort.mover % MOVERS] = resort.best;
            }
        }
    }

    /// Puts all of them into the captures of opponents from a rank on.
    pub(super) fn put(all: &[Resort], first: usize, captures: &mut Grid) {
        for resort in all {
            captures.set(resort.mover, resort.opponents - first, resort.best);
        }
    }
}

impl Stuck {
    /// Orders them by matrix, then by mover.
    pub(super) fn sort(all: &mut [Stuck]) {
        all.sort_by_key(|stuck| (stuck.row.own_seeds(), stuck.row.rank()));
    }
}

/// The bytes of captures for a task, unless a single row has more.
const TASK: usize = 1 << 17;

/// Calls `work` for each row of captures, with the ranks of the opponents.
fn each_row(
    layer: Layer,
    opponents: &[Range<usize>],
    grids: &mut [Grid],
    work: impl Fn(Row, &Range<usize>, &mut [u8]) + Sync,
) {
    let grids = opponents.iter().zip(grids);
    let tasks = Matrix::all(layer)
        .zip(grids)
        .filter(|(_, (of, _))| !of.is_empty())
        .flat_map(|(matrix, (of, grid))| {
            let stride = grid.stride();
            // Some rows together are worth a task.
            let at_once = (TASK / stride).max(1);
            let pieces = grid.lines_mut().chunks_mut(at_once * stride);
            let pieces = (0..).step_by(at_once).zip(pieces);
            pieces.map(move |(first, lines)| (matrix, of, first, stride, lines))
        });
    parallel::for_each(
        tasks.collect::<Vec<_>>(),
        |(matrix, of, first, stride, lines)| {
            for (rank, line) in (first..).zip(lines.chunks_exact_mut(stride)) {
                work(matrix.row(Rank(rank)), of, &mut line[..of.len()]);
            }
        },
    );
}
