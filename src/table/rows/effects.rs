//! The effects of moves on all half-boards of the opponent, except quiet moves: captures, ends of the game,
//! and illegal moves.

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
