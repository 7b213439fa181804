//! Before the sweeps: the best captures, and positions without a move that is always legal.

use std::ops::Range;
use std::sync::Arc;

use super::grid::{Grid, ZERO};
use super::layer::Tables;
use granero_game::Position;
use granero_table::first_error::Stopped;
use granero_table::index::{Layer, half};
use granero_table::parallel;
use granero_table::rows::{LastResort, Matrix, Row, TurnedLayer, each_smaller};

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
    /// The best captures and ends of the game in some rows of each matrix: by the mover's seeds, a row for each half-board
    /// of the mover.
    pub(crate) fn captures(
        &self,
        layer: Layer,
        rows: &[Range<u32>],
        smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, Stopped>,
    ) -> Result<Vec<Grid>, Stopped> {
        let mut grids: Vec<Grid> = Matrix::all(layer)
            .zip(rows)
            .map(|(matrix, rows)| Grid::new(rows.len(), matrix.row_len(), 0))
            .collect();
        each_smaller(layer, smaller, |captured, part| {
            each_row(layer, rows, &mut grids, |row, best| {
                self.rows
                    .captures_of(row, captured, part, |opponents, result| {
                        best[opponents] = best[opponents].max(byte_of(result));
                    });
            });
        })?;
        if self.rows.kind().rules.variation().slam_ends_game {
            each_row(layer, rows, &mut grids, |row, best| {
                self.rows.ends_of(row, |opponents, result| {
                    best[opponents] = best[opponents].max(byte_of(result));
                });
            });
        }
        Ok(grids)
    }

    /// Puts the ends of the game into the captures, where no move is always legal. Returns the positions in which
    /// moves of last resort lead on.
    pub(crate) fn ends(
        &self,
        layer: Layer,
        rows: &[Range<u32>],
        captures: &mut [Grid],
    ) -> Vec<Stuck> {
        let mut stuck = Vec::new();
        for ((matrix, rows), grid) in Matrix::all(layer).zip(rows).zip(captures) {
            for row in rows.clone().map(|rank| matrix.row(rank)) {
                for opponents in self.rows.without_move(row) {
                    let (mut end, mut children) = (0, Vec::new());
                    for outcome in self.rows.last_resorts(&row.position(opponents)) {
                        match outcome {
                            LastResort::Result(result) => end = byte_of(result).max(end),
                            LastResort::Quiet(child) => children.push(child),
                        }
                    }
                    grid.set((row.rank() - rows.start) as usize, opponents as usize, end);
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

impl Stuck {
    /// Those of a matrix.
    pub(super) fn of_matrix(all: &[Stuck], own: u8) -> &[Stuck] {
        let begin = all.partition_point(|stuck| stuck.row.own_seeds() < own);
        let end = all.partition_point(|stuck| stuck.row.own_seeds() <= own);
        &all[begin..end]
    }

    pub(super) fn own_seeds(&self) -> u8 {
        self.row.own_seeds()
    }

    /// The rank of the opponent's half-board.
    pub(super) fn opponents(&self) -> u32 {
        self.opponents
    }

    /// The position as other processes get it.
    pub(super) fn to_bytes(&self) -> [u8; 10] {
        let [m0, m1, m2, m3] = self.row.rank().to_le_bytes();
        let [o0, o1, o2, o3] = self.opponents.to_le_bytes();
        [self.own_seeds(), self.end, m0, m1, m2, m3, o0, o1, o2, o3]
    }

    /// Reads [these bytes](Stuck::to_bytes); `None` if there is no such position.
    pub(super) fn from_bytes(bytes: &[u8; 10], tables: &Tables, seeds: u8) -> Option<Stuck> {
        let [own, end, m0, m1, m2, m3, opponents @ ..] = *bytes;
        let rank = u32::from_le_bytes([m0, m1, m2, m3]);
        let opponents = u32::from_le_bytes(opponents);
        let opponents_seeds = seeds.checked_sub(own)?;
        if rank >= half::count(own) || opponents >= half::count(opponents_seeds) {
            return None;
        }
        let row = Matrix::new(Layer::new(seeds)?, own).row(rank);
        let position = row.position(opponents);
        let outcomes = tables.rows.last_resorts(&position);
        let children = outcomes.filter_map(|outcome| match outcome {
            LastResort::Quiet(child) => Some(child),
            LastResort::Result(_) => None,
        });
        Some(Stuck {
            row,
            opponents,
            end,
            children: children.collect(),
        })
    }

    /// The ranks of the half-boards.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.row.rank() as usize, self.opponents as usize)
    }

    /// The best move, given the byte of a child by the mover's seeds, row and column.
    pub(super) fn best(&self, tables: &Tables, byte: impl Fn(u8, usize, usize) -> u8) -> u8 {
        let of_child = |child: &Position| {
            let numbers = &tables.numbers;
            let row = numbers.row(child.opponents_seeds(), half::rank(child.opponents()));
            let row = row.expect("an empty house") as usize;
            byte(child.own_seeds(), row, half::rank(child.own()) as usize)
        };
        let best = self.children.iter().map(of_child).max();
        best.expect("a move").max(self.end)
    }
}

/// The bytes of captures for a task, unless a single row has more.
const TASK: usize = 1 << 17;

/// Calls `work` for each row of captures.
fn each_row(
    layer: Layer,
    rows: &[Range<u32>],
    grids: &mut [Grid],
    work: impl Fn(Row, &mut [u8]) + Sync,
) {
    let grids = rows.iter().zip(grids);
    let tasks = Matrix::all(layer)
        .zip(grids)
        .flat_map(|(matrix, (rows, grid))| {
            let (stride, columns) = (grid.stride(), grid.columns());
            // Some rows together are worth a task.
            let at_once = (TASK / stride).max(1);
            let pieces = grid.lines_mut().chunks_mut(at_once * stride);
            pieces.enumerate().map(move |(piece, lines)| {
                let first = rows.start as usize + piece * at_once;
                (matrix, first, stride, columns, lines)
            })
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
