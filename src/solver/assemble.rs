//! The values of a layer in index order, from the planes of the solver.

use rayon::prelude::*;

use super::graph::HalfGraph;
use super::layout::Layout;
use crate::rows::{FullHalves, Matrix, Row};

/// A plane once its layer is solved.
#[derive(Clone, Copy)]
pub(super) struct Solved<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) layout: &'a Layout,
    pub(super) plane: &'a [u8],
    /// By byte: the value.
    pub(super) decode: &'a [i8; 256],
}

impl Solved<'_> {
    /// The values of all positions. `full` holds the best captures of those that are not in the
    /// plane; `children` is what children are worth.
    pub(super) fn values(&self, full: &[u8], children: Solved<'_>) -> Vec<i8> {
        let layer = self.layout.layer();
        let mut values = vec![0; layer.len() as usize];
        for matrix in Matrix::all(layer) {
            let halves = FullHalves::new(&self.graph.rows, matrix);
            matrix.par_rows(&mut values).for_each(|(row, values)| {
                self.decode(row, values);
                let own = self.graph.numbering.number(row.own_seeds(), row.rank());
                let captures = &full[self.layout.full_start(row.own_seeds(), own)..];
                let captures = &captures[..halves.ranks().len()];
                let mut best: Vec<i8> = captures.iter().map(|&best| best as i8).collect();
                let column = |movers_seeds, left| children.column(movers_seeds, left);
                halves.work_out(&self.graph.rows, row, &mut best, column);
                for (&opponents, best) in halves.ranks().iter().zip(best) {
                    values[opponents as usize] = best;
                }
            });
        }
        values
    }

    /// The values of a row, but for those that are not in the plane.
    fn decode(&self, row: Row, values: &mut [i8]) {
        let numbering = &self.graph.numbering;
        let own = numbering.number(row.own_seeds(), row.rank());
        let start = self.layout.row_start(row.own_seeds(), own);
        let bytes = &self.plane[start..][..self.layout.row_len(row.own_seeds())];
        let numbers = numbering.numbers(row.opponents_seeds());
        for (value, &number) in values.iter_mut().zip(numbers) {
            if let Some(&byte) = bytes.get(number as usize) {
                *value = self.decode[usize::from(byte)];
            }
        }
    }

    /// The values of all positions with a half-board of the opponent, given its rank and the
    /// mover's seeds: by the rank of the mover's.
    fn column(&self, movers_seeds: u8, opponents: u32) -> impl Fn(u32) -> i8 {
        let numbering = &self.graph.numbering;
        let column = numbering.number(self.layout.seeds() - movers_seeds, opponents);
        let numbers = numbering.numbers(movers_seeds);
        let start = self.layout.row_start(movers_seeds, 0) + column as usize;
        let row_len = self.layout.row_len(movers_seeds);
        move |own| {
            let row = numbers[own as usize] as usize * row_len;
            self.decode[usize::from(self.plane[start + row])]
        }
    }
}
