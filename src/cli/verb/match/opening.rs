//! Openings: a few random moves from the beginning of the game.

use std::iter;

use granero::random::SplitMix64;
use granero::{Ruleset, Side, Situation, Turn};

/// The numbers of moves in an opening.
const FEWEST: u64 = 4;
const MOST: u64 = 11;

/// The most that a player may be ahead in an opening. With more, that player usually wins.
const AHEAD: u8 = 3;

/// Draws openings, the same for the same seed.
pub(super) fn draw(rules: Ruleset, seed: u64) -> impl Iterator<Item = Situation> {
    let mut random = SplitMix64::new(seed);
    iter::repeat_with(move || draw_one(rules, &mut random)).flatten()
}

/// Returns the situation after some random moves; `None` if it is no fair opening.
fn draw_one(rules: Ruleset, random: &mut SplitMix64) -> Option<Situation> {
    let mut situation = Situation::START;
    for _ in 0..FEWEST + random.below(MOST - FEWEST + 1) {
        let Turn::Play(plays) = rules.turn(&situation.position()) else {
            return None;
        };
        let play = &plays[random.below(plays.len() as u64) as usize];
        (_, situation) = situation.play(rules, play.house).ok()?;
    }
    let [south, north] = [Side::South, Side::North].map(|side| situation.store(side));
    let goes_on = matches!(rules.turn(&situation.position()), Turn::Play(_));
    (goes_on && south.abs_diff(north) <= AHEAD).then_some(situation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_open_and_the_same_for_the_same_seed() {
        let draw = |seed| draw(Ruleset::Abapa, seed).take(50);
        assert!(draw(1).eq(draw(1)));
        assert!(!draw(1).eq(draw(2)));
        for situation in draw(3) {
            assert_ne!(situation, Situation::START);
            let position = situation.position();
            assert!(matches!(Ruleset::Abapa.turn(&position), Turn::Play(_)));
        }
    }
}
