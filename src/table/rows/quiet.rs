//! Quiet moves: they capture nothing, do not end the game, and are always legal. The child is in the same
//! layer.

use super::CrossingClass;
use crate::index::{Crossing, half};
use granero_game::rules::{Arrival, Ruleset};

/// Tells if a move of a class is quiet when it leaves these houses to the opponent.
pub fn is_quiet(ruleset: Ruleset, class: CrossingClass, after: [u8; 6]) -> bool {
    let crossing = class.crossing();
    match (crossing.seeds, crossing.ends_there) {
        // An opponent without seeds must be fed.
        (0, false) => after != [0; 6],
        (0, true) => false,
        // A move returns to the mover's side only after a seed in the opponent's last house.
        (seeds, false) => seeds % 6 == 0,
        (_, true) => ruleset.arrival(after, crossing.last_house()) == Arrival::Quiet,
    }
}

/// The quiet moves of a class on half-boards of the opponent: the number of the half-board in `halves`, and
/// its rank after the move.
pub fn quiet_moves(
    ruleset: Ruleset,
    class: CrossingClass,
    halves: impl Iterator<Item = [u8; 6]>,
) -> Vec<(u32, u32)> {
    let after = halves.map(|houses| class.crossing().added_to(houses));
    (0..)
        .zip(after)
        .filter(|&(_, after)| is_quiet(ruleset, class, after))
        .map(|(number, after)| (number, half::rank(after)))
        .collect()
}

/// The inverse, for moves that send seeds across: the classes of quiet moves that leave these houses to the
/// opponent, ascending, and the rank of the half-board before each.
pub fn quiet_origins(
    ruleset: Ruleset,
    after: [u8; 6],
) -> impl Iterator<Item = (CrossingClass, u32)> {
    let crossing = |seeds, ends_there| Crossing { seeds, ends_there };
    let before = (1..=after.iter().sum())
        .map_while(move |seeds| Some((seeds, crossing(seeds, false).taken_from(after)?)));
    before.flat_map(move |(seeds, before)| {
        let classes =
            [false, true].map(|ends_there| CrossingClass::of(crossing(seeds, ends_there)));
        let quiet = classes
            .into_iter()
            .filter(move |&class| is_quiet(ruleset, class, after));
        quiet.map(move |class| (class, half::rank(before)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_the_inverse_of_moves() {
        const SEEDS: u8 = 8;
        for ruleset in Ruleset::ALL {
            let mut moves = Vec::new();
            for before in 0..=SEEDS {
                for class in CrossingClass::up_to(SEEDS - before)
                    .filter(|&class| class != CrossingClass::STAYS)
                {
                    let after = before + class.crossing().seeds;
                    let quiet = quiet_moves(ruleset, class, half::all(before));
                    moves.extend(quiet.into_iter().map(|(from, to)| (after, to, class, from)));
                }
            }
            moves.sort_unstable();
            let mut origins = Vec::new();
            for seeds in 0..=SEEDS {
                for (rank, houses) in (0..).zip(half::all(seeds)) {
                    let quiet = quiet_origins(ruleset, houses);
                    origins.extend(quiet.map(|(class, from)| (seeds, rank, class, from)));
                }
            }
            assert_eq!(origins, moves, "{ruleset}");
        }
    }
}
