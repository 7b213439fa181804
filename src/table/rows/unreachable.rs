//! Unreachable positions, in which all six houses of the opponent hold seeds.
//!
//! No move leads to such a position, so no other value depends on it: the solver leaves it out, and files do
//! not store it. Its value follows from its moves.

use super::{LastResort, Matrix, Row, RowMoves, quiet_moves};
use crate::index::{Crossing, half};
use granero_game::Position;

/// The best capture of a position that has none.
pub const NO_CAPTURE: i8 = i8::MIN;

/// Tells positions that a move can lead to from those that none can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The opponent has an empty house.
    Reachable = 0,
    /// The opponent has none.
    Unreachable = 1,
}

impl Reach {
    pub const ALL: [Reach; 2] = [Reach::Reachable, Reach::Unreachable];

    /// The positions in which the opponent has these houses.
    pub(super) fn of_opponents(houses: [u8; 6]) -> Reach {
        if half::is_filled(houses) {
            Reach::Unreachable
        } else {
            Reach::Reachable
        }
    }
}

/// The opponent's half-boards without an empty house, and the effects of quiet moves on them.
#[derive(Debug)]
pub(crate) struct UnreachableHalves {
    /// The ranks of the half-boards, ascending.
    ranks: Vec<u32>,
    /// By crossing: the number of the half-board in `ranks`, and its rank after the move.
    quiet: Vec<Vec<(u32, u32)>>,
}

impl UnreachableHalves {
    /// The half-boards of a matrix.
    pub(crate) fn new(rows: &RowMoves, matrix: Matrix) -> UnreachableHalves {
        let houses: Vec<[u8; 6]> = half::all(matrix.opponents_seeds())
            .filter(|&houses| Reach::of_opponents(houses) == Reach::Unreachable)
            .collect();
        let quiet = Crossing::up_to(matrix.own_seeds())
            .map(|crossing| quiet_moves(rows.kind().rules, crossing, houses.iter().copied()));
        UnreachableHalves {
            quiet: quiet.collect(),
            ranks: houses.iter().map(|&houses| half::rank(houses)).collect(),
        }
    }

    /// The ranks of the half-boards, ascending.
    pub(crate) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Turns the best captures in a row, one for each of these half-boards, into the values of the
    /// positions. `children` gets the mover's seeds and the rank of the opponent's half-board in a child;
    /// it returns a function from the rank of the mover's half-board to the child's value.
    pub(crate) fn work_out<C: Fn(u32) -> i8>(
        &self,
        rows: &RowMoves,
        row: Row,
        best: &mut [i8],
        children: impl Fn(u8, u32) -> C,
    ) {
        for (_, left, crossing) in rows.moves_of(row) {
            let child = children(row.opponents_seeds() + crossing.seeds(), left);
            for &(number, after) in &self.quiet[crossing.index()] {
                let best = &mut best[number as usize];
                *best = (*best).max(-child(after));
            }
        }
        for (best, &opponents) in best.iter_mut().zip(&self.ranks) {
            if *best == NO_CAPTURE {
                *best = without_move(rows, &row.position(opponents), &children);
            }
        }
    }
}

/// The value of a position without a move that is always legal.
#[cold]
pub(crate) fn without_move<C: Fn(u32) -> i8>(
    rows: &RowMoves,
    position: &Position,
    children: impl Fn(u8, u32) -> C,
) -> i8 {
    rows.last_resorts(position)
        .map(|outcome| match outcome {
            LastResort::Result(result) => result,
            LastResort::Quiet(child) => {
                let left = half::rank(child.opponents());
                -children(child.own_seeds(), left)(half::rank(child.own()))
            }
        })
        .max()
        .expect("the end of the game, or a move")
}
