//! The first pass over a layer: what captures give at once, and how many quiet moves
//! there are.

use super::graph::HalfGraph;
use super::plane::Plane;
use crate::index::{Layer, half};
use crate::rows::{Block, LastResort, Row, TurnedLayer, last_resorts};

/// While captures are gathered, a byte is the best result of one as an `i8`, or this.
const NO_CAPTURE: i8 = i8::MIN;

/// A quiet move that is legal only as a last resort, so that the graph does not have
/// it: between positions given by the ranks of their half-boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LastResortMove {
    /// The opponent's half-board in the child: its number in the graph.
    pub(super) child_opponents: usize,
    /// The mover's half-board in the child.
    pub(super) child_own: u32,
    /// The mover's seeds before the move.
    pub(super) own_seeds: u8,
    /// The mover's half-board before the move.
    pub(super) own: u32,
    /// The opponent's half-board before the move.
    pub(super) opponents: u32,
}

/// The rows of bytes of one worker, in the first pass.
pub(super) struct Captures<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) plane: &'a Plane,
    pub(super) layer: Layer,
    pub(super) worker: usize,
}

impl Captures<'_> {
    /// All bytes, before anything is captured.
    pub(super) fn start(&self) -> Vec<u8> {
        vec![NO_CAPTURE as u8; self.plane.values()]
    }

    /// The rows that the worker owns, and where their bytes begin.
    fn rows(&self) -> impl Iterator<Item = (Row, usize)> {
        Block::all(self.layer).flat_map(move |block| {
            let share = self.graph.share;
            (0..share.count(self.worker, block.rows())).map(move |local| {
                let rank = share.rank(self.worker, local);
                (
                    block.row(rank),
                    self.plane.row_start(block.own_seeds(), local),
                )
            })
        })
    }

    /// Takes all captures of so many seeds into account; `layer` holds what is left
    /// after them.
    pub(super) fn add(&self, values: &mut [u8], captured: u8, layer: &TurnedLayer) {
        for (row, start) in self.rows() {
            let bytes = &mut values[start..start + row.len()];
            let rows = &self.graph.rows;
            rows.captures_of(row, captured, layer, |opponents, result| {
                let best = &mut bytes[opponents];
                *best = result.max(*best as i8) as u8;
            });
        }
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
        for (row, start) in self.rows() {
            let bytes = &mut values[start..start + row.len()];
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
                *byte = code(start + opponents as usize, best, quiet);
            }
        }
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
                    let child_opponents = half::rank(child.opponents());
                    last_resort_moves.push(LastResortMove {
                        child_opponents: self
                            .graph
                            .number(child.opponents_seeds(), child_opponents),
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
