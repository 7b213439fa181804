//! The first pass over a layer: what captures give at once, and how many quiet moves
//! there are.

use super::graph::HalfGraph;
use super::last_resort::LastResortMove;
use super::layout::Layout;
use crate::index::half;
use crate::rows::{LastResort, Row, TurnedLayer, last_resorts};

/// While captures are gathered, a byte is the best result of one as an `i8`, or this.
const NO_CAPTURE: i8 = i8::MIN;

/// The rows of one worker, in the first pass.
pub(super) struct Captures<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) layout: &'a Layout,
    pub(super) seeds: u8,
}

impl Captures<'_> {
    /// All bytes, before anything is captured.
    pub(super) fn start(&self) -> Vec<u8> {
        vec![NO_CAPTURE as u8; self.layout.values()]
    }

    /// Takes all captures of `captured` seeds into account; `smaller` is the layer of their
    /// children.
    pub(super) fn add(&self, values: &mut [u8], captured: u8, smaller: &TurnedLayer) {
        let rows = &self.graph.rows;
        self.layout.for_each_row(|owned| {
            let bytes = &mut values[owned.start..][..owned.len];
            let row = self.layout.row(owned);
            rows.captures_of(row, captured, smaller, |opponents, result| {
                let best = &mut bytes[opponents];
                *best = result.max(*best as i8) as u8;
            });
        });
    }

    /// Ends the pass: `code` makes the byte of every position, given its place, the best
    /// result of a capture and the number of quiet moves. Collects the moves that the graph
    /// does not have.
    pub(super) fn finish(
        &self,
        values: &mut [u8],
        mut code: impl FnMut(usize, Option<i8>, u8) -> u8,
    ) -> Vec<LastResortMove> {
        let mut last_resorts = Vec::new();
        let mut quiet = Vec::new();
        let rows = &self.graph.rows;
        self.layout.for_each_row(|owned| {
            let bytes = &mut values[owned.start..][..owned.len];
            let row = self.layout.row(owned);
            rows.count_quiet(row, &mut quiet);
            rows.ends_of(row, |opponents, result| {
                let best = &mut bytes[opponents];
                *best = result.max(*best as i8) as u8;
            });
            for (opponents, (byte, &quiet)) in (0..).zip(bytes.iter_mut().zip(&quiet)) {
                let best = Some(*byte as i8).filter(|&best| best != NO_CAPTURE);
                let (best, quiet) = if best.is_none() && quiet == 0 {
                    self.without_move(row, opponents, &mut last_resorts)
                } else {
                    (best, quiet)
                };
                *byte = code(owned.start + opponents as usize, best, quiet);
            }
        });
        last_resorts
    }

    /// A position without a move that is always legal: what it is worth at once, and the
    /// number of its quiet moves.
    #[cold]
    fn without_move(
        &self,
        row: Row,
        opponents: u32,
        last_resort_moves: &mut Vec<LastResortMove>,
    ) -> (Option<i8>, u8) {
        let mut best = None;
        let mut quiet = 0;
        for outcome in last_resorts(self.graph.rows.ruleset(), &row.position(opponents)) {
            match outcome {
                LastResort::Result(result) => best = best.max(Some(result)),
                LastResort::Quiet(child) => {
                    quiet += 1;
                    let half_boards = self.graph.half_boards(child.opponents_seeds());
                    last_resort_moves.push(LastResortMove {
                        child_opponents: half_boards.with_rank(half::rank(child.opponents())),
                        child_own: half::rank(child.own()),
                        own_seeds: row.own_seeds(),
                        own: row.rank(),
                        opponents,
                    });
                }
            }
        }
        (best, quiet)
    }
}
