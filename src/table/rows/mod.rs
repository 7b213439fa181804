//! Moves of whole rows of positions: one half-board of the mover against all of the opponent's.
//!
//! The effect of a move on the mover's half depends on this half alone, and the effect on the opponent's
//! half on the [`Crossing`] alone. So the results of moves are tabulated for all half-boards of the
//! opponent at once. Solver, tables and verifier share this:
//!
//! * `row`: the matrices and rows of a layer, and their places;
//! * `effects`: quiet moves, captures, ends of the game and illegal moves with a crossing;
//! * `last_resort`: positions without a move that is always legal;
//! * `values`: the values of a layer, in any order;
//! * `turned`: a layer with the sides exchanged, in which the children of a row are next to each other.

mod effects;
mod last_resort;
mod row;
mod turned;
mod values;

use std::ops::Range;

use crate::index::half::{self, Rank};
use crate::index::{Crossing, HalfMove, half_moves};
use crate::parallel;
use effects::Effects;
pub use effects::{is_quiet, quiet_moves};
use granero_game::{Kind, MAX_SEEDS};
pub use last_resort::LastResort;
pub use row::{Matrix, Row};
pub use turned::TurnedLayer;
pub use turned::{each_smaller, turn};
pub use values::{InOrder, LayerValues};

/// The most seeds that one move can capture: three in each of six houses.
pub const MAX_CAPTURED: u8 = 18;

/// The moves of rows of positions with up to some number of seeds. Results of moves are cut off at the
/// limit of the layer, see [`Extent`](granero_game::Extent).
#[derive(Debug)]
pub struct RowMoves {
    kind: Kind,
    /// By the mover's seeds, then by rank and house.
    half_moves: Vec<Vec<[HalfMove; 6]>>,
    /// By crossing, then by the opponent's seeds before the move; the opponent's seeds after the crossing are at
    /// most `max_seeds`.
    effects: Vec<Vec<Effects>>,
}

impl RowMoves {
    pub fn new(kind: impl Into<Kind>, max_seeds: u8) -> RowMoves {
        let mut rows = RowMoves {
            kind: kind.into(),
            half_moves: Vec::new(),
            effects: Vec::new(),
        };
        rows.reach(max_seeds);
        rows
    }

    /// Adds the missing entries for positions with up to `max_seeds` seeds.
    pub(crate) fn reach(&mut self, max_seeds: u8) {
        assert!(max_seeds <= MAX_SEEDS, "{max_seeds} seeds");
        let missing = self.half_moves.len() as u8..=max_seeds;
        self.half_moves.extend(missing.map(half_moves));
        effects::reach(&mut self.effects, self.kind.rules, max_seeds);
    }

    /// The rules, the convention for endless play and the extent of values.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn max_seeds(&self) -> u8 {
        // There are 0 to 48 seeds.
        self.half_moves.len() as u8 - 1
    }

    /// The effects of a crossing on half-boards with `seeds` seeds, except quiet moves.
    fn effects(&self, crossing: Crossing, seeds: u8) -> &Effects {
        &self.effects[crossing.index()][usize::from(seeds)]
    }

    /// By crossing: the quiet moves on the opponent's half-boards of a matrix.
    pub fn quiet_moves(&self, matrix: Matrix) -> Vec<Vec<(u32, Rank)>> {
        parallel::map(Crossing::up_to(matrix.own_seeds()), |crossing| {
            let opponents = half::all(matrix.opponents_seeds());
            quiet_moves(self.kind.rules, crossing, opponents)
        })
    }

    /// The moves of a row: the seeds and the rank of the mover's half-board after the move, and the crossing.
    #[inline]
    pub fn moves_of(&self, row: Row) -> impl Iterator<Item = (u8, Rank, Crossing)> {
        let moves = &self.half_moves[usize::from(row.own_seeds())][row.rank().0 as usize];
        moves
            .iter()
            .filter_map(move |half_move| half_move.unpack(row.own_seeds()))
    }

    /// Finds all captures of `captured` seeds in a row, if the opponent's half-board has one of some ranks: this rank, and
    /// the result. `smaller` is the layer of the children.
    #[inline(always)]
    pub fn captures_of(
        &self,
        row: Row,
        opponents: &Range<usize>,
        captured: u8,
        smaller: &TurnedLayer,
        mut found: impl FnMut(usize, i8),
    ) {
        // A capture never results in less than the lower limit: docs/internals/solver.md says why.
        let limit = self.kind.limit(row.seeds());
        for (left_seeds, left_rank, crossing) in self.moves_of(row) {
            let effects = self.effects(crossing, row.opponents_seeds());
            let Some(captures) = effects.captures.get(usize::from(captured)) else {
                continue;
            };
            // In the child, the opponent is to move, with the rest of the half-board.
            let Some(child) = smaller.row(left_seeds, left_rank) else {
                continue;
            };
            for &(opponents, left) in within(captures, row, opponents) {
                let result = captured as i8 - child[left.0 as usize];
                found(opponents.0 as usize, result.min(limit));
            }
        }
    }

    /// Finds all moves that end the game in a row, if the opponent's half-board has one of some ranks: this rank, and the
    /// result.
    pub fn ends_of(&self, row: Row, opponents: &Range<usize>, mut found: impl FnMut(usize, i8)) {
        let seeds = row.seeds();
        for (_, _, crossing) in self.moves_of(row) {
            let ends = &self.effects(crossing, row.opponents_seeds()).ends;
            for &(opponents, captured) in within(ends, row, opponents) {
                // All other seeds go to the opponent.
                let result = 2 * captured as i8 - seeds as i8;
                found(opponents.0 as usize, self.kind.cut(seeds, result));
            }
        }
    }

    /// Finds the positions of a row without a move that is always legal: the opponent's half-boards, ascending.
    pub fn without_move(&self, row: Row) -> Vec<Rank> {
        let seeds = row.opponents_seeds();
        let barred = |crossing| match (crossing, seeds) {
            (Crossing::NONE, 0) => &[Rank(0)],
            (Crossing::NONE, _) => &[][..],
            _ => &self.effects(crossing, seeds).barred,
        };
        let mut lists: Vec<&[Rank]> = self
            .moves_of(row)
            .map(|(_, _, crossing)| barred(crossing))
            .collect();
        lists.sort_unstable_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first() else {
            return (0..row.len() as u32).map(Rank).collect();
        };
        let is_barred = |opponents: &&Rank| {
            others
                .iter()
                .all(|list| list.binary_search(opponents).is_ok())
        };
        shortest.iter().filter(is_barred).copied().collect()
    }
}

/// The entries of a list, in the order of the opponents' ranks, for some of them.
#[inline(always)]
fn within<'l, T>(list: &'l [(Rank, T)], row: Row, opponents: &Range<usize>) -> &'l [(Rank, T)] {
    if opponents.len() == row.len() {
        return list;
    }
    let before =
        |rank: usize| list.partition_point(|&(opponents, _)| (opponents.0 as usize) < rank);
    &list[before(opponents.start)..before(opponents.end)]
}
