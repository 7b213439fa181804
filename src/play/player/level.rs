//! Levels of strength, from a player whom beginners beat to perfect play within the tables.

use super::Player;
use granero_game::Position;
use granero_game::random::SplitMix64;
use granero_game::rules::{Move, Turn};
use granero_table::TableError;

impl Player<'_> {
    /// Chooses a move at a level of strength, from 1, the weakest, to 8, the player as it is; 0 is taken for 1, more for 8.
    /// Returns `None` if the game is over. A low level makes some of its moves at random and otherwise looks few moves
    /// ahead; `docs/cli.md` has the list. Below level 7 the tables and proofs of the player are not used. `luck` is a
    /// random number: the same one leads to the same choice.
    ///
    /// ```
    /// use granero::player::Player;
    /// use granero::{Position, Tables};
    ///
    /// let player = Player::new(Tables::sample());
    /// let position: Position = "0 1 0 2 0 1 / 0 2 0 1 1 0".parse()?;
    /// let perfect = player.choose_at_level(8, &position, 0, || false)?;
    /// assert!(Tables::sample().assess(&position)?.best().any(|best| Some(best.play) == perfect));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn choose_at_level(
        &self,
        level: u8,
        position: &Position,
        luck: u64,
        stop: impl FnMut() -> bool,
    ) -> Result<Option<Move>, TableError> {
        // The percentage of moves made at random, and the most moves that it looks ahead.
        let (careless, depth) = match level {
            ..=1 => (100, 1),
            2 => (50, 1),
            3 => (25, 2),
            4 => (10, 3),
            5 => (0, 4),
            6 => (0, 7),
            7 => (0, 10),
            _ => (0, super::MAX_DEPTH),
        };
        let mut random = SplitMix64::new(luck);
        if random.below(100) < careless {
            return Ok(match self.rules.turn(position) {
                Turn::Play(plays) => Some(plays[random.below(plays.len() as u64) as usize]),
                Turn::Over(_) => None,
            });
        }
        let player = match level {
            ..7 => &Player {
                among: self.among,
                ..Player::without_tables(self.rules)
            },
            _ => self,
        };
        let choice = player.choose(position, depth, stop)?;
        Ok(choice.map(|choice| choice.play))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Difficulty;
    use granero_game::{Side, Situation};
    use granero_table::Tables;
    use granero_table::index::draw;

    /// Plays a game from the start, and returns the difference of the stores.
    fn game(levels: [u8; 2], seed: u64) -> i32 {
        let player = Player::without_tables(Default::default());
        let mut now = Situation::START;
        for number in 0..200 {
            let level = levels[usize::from(now.to_move() == Side::North)];
            // The first moves are drawn, so that games differ.
            let level = if number < 4 { 1 } else { level };
            let luck = seed * 1000 + number;
            let choice = player.choose_at_level(level, &now.position(), luck, || false);
            let Some(play) = choice.unwrap() else { break };
            (_, now) = now.play(player.rules, play.house).unwrap();
        }
        i32::from(now.store(Side::South)) - i32::from(now.store(Side::North))
    }

    #[test]
    fn each_level_beats_the_one_before() {
        for number in 2..=6 {
            let [weak, strong] = [number - 1, number];
            let games = (0..12).map(|seed| game([strong, weak], seed) - game([weak, strong], seed));
            let ahead: i32 = games.sum();
            println!("level {number} is {ahead} seeds ahead in 24 games");
            assert!(ahead > 24, "{number}: {ahead}");
        }
    }

    /// Of the best moves of positions that are not won, the one after which the difficulty is greatest.
    #[test]
    fn perfect_play_makes_it_hard_for_the_opponent() {
        let tables = Tables::sample();
        let player = Player::new(tables).hardest();
        let mut chosen = 0;
        for position in draw(8, 48).take(300) {
            let choice = player.choose_at_level(8, &position, 0, || false);
            let assessment = tables.assess(&position).unwrap();
            let best: Vec<Move> = assessment.best().map(|best| best.play).collect();
            assert_eq!(choice.as_ref().unwrap().is_none(), best.is_empty());
            let Some(play) = choice.unwrap() else {
                continue;
            };
            assert!(best.contains(&play), "{position}");
            if assessment.exact().unwrap().seeds() <= 0 {
                let task = |play: &Move| Difficulty::of(tables, &play.position).unwrap();
                assert_eq!(task(&play), best.iter().map(task).max().unwrap());
                chosen += usize::from(best.len() > 1);
            }
        }
        assert!(chosen > 30, "{chosen}");
    }
}
