//! Before the sweeps: the best captures, and positions without a move that is always legal.

use std::sync::Arc;

use super::grid::{Grid, ZERO};
use super::layer::{LayerState, Tables};
use granero_game::Position;
use granero_table::first_error::Stopped;
use granero_table::index::{Layer, half};
use granero_table::parallel;
use granero_table::rows::{LastResort, Matrix, Reach, Row, TurnedLayer, each_smaller};

/// A position whose only moves are legal because there is no other, and capture nothing.
#[derive(Debug)]
pub(crate) struct Stuck {
    row: Row,
    opponents: u32,
    /// The result without these moves, if there is one: a byte of the captures, or 0.
    end: u8,
    children: Vec<Position>,
}

/// The byte for a result: what it is worth to the mover.
fn byte_of(result: i8) -> u8 {
    (ZERO as i8 + result) as u8
}

impl Tables {
    /// The best captures and ends of the game: by the mover's seeds, a row for each half-board of the mover.
    pub(crate) fn captures(
        &self,
        layer: Layer,
        smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, Stopped>,
    ) -> Result<Vec<Grid>, Stopped> {
        let matrices = || Matrix::all(layer);
        let mut grids: Vec<Grid> = matrices()
            .map(|matrix| Grid::new(matrix.rows() as usize, matrix.row_len(), 0))
            .collect();
        each_smaller(layer, 0..layer.seeds() + 1, smaller, |captured, part| {
            each_row(layer, &mut grids, |row, best| {
                self.rows
                    .captures_of(row, &Reach::ALL, captured, part, |opponents, result| {
                        best[opponents] = best[opponents].max(byte_of(result));
                    });
            });
        })?;
        if self.rows.ruleset().variation().slam_ends_game {
            each_row(layer, &mut grids, |row, best| {
                self.rows.ends_of(row, &Reach::ALL, |opponents, result| {
                    best[opponents] = best[opponents].max(byte_of(result));
                });
            });
        }
        Ok(grids)
    }

    /// Puts the ends of the game into the captures, where no move is always legal. Returns the positions in which
    /// moves of last resort lead on.
    pub(crate) fn ends(&self, layer: Layer, captures: &mut [Grid]) -> Vec<Stuck> {
        let mut stuck = Vec::new();
        for matrix in Matrix::all(layer) {
            let grid = &mut captures[usize::from(matrix.own_seeds())];
            for row in (0..matrix.rows()).map(|rank| matrix.row(rank)) {
                for opponents in self.rows.without_move(row) {
                    let (mut end, mut children) = (0, Vec::new());
                    for outcome in self.rows.last_resorts(&row.position(opponents)) {
                        match outcome {
                            LastResort::Result(result) => end = byte_of(result).max(end),
                            LastResort::Quiet(child) => children.push(child),
                        }
                    }
                    grid.set(row.rank() as usize, opponents as usize, end);
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

impl LayerState<'_> {
    /// Puts what moves of last resort give now into the captures of a matrix.
    pub(crate) fn value_stuck(&mut self, own: u8, plane: usize) {
        let children = self.other(plane);
        let begin = self
            .stuck
            .partition_point(|stuck| stuck.row.own_seeds() < own);
        let stuck = self.stuck[begin..].iter();
        for stuck in stuck.take_while(|stuck| stuck.row.own_seeds() == own) {
            let of_child = |child: &Position| {
                let row = self
                    .tables
                    .numbers
                    .row(child.opponents_seeds(), half::rank(child.opponents()));
                let grid = &self.planes[children].grids[usize::from(child.own_seeds())];
                grid.get(
                    row.expect("an empty house") as usize,
                    half::rank(child.own()) as usize,
                )
            };
            let best = stuck.children.iter().map(of_child).max();
            let best = best.expect("a move").max(stuck.end);
            let captures = &mut self.planes[plane].captures[usize::from(own)];
            captures.set(stuck.row.rank() as usize, stuck.opponents as usize, best);
        }
    }
}

/// The bytes of captures for a task, unless a single row has more.
const TASK: usize = 1 << 17;

/// Calls `work` for each row of captures.
fn each_row(layer: Layer, grids: &mut [Grid], work: impl Fn(Row, &mut [u8]) + Sync) {
    let tasks = Matrix::all(layer).zip(grids).flat_map(|(matrix, grid)| {
        let (stride, columns) = (grid.stride(), grid.columns());
        // Some rows together are worth a task.
        let at_once = (TASK / stride).max(1);
        let pieces = grid.lines_mut().chunks_mut(at_once * stride);
        pieces
            .enumerate()
            .map(move |(piece, lines)| (matrix, piece * at_once, stride, columns, lines))
    });
    parallel::for_each(
        tasks.collect::<Vec<_>>(),
        |(matrix, first, stride, columns, lines)| {
            for (rank, line) in (first as u32..).zip(lines.chunks_exact_mut(stride)) {
                work(matrix.row(rank), &mut line[..columns]);
            }
        },
    );
}
