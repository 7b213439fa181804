//! A layer that is solved.

use super::gather::CHUNK;
use super::grid::{Grid, ZERO};
use super::kernel::{self, Opponents, Scratch};
use super::layer::LayerState;
use super::movers::MOVERS;
use std::ops::Range;

use granero_game::Measured;
use granero_table::file::sha256::{Sha256, ValuesHash};
use granero_table::file::statistics::ValueCounts;
use granero_table::index::{Layer, half};
use granero_table::parallel;
use granero_table::rows::{LayerValues, Matrix, Row};

/// The values of a layer, or its bounds.
#[derive(Debug)]
pub(crate) struct SweptLayer {
    layer: Layer,
    values: Measured<Vec<Grid>>,
}

impl LayerState<'_> {
    /// Takes the best move of each position once more, also of those that no move leads to, and puts its value where
    /// its best capture was: in the order of the mover's half-boards.
    pub(super) fn finish(mut self) -> SweptLayer {
        for plane in 0..self.planes.len() {
            for own in 0..=self.seeds {
                self.value_stuck(own, plane);
                self.finish_matrix(own, plane);
            }
        }
        let layer = Layer::new(self.seeds).expect("at most 48 seeds");
        let mut values = self.planes.into_iter().map(|plane| plane.captures);
        let low = values.next().expect("a plane");
        let values = match values.next() {
            None => Measured::Value(low),
            Some(high) => Measured::Bounds { low, high },
        };
        SweptLayer { layer, values }
    }

    fn finish_matrix(&mut self, own: u8, plane: usize) {
        let count = half::count(self.seeds - own) as usize;
        let a = usize::from(own);
        let mut captures = std::mem::take(&mut self.planes[plane].captures[a]);
        let (stride, columns) = (captures.stride(), captures.columns());
        let sources = self.sources(own, plane, None);
        let reading = self.reading(own, plane, &sources);
        let tiles = captures.lines_mut().chunks_mut(MOVERS * stride).enumerate();
        parallel::for_each(tiles, |(tile, lines)| {
            Scratch::with(|Scratch { best, .. }| {
                for opponents in Opponents::all(count) {
                    let lanes = opponents.lanes();
                    let first = opponents.chunk * CHUNK;
                    let end = columns.min(first + lanes.len());
                    let width = end - first;
                    for (line, best) in lines.chunks_exact(stride).zip(&mut *best) {
                        best[lanes.clone()][..width].copy_from_slice(&line[first..end]);
                    }
                    kernel::best_moves(&reading, tile, &opponents, best);
                    for (line, best) in lines.chunks_exact_mut(stride).zip(&*best) {
                        let best = &best[lanes.clone()][..width];
                        for (value, &best) in line[first..end].iter_mut().zip(best) {
                            *value = best.wrapping_sub(ZERO);
                        }
                    }
                }
            });
        });
        self.planes[plane].captures[a] = captures;
    }
}

impl SweptLayer {
    /// The layer.
    pub(crate) fn layer(&self) -> Layer {
        self.layer
    }

    /// The values of its positions, or their bounds.
    pub(crate) fn values(&self) -> Measured<SweptValues<'_>> {
        let layer = self.layer;
        self.values
            .as_ref()
            .map(|grids| SweptValues { layer, grids })
    }

    /// Counts the values.
    pub(crate) fn counts(&self) -> ValueCounts {
        let of = |matrix: Matrix, rows: Range<u32>| {
            let of = self.values().map(|values| {
                let mut all = vec![0; rows.len() * matrix.row_len()];
                let lines = all.chunks_exact_mut(matrix.row_len());
                rows.clone()
                    .zip(lines)
                    .for_each(|(rank, line)| values.copy(matrix.row(rank), 0, line));
                all
            });
            ValueCounts::of(of.as_ref().map(|values| &values[..]))
        };
        let tasks = Matrix::all(self.layer).flat_map(|matrix| {
            let at_once = (1 << 18) / matrix.row_len() + 1;
            let rows = matrix.rows();
            (0..rows)
                .step_by(at_once)
                .map(move |first| (matrix, first..rows.min(first + at_once as u32)))
        });
        let counts = parallel::map(tasks, |(matrix, rows)| of(matrix, rows));
        let sum = counts.into_iter().reduce(|sum, more| sum.plus(&more));
        sum.expect("a layer has positions")
    }

    /// Hashes the values.
    pub(crate) fn hashes(&self) -> Measured<Sha256> {
        self.values().map(|values| {
            let mut hash = ValuesHash::default();
            Matrix::all(self.layer).for_each(|matrix| hash.add(&values, matrix));
            hash.finish()
        })
    }

    /// The values in index order.
    pub(crate) fn in_order(&self) -> Measured<Vec<i8>> {
        self.values().map(|values| {
            let mut all = vec![0; self.layer.len() as usize];
            for matrix in Matrix::all(self.layer) {
                matrix.each_row(&mut all, |row, to| values.copy(row, 0, to));
            }
            all
        })
    }
}

/// The values of a layer, or one of its bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptValues<'a> {
    layer: Layer,
    grids: &'a [Grid],
}

impl LayerValues for SweptValues<'_> {
    fn layer(&self) -> Layer {
        self.layer
    }

    #[inline]
    fn copy(&self, row: Row, from: usize, to: &mut [i8]) {
        let grid = &self.grids[usize::from(row.own_seeds())];
        let values = &grid.row(row.rank() as usize)[from..][..to.len()];
        for (to, &value) in to.iter_mut().zip(values) {
            *to = value as i8;
        }
    }
}
