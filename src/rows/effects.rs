//! What moves do to whole rows of the opponent's half-boards, as far as they are not
//! quiet: captures, ends of the game, and what the rules bar.

use crate::house::House;
use crate::index::{Crossing, arrivals, half};
use crate::rules::{Arrival, Ruleset};

/// A number for each kind of crossing: twice the seeds, and one more if the last seed
/// is among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class(u8);

impl Class {
    /// Nothing comes across.
    pub(crate) const STAYS: Class = Class(0);

    /// No move: the last seed cannot be across if none is.
    pub(crate) const NONE: Class = Class(1);

    pub(crate) fn of(crossing: Crossing) -> Class {
        Class(2 * crossing.seeds + u8::from(crossing.ends_there))
    }

    pub(crate) fn crossing(self) -> Crossing {
        Crossing {
            seeds: self.0 / 2,
            ends_there: self.0 % 2 == 1,
        }
    }

    /// The number of the class as a byte.
    pub(crate) fn code(self) -> u8 {
        self.0
    }

    pub(crate) fn of_code(code: u8) -> Class {
        Class(code)
    }

    pub(crate) fn index(self) -> usize {
        self.0.into()
    }
}

/// What the moves of a class do to all half-boards of the opponent with some number of
/// seeds, as far as they are not quiet. Half-boards are given by their ranks.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// By number of captured seeds: the half-board before, and what is left of it.
    pub(crate) captures: Vec<(u8, Vec<(u32, u32)>)>,
    /// Moves that end the game, with the seeds that they capture.
    pub(crate) ends: Vec<(u32, u8)>,
    /// Moves that are not legal, or only as a last resort.
    pub(crate) barred: Vec<u32>,
}

/// The house into which the last of so many seeds that come across falls.
pub(crate) fn last_house(seeds: u8) -> House {
    House::ALL[usize::from((seeds - 1) % 6)]
}

/// Adds what is missing of the effects on positions with up to so many seeds: by class, then
/// by the opponent's seeds.
pub(super) fn reach(effects: &mut Vec<Vec<Effects>>, ruleset: Ruleset, max_seeds: u8) {
    let classes = 0..=2 * max_seeds + 1;
    effects.resize_with(effects.len().max(classes.len()), Vec::new);
    for (class, by_seeds) in classes.zip(effects) {
        let crossing = Class(class).crossing();
        for seeds in by_seeds.len() as u8..=max_seeds - crossing.seeds {
            by_seeds.push(match crossing.ends_there && crossing.seeds > 0 {
                true => effects_on(ruleset, seeds, crossing),
                false => Effects::default(),
            });
        }
    }
}

fn effects_on(ruleset: Ruleset, seeds: u8, crossing: Crossing) -> Effects {
    let mut effects = Effects::default();
    let mut captures: [Vec<(u32, u32)>; 19] = Default::default();
    let after = arrivals(seeds, crossing);
    for (rank, after) in (0..).zip(after) {
        let houses = half::unrank(seeds + crossing.seeds, after);
        match ruleset.arrival(houses, last_house(crossing.seeds)) {
            Arrival::Quiet => {}
            Arrival::Captures { captured, left } => {
                captures[usize::from(captured)].push((rank, half::rank(left)));
            }
            Arrival::EndsGame { captured } => effects.ends.push((rank, captured)),
            Arrival::Barred => effects.barred.push(rank),
        }
    }
    let captures = (0..).zip(captures);
    effects.captures = captures.filter(|(_, list)| !list.is_empty()).collect();
    effects
}
