//! Positions that games reach from the opening.

use std::collections::HashSet;

use granero::player::Player;
use granero::random::SplitMix64;
use granero::{Position, Ruleset};

/// Prints 1,000 positions with some number of seeds, from games of players who look three moves ahead, but
/// make every second, fourth or eighth move at random.
pub(crate) fn draw(seeds: u8) {
    let mut random = SplitMix64::new(seeds.into());
    let rules = Ruleset::Abapa;
    let player = Player::without_tables(rules);
    let mut drawn = HashSet::new();
    while drawn.len() < 1000 {
        let mut position = Position::START;
        let careless = [2, 4, 8][random.below(3) as usize];
        // Some games never get there.
        for _ in 0..300 {
            let plays = rules.moves(&position);
            if plays.is_empty() || position.seeds() <= seeds {
                break;
            }
            let choice = player.choose(&position, 3, || false).expect("no tables");
            let play = if random.below(careless) == 0 {
                plays[random.below(plays.len() as u64) as usize]
            } else {
                choice.expect("a move").play
            };
            position = play.position;
        }
        let goes_on = !rules.moves(&position).is_empty();
        if position.seeds() == seeds && goes_on && drawn.insert(position) {
            println!("{position}");
        }
    }
}
