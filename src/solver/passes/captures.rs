//! The first pass over a layer: the results of captures, and the number of quiet moves.

use std::ops::Range;
use std::sync::Arc;

use crate::graph::{HalfGraph, LastResortMove, Layout, Number, PlaneBand};
use crate::known::{Cells, LargeLosses};
use granero_table::first_error::Stopped;
use granero_table::index::half;
use granero_table::parallel;
use granero_table::rows::{LastResort, Matrix, NO_CAPTURE, Reach, Row, TurnedLayer, each_smaller};

/// The first pass over a layer.
#[derive(Clone, Copy)]
pub(super) struct Captures<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) layout: &'a Layout,
}

impl Captures<'_> {
    /// Finds the best results of captures and of moves that end the game in the reachable positions, a plane, or
    /// in the unreachable ones of some matrices. `smaller` returns parts of
    /// smaller layers, see [`each_smaller`].
    pub(super) fn best<C: Cells>(
        &self,
        reach: Reach,
        matrices: Range<u8>,
        smaller: impl FnMut(u8, usize) -> Result<Arc<TurnedLayer>, Stopped>,
    ) -> Result<Vec<u8>, Stopped> {
        let rows = &self.graph.rows;
        let len = match reach {
            Reach::Reachable => self.layout.plane_len(),
            Reach::Unreachable => self.layout.unreachable_len(matrices.clone()),
        };
        let mut best = vec![C::NO_CAPTURES; len];
        let layer = self.layout.layer();
        each_smaller(layer, matrices.clone(), smaller, |captured, smaller| {
            self.for_each_row(reach, &matrices, &mut best, |row, mut best| {
                rows.captures_of(row, &[reach], captured, smaller, |opponents, result| {
                    best.note::<C>(opponents, result);
                });
            });
        })?;
        if rows.ruleset().variation().slam_ends_game {
            self.for_each_row(reach, &matrices, &mut best, |row, mut best| {
                rows.ends_of(row, &[reach], |opponents, result| {
                    best.note::<C>(opponents, result)
                });
            });
        }
        Ok(best)
    }

    /// Ends the pass: `code` makes the byte of every position of the plane, given the best result
    /// of a capture and the number of quiet moves, and returns a loss that the byte has no room for.
    /// Collects the moves of last resort, sorted, and these losses, by place.
    pub(super) fn finish<C: Cells>(
        &self,
        plane: &mut [u8],
        code: impl Fn(Option<i8>, u8) -> (u8, Option<u8>) + Sync,
    ) -> (Vec<LastResortMove>, LargeLosses) {
        let bands = parallel::map(self.layout.bands(plane), |(band, plane)| {
            let mut last_resorts = Vec::new();
            let mut all_listed = Vec::new();
            let mut quiet = Vec::new();
            for (own, plane) in (band.first..).zip(plane.chunks_exact_mut(band.row_bytes)) {
                let row = self.row(band, own);
                self.graph.rows.count_quiet(row, &mut quiet);
                for ((opponents, &number), &quiet) in (0..).zip(self.numbers(row)).zip(&quiet) {
                    let place = number as usize;
                    if place >= band.row_len {
                        continue;
                    }
                    let best = C::best(C::get(plane, place));
                    let best = Some(best).filter(|&best| best != NO_CAPTURE);
                    let (best, quiet) = if best.is_none() && quiet == 0 {
                        self.without_move(row, own, opponents, &mut last_resorts)
                    } else {
                        (best, quiet)
                    };
                    let (code, listed) = code(best, quiet);
                    C::set(plane, place, code);
                    if let Some(listed) = listed {
                        let start = self.layout.row_start(band.own_seeds, own);
                        all_listed.push((start + place, listed));
                    }
                }
            }
            (last_resorts, all_listed)
        });
        let (moves, listed): (Vec<_>, Vec<_>) = bands.into_iter().unzip();
        let mut moves = moves.concat();
        moves.sort_unstable();
        (moves, LargeLosses::new(listed.concat()))
    }

    /// By rank: the numbers of the opponent's half-boards in a row.
    fn numbers(&self, row: Row) -> &[Number] {
        self.graph.numbering.numbers(row.opponents_seeds())
    }

    /// The row of the plane with a number.
    fn row(&self, band: PlaneBand, own: Number) -> Row {
        let matrix = Matrix::new(self.layout.layer(), band.own_seeds);
        let own = self.graph.number(band.own_seeds, own);
        matrix.row(self.graph.numbering.rank(band.own_seeds, own))
    }

    fn for_each_row(
        &self,
        reach: Reach,
        matrices: &Range<u8>,
        best: &mut [u8],
        work: impl Fn(Row, BestRow<'_>) + Sync,
    ) {
        let bands = self.layout.bands_of(reach, matrices.clone(), best);
        parallel::for_each(bands, |(band, best)| {
            for (own, best) in (band.first..).zip(best.chunks_exact_mut(band.row_bytes)) {
                let row = self.row(band, own);
                let first = match reach {
                    Reach::Reachable => 0,
                    Reach::Unreachable => self.layout.row_len(band.own_seeds),
                };
                let best = BestRow {
                    numbers: self.numbers(row),
                    first,
                    best,
                };
                work(row, best);
            }
        });
    }

    /// Finds the best result and the number of quiet moves of a position without a move that is always
    /// legal.
    #[cold]
    fn without_move(
        &self,
        row: Row,
        own: Number,
        opponents: u32,
        last_resort_moves: &mut Vec<LastResortMove>,
    ) -> (Option<i8>, u8) {
        let mut best = None;
        let mut quiet = 0;
        let numbering = &self.graph.numbering;
        for outcome in self.graph.rows.last_resorts(&row.position(opponents)) {
            match outcome {
                LastResort::Result(result) => best = best.max(Some(result)),
                LastResort::Quiet(child) => {
                    quiet += 1;
                    let (childs_own, childs) = (child.own_seeds(), child.opponents_seeds());
                    let child_opponents = numbering.number(childs, half::rank(child.opponents()));
                    last_resort_moves.push(LastResortMove {
                        child_opponents: numbering.opponents_half(childs, child_opponents),
                        child_own: numbering.number(childs_own, half::rank(child.own())),
                        own_seeds: row.own_seeds(),
                        own,
                        opponents: numbering.number(row.opponents_seeds(), opponents),
                    });
                }
            }
        }
        (best, quiet)
    }
}

struct BestRow<'b> {
    /// By rank: the numbers of the opponent's half-boards.
    numbers: &'b [Number],
    /// The number in the first place.
    first: usize,
    best: &'b mut [u8],
}

impl BestRow<'_> {
    /// Notes the result of a move, given the rank of the opponent's half-board.
    #[inline(always)]
    fn note<C: Cells>(&mut self, opponents: usize, result: i8) {
        let at = self.numbers[opponents] as usize - self.first;
        let best = C::best(C::get(self.best, at));
        C::set(self.best, at, C::of_best(result.max(best)));
    }
}
