//! Prints 1,000 positions with some number of seeds, from games of players who look three moves ahead, but make every
//! second, fourth or eighth move at random: `cargo bench -p granero-benches --bench draw -- 16`.

use std::collections::HashSet;

use granero::player::Player;
use granero::random::SplitMix64;
use granero::{Position, Ruleset};

fn main() {
    // `cargo test` runs this without a number.
    let mut arguments = std::env::args().skip(1);
    let Some(seeds) = arguments.find_map(|text| text.parse::<u8>().ok()) else {
        return;
    };
    let mut random = SplitMix64::new(u64::from(seeds));
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
