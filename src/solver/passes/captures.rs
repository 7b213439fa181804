//! The first pass over a layer: the results of captures, and the number of quiet moves.

use rayon::prelude::*;

use crate::graph::half_graph::HalfGraph;
use crate::graph::last_resort::LastResortMove;
use crate::graph::layout::{Layout, PlaneBand};
use crate::graph::numbering::Number;
use crate::known::large_losses::LargeLosses;
use granero_table::index::half;
use granero_table::rows::{LastResort, Matrix, NO_CAPTURE, Row, TurnedLayer};

/// The best results of captures, while they are gathered: each byte is an `i8`, or
/// [`NO_CAPTURE`].
#[derive(Clone, Debug)]
pub(super) struct BestCaptures {
    /// A plane.
    pub(super) plane: Vec<u8>,
    /// The rest of each row: the positions whose opponent has no empty house.
    pub(super) full: Vec<u8>,
}

/// The first pass over a layer.
#[derive(Clone, Copy)]
pub(super) struct Captures<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) layout: &'a Layout,
}

/// A row while captures are gathered.
struct BestRow<'b> {
    row: Row,
    plane: &'b mut [u8],
    full: &'b mut [u8],
}

impl BestRow<'_> {
    /// Notes the result of a capture, given the number of the opponent's half-board.
    #[inline(always)]
    fn note(&mut self, opponents: Number, result: i8) {
        let opponents = opponents as usize;
        let best = match opponents.checked_sub(self.plane.len()) {
            None => &mut self.plane[opponents],
            Some(full) => &mut self.full[full],
        };
        *best = result.max(*best as i8) as u8;
    }
}

impl Captures<'_> {
    /// All bytes, before anything is captured.
    pub(super) fn start(&self) -> BestCaptures {
        BestCaptures {
            plane: vec![NO_CAPTURE as u8; self.layout.plane_len()],
            full: vec![NO_CAPTURE as u8; self.layout.full_len()],
        }
    }

    /// Takes captures of `captured` seeds into account, if their children are in `smaller`, which
    /// is the layer of these children or a part of it.
    pub(super) fn add(&self, best: &mut BestCaptures, captured: u8, smaller: &TurnedLayer) {
        self.for_each_row(best, |mut best| {
            let numbers = self.numbers(best.row);
            (self.graph.rows).captures_of(best.row, captured, smaller, |opponents, result| {
                best.note(numbers[opponents], result);
            });
        });
    }

    /// Takes the moves that end the game into account.
    pub(super) fn add_ends(&self, best: &mut BestCaptures) {
        if !self.graph.rows.ruleset().variation().slam_ends_game {
            return;
        }
        self.for_each_row(best, |mut best| {
            let numbers = self.numbers(best.row);
            self.graph.rows.ends_of(best.row, |opponents, result| {
                best.note(numbers[opponents], result);
            });
        });
    }

    /// Ends the pass: `code` makes the byte of every position of the plane, given the best result
    /// of a capture and the number of quiet moves, and returns a loss that the byte has no room for.
    /// Collects the moves that the graph does not have, sorted, and these losses, by place.
    pub(super) fn finish(
        &self,
        plane: &mut [u8],
        code: impl Fn(Option<i8>, u8) -> (u8, Option<u8>) + Sync,
    ) -> (Vec<LastResortMove>, LargeLosses) {
        let bands = self.layout.bands(plane).into_par_iter();
        let bands = bands.with_max_len(1).map(|(band, plane)| {
            let mut last_resorts = Vec::new();
            let mut all_listed = Vec::new();
            let mut quiet = Vec::new();
            for (own, plane) in (band.first..).zip(plane.chunks_exact_mut(band.row_len)) {
                let row = self.row(band, own);
                self.graph.rows.count_quiet(row, &mut quiet);
                for ((opponents, &number), &quiet) in (0..).zip(self.numbers(row)).zip(&quiet) {
                    let Some(byte) = plane.get_mut(number as usize) else {
                        continue;
                    };
                    let best = Some(*byte as i8).filter(|&best| best != NO_CAPTURE);
                    let (best, quiet) = if best.is_none() && quiet == 0 {
                        self.without_move(row, own, opponents, &mut last_resorts)
                    } else {
                        (best, quiet)
                    };
                    let listed;
                    (*byte, listed) = code(best, quiet);
                    if let Some(listed) = listed {
                        let start = self.layout.row_start(band.own_seeds, own);
                        all_listed.push((start + number as usize, listed));
                    }
                }
            }
            (last_resorts, all_listed)
        });
        let (moves, listed): (Vec<_>, Vec<_>) = bands.unzip();
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

    fn for_each_row(&self, best: &mut BestCaptures, work: impl Fn(BestRow<'_>) + Sync) {
        let planes = self.layout.bands(&mut best.plane).into_par_iter();
        let fulls = self.layout.full_bands(&mut best.full).into_par_iter();
        let bands = planes.zip(fulls).with_max_len(1);
        bands.for_each(|((band, mut planes), mut fulls)| {
            for own in band.first..band.first + band.rows {
                let (plane, rest) = planes.split_at_mut(band.row_len);
                let (full, rest_full) =
                    fulls.split_at_mut(self.layout.full_row_len(band.own_seeds));
                (planes, fulls) = (rest, rest_full);
                let row = self.row(band, own);
                work(BestRow { row, plane, full });
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
