//! The first pass over a layer: what captures give at once, and how many quiet moves
//! there are.

use super::graph::HalfGraph;
use super::plane::Plane;
use crate::index::half;
use crate::position::Position;
use crate::position::join;
use crate::rows::{Class, Row, TurnedLayer};
use crate::rules::Turn;

/// While captures are gathered, a byte is the best result of one as an `i8`, or this.
const NO_CAPTURE: i8 = i8::MIN;

/// A quiet move that is legal only as a last resort, so that the tables do not have
/// it: between positions given by the ranks of their half-boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LastResort {
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
    pub(super) seeds: u8,
    pub(super) worker: usize,
}

impl Captures<'_> {
    /// All bytes, before anything is captured.
    pub(super) fn start(&self) -> Vec<u8> {
        vec![NO_CAPTURE as u8; self.plane.values()]
    }

    /// The half-boards that the worker owns: the mover's seeds, the rank, and where the
    /// row of bytes begins.
    fn rows(&self) -> impl Iterator<Item = (u8, u32, usize)> {
        (0..=self.seeds).flat_map(move |own_seeds| {
            let share = self.graph.share;
            (0..share.count(self.worker, half::count(own_seeds))).map(move |local| {
                let rank = share.rank(self.worker, local);
                (own_seeds, rank, self.plane.row_start(own_seeds, local))
            })
        })
    }

    fn row(&self, own_seeds: u8, rank: u32) -> Row {
        Row {
            own_seeds,
            rank,
            opponents_seeds: self.seeds - own_seeds,
        }
    }

    /// Takes all captures of so many seeds into account; `layer` holds what is left
    /// after them.
    pub(super) fn add(&self, values: &mut [u8], captured: u8, layer: &TurnedLayer) {
        for (own_seeds, rank, start) in self.rows() {
            let bytes = &mut values[start..start + self.plane.row_len(own_seeds)];
            let row = self.row(own_seeds, rank);
            let rows = &self.graph.rows;
            rows.captures_of(row, captured, layer, |opponents, result| {
                let best = &mut bytes[opponents];
                *best = result.max(*best as i8) as u8;
            });
        }
    }

    /// Ends the pass: `code` makes the byte of every position, given its place, the best
    /// result of a capture and the number of quiet moves. Collects the moves that the tables
    /// do not have.
    pub(super) fn finish(
        &self,
        values: &mut [u8],
        mut code: impl FnMut(usize, Option<i8>, u8) -> u8,
    ) -> Vec<LastResort> {
        let mut last_resorts = Vec::new();
        let mut quiet = Vec::new();
        for (own_seeds, rank, start) in self.rows() {
            let opponents_seeds = self.seeds - own_seeds;
            let row = &mut values[start..start + self.plane.row_len(own_seeds)];
            let feeds = |class| opponents_seeds > 0 || class != Class::STAYS;
            let moves = self.graph.rows.moves_of(own_seeds, rank);
            let moves = moves.filter(|&(_, _, class)| feeds(class));
            quiet.clear();
            quiet.resize(row.len(), moves.count() as u8);
            for (_, _, class) in self.graph.rows.moves_of(own_seeds, rank) {
                let effects = self.graph.rows.effects(class, opponents_seeds);
                for (_, list) in &effects.captures {
                    for &(opponents, _) in list {
                        quiet[opponents as usize] -= 1;
                    }
                }
                for &(opponents, _) in &effects.ends {
                    quiet[opponents as usize] -= 1;
                }
                for &opponents in &effects.barred {
                    quiet[opponents as usize] -= 1;
                }
            }
            let rows = &self.graph.rows;
            rows.ends_of(self.row(own_seeds, rank), |opponents, result| {
                let best = &mut row[opponents];
                *best = result.max(*best as i8) as u8;
            });
            for (opponents, (byte, &quiet)) in (0..).zip(row.iter_mut().zip(&quiet)) {
                let best = Some(*byte as i8).filter(|&best| best != NO_CAPTURE);
                let (best, quiet) = if best.is_none() && quiet == 0 {
                    self.without_move(own_seeds, rank, opponents, &mut last_resorts)
                } else {
                    (best, quiet)
                };
                *byte = code(start + opponents as usize, best, quiet);
            }
        }
        last_resorts
    }

    /// A position without a move that is always legal: the game is over, or there are
    /// moves as a last resort. What it is worth at once, and the quiet moves.
    #[cold]
    fn without_move(
        &self,
        own_seeds: u8,
        own: u32,
        opponents: u32,
        last_resorts: &mut Vec<LastResort>,
    ) -> (Option<i8>, u8) {
        let opponents_seeds = self.seeds - own_seeds;
        let position = Position::from_valid(join(
            half::unrank(own_seeds, own),
            half::unrank(opponents_seeds, opponents),
        ));
        let moves = match self.graph.rows.ruleset().turn(&position) {
            Turn::Over(over) => return (Some(over.value.seeds()), 0),
            Turn::Play(moves) => moves,
        };
        let mut best = None;
        let mut quiet = 0;
        for play in moves {
            let child = play.position;
            if child.own_seeds() == 0 {
                // The opponent starves, and all seeds are the mover's.
                best = Some(self.seeds as i8);
            } else {
                assert_eq!(play.captured, 0, "last resorts capture all or nothing");
                quiet += 1;
                let child_opponents = half::rank(child.opponents());
                last_resorts.push(LastResort {
                    child_opponents: self.graph.number(child.opponents_seeds(), child_opponents),
                    child_own: half::rank(child.own()),
                    own_seeds,
                    own,
                    opponents,
                });
            }
        }
        (best, quiet)
    }
}
