//! The unreachable positions of the rows of one process.
//!
//! Their values follow from the values of their children, which other processes may own.

use std::sync::Arc;

use granero_game::Position;
use granero_solver::graph::{HalfGraph, Layout, Number};
use granero_table::index::half;
use granero_table::parallel;
use granero_table::rows::{Matrix, Row, TurnedLayer, UnreachableHalves, each_part};
use zerocopy::FromBytes;

/// The unreachable positions of the rows of one process.
pub(crate) struct UnreachableRows<'a> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) layout: &'a Layout,
}

impl UnreachableRows<'_> {
    /// Makes the best captures of these positions their values. `turned` returns the parts of the
    /// whole layer, turned.
    pub(crate) fn raise<E>(
        &self,
        unreachable: &mut [u8],
        mut turned: impl FnMut(usize) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<(), E> {
        let layer = self.layout.layer();
        let halves: Vec<UnreachableHalves> = Matrix::all(layer)
            .map(|matrix| UnreachableHalves::new(&self.graph.rows, matrix))
            .collect();
        let places = 0..layer.len() as usize;
        each_part(places.clone(), &mut turned, |part| {
            self.each_row(unreachable, |row, best| {
                let halves = &halves[usize::from(row.own_seeds())];
                halves.raise(&self.graph.rows, row, best, part);
                Vec::new()
            });
        })?;
        // A few positions have moves of last resort only.
        let last = self.each_row(unreachable, |row, best| {
            halves[usize::from(row.own_seeds())].last_moves(&self.graph.rows, row, best)
        });
        if last.is_empty() {
            return Ok(());
        }
        each_part(places, &mut turned, |part| {
            for (place, child) in &last {
                if let Some(row) = part.row(child.opponents_seeds(), half::rank(child.opponents()))
                {
                    let result = -row[half::rank(child.own()) as usize];
                    unreachable[*place] = result.max(unreachable[*place] as i8) as u8;
                }
            }
        })
    }

    /// Calls `work` with the unreachable positions of each row. Collects the places that it returns, and
    /// their children.
    fn each_row(
        &self,
        unreachable: &mut [u8],
        work: impl Fn(Row, &mut [i8]) -> Vec<(usize, Position)> + Sync,
    ) -> Vec<(usize, Position)> {
        let mut all = Vec::new();
        for matrix in Matrix::all(self.layout.layer()) {
            let own_seeds = matrix.own_seeds();
            let row_len = self.layout.unreachable_row_len(own_seeds);
            let rows = self.layout.rows(own_seeds) as usize;
            if row_len == 0 || rows == 0 {
                continue;
            }
            let first = self.layout.unreachable_start(own_seeds, 0);
            let unreachable = unreachable[first..][..rows * row_len].chunks_exact_mut(row_len);
            let found = parallel::map(unreachable.enumerate(), |(number, best)| {
                let own = self.graph.number(own_seeds, number as Number);
                let row = matrix.row(self.graph.numbering.rank(own_seeds, own));
                let best = <[i8]>::mut_from_bytes(best).expect("bytes have no other alignment");
                let start = first + number * row_len;
                let found = work(row, best).into_iter();
                let found = found.map(|(place, child)| (start + place, child));
                found.collect::<Vec<_>>()
            });
            all.extend(found.into_iter().flatten());
        }
        all
    }
}
