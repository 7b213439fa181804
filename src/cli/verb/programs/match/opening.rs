//! Openings: a few random moves from the beginning of the game.

use granero::random::SplitMix64;
use granero::{Ruleset, Side, Situation, Turn};

/// The numbers of moves in an opening.
const FEWEST: u64 = 4;
const MOST: u64 = 11;

/// The most that a player may be ahead in an opening. With more, that player usually wins.
const AHEAD: u8 = 3;

/// Draws openings, the same for the same seed.
pub(crate) struct Openings {
    rules: Ruleset,
    random: SplitMix64,
}

impl Openings {
    pub(crate) fn new(rules: Ruleset, seed: u64) -> Openings {
        Openings {
            rules,
            random: SplitMix64::new(seed),
        }
    }

    /// Returns the situation after some random moves; `None` if it is no fair opening.
    fn draw(&mut self) -> Option<Situation> {
        let mut situation = Situation::START;
        for _ in 0..FEWEST + self.random.below(MOST - FEWEST + 1) {
            let Turn::Play(plays) = self.rules.turn(&situation.position()) else {
                return None;
            };
            let play = &plays[self.random.below(plays.len() as u64) as usize];
            (_, situation) = situation.play(self.rules, play.house).ok()?;
        }
        let [south, north] = [Side::South, Side::North].map(|side| situation.store(side));
        let goes_on = matches!(self.rules.turn(&situation.position()), Turn::Play(_));
        (goes_on && south.abs_diff(north) <= AHEAD).then_some(situation)
    }
}

impl Iterator for Openings {
    type Item = Situation;

    fn next(&mut self) -> Option<Situation> {
        loop {
            if let Some(situation) = self.draw() {
                return Some(situation);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_open_and_the_same_for_the_same_seed() {
        let draw = |seed| Openings::new(Ruleset::Abapa, seed).take(50);
        assert!(draw(1).eq(draw(1)));
        assert!(!draw(1).eq(draw(2)));
        for situation in draw(3) {
            assert_ne!(situation, Situation::START);
            let position = situation.position();
            assert!(matches!(Ruleset::Abapa.turn(&position), Turn::Play(_)));
        }
    }
}
