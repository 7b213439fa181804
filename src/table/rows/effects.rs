//! The effects of moves on all half-boards of the opponent: quiet moves; captures, ends of the game, and illegal moves.
//!
//! Quiet moves capture nothing, do not end the game, and are always legal. The child is in the same layer.

use super::MAX_CAPTURED;
use crate::index::{Crossing, half};
use granero_game::rules::{Arrival, Ruleset};

/// The effects of a crossing on all half-boards of the opponent with some number of seeds, except
/// quiet moves. Half-boards are given by their ranks, ascending.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// By number of captured seeds: the half-board before and after the move.
    pub(crate) captures: Vec<Vec<(half::Rank, half::Rank)>>,
    /// Moves that end the game, with the seeds that they capture.
    pub(crate) ends: Vec<(half::Rank, u8)>,
    /// Moves that are not legal, or only as a last resort.
    pub(crate) barred: Vec<half::Rank>,
}

/// Adds the missing effects on positions with up to `max_seeds` seeds: by crossing, then by the
/// opponent's seeds.
pub(super) fn reach(effects: &mut Vec<Vec<Effects>>, ruleset: Ruleset, max_seeds: u8) {
    let crossings = Crossing::up_to(max_seeds);
    effects.resize_with(effects.len().max(crossings.len()), Vec::new);
    for (crossing, by_seeds) in crossings.zip(effects) {
        for seeds in by_seeds.len() as u8..=max_seeds - crossing.seeds() {
            by_seeds.push(if crossing.ends_there() && crossing.seeds() > 0 {
                effects_on(ruleset, seeds, crossing)
            } else {
                Effects::default()
            });
        }
    }
}

fn effects_on(ruleset: Ruleset, seeds: u8, crossing: Crossing) -> Effects {
    let mut effects = Effects::default();
    effects
        .captures
        .resize_with(usize::from(MAX_CAPTURED) + 1, Default::default);
    for (rank, houses) in (0..).map(half::Rank).zip(half::all(seeds)) {
        match ruleset.arrival(crossing.added_to(houses), crossing.last_house()) {
            Arrival::Quiet => {}
            Arrival::Captures { captured, left } => {
                effects.captures[usize::from(captured)].push((rank, half::rank(left)));
            }
            Arrival::EndsGame { captured } => effects.ends.push((rank, captured)),
            Arrival::Barred => effects.barred.push(rank),
        }
    }
    let most = effects.captures.iter().rposition(|list| !list.is_empty());
    effects.captures.truncate(most.map_or(0, |most| most + 1));
    effects.captures.shrink_to_fit();
    effects
}

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
