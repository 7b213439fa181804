//! Positions that games reach from the opening.

use std::collections::HashSet;

use granero::player::Player;
use granero::{Position, Ruleset};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % end
    }
}

/// Prints 1,000 positions with some number of seeds, from games of players who look three moves ahead, but
/// make every second, fourth or eighth move at random.
pub(crate) fn draw(seeds: u8) {
    let mut random = Random(u64::from(seeds));
    let rules = Ruleset::Abapa;
    let player = Player::without_tables(rules);
    let mut drawn = HashSet::new();
    while drawn.len() < 1000 {
        let mut position = Position::START;
        let careless = [2, 4, 8][random.below(3)];
        // Some games never get there.
        for _ in 0..300 {
            let plays = rules.moves(&position);
            if plays.is_empty() || position.seeds() <= seeds {
                break;
            }
            let choice = player.choose(&position, 3, || false).expect("no tables");
            let play = if random.below(careless) == 0 {
                plays[random.below(plays.len())]
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
