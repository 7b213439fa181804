//! Quiet moves: they capture nothing, do not end the game, and are always legal. The child is in the same
//! layer.

use super::{Matrix, RowMoves};
use crate::index::{Crossing, half};
use crate::parallel;
use granero_game::rules::{Arrival, Ruleset};

/// Tells if a move with a crossing is quiet when it leaves these houses to the opponent.
pub fn is_quiet(ruleset: Ruleset, crossing: Crossing, after: [u8; 6]) -> bool {
    match (crossing.seeds(), crossing.ends_there()) {
        // An opponent without seeds must be fed.
        (0, false) => after != [0; 6],
        (0, true) => false,
        // A move returns to the mover's side only after a seed in the opponent's last house.
        (seeds, false) => seeds % 6 == 0,
        (_, true) => ruleset.arrival(after, crossing.last_house()) == Arrival::Quiet,
    }
}

impl RowMoves {
    /// By crossing: the quiet moves on the opponent's half-boards of a matrix.
    pub fn quiet_moves(&self, matrix: Matrix) -> Vec<Vec<(u32, half::Rank)>> {
        parallel::map(Crossing::up_to(matrix.own_seeds()), |crossing| {
            let opponents = half::all(matrix.opponents_seeds());
            quiet_moves(self.kind.rules, crossing, opponents)
        })
    }
}

/// The quiet moves with a crossing on half-boards of the opponent: the number of the half-board in `halves`, and
/// its rank after the move.
pub fn quiet_moves(
    ruleset: Ruleset,
    crossing: Crossing,
    halves: impl Iterator<Item = [u8; 6]>,
) -> Vec<(u32, half::Rank)> {
    let after = halves.map(|houses| crossing.added_to(houses));
    (0..)
        .zip(after)
        .filter(|&(_, after)| is_quiet(ruleset, crossing, after))
        .map(|(number, after)| (number, half::rank(after)))
        .collect()
}
