//! The player is perfect within the tables against any opponent, and beyond them misses nothing that is
//! proven within the depth of its search.

use std::collections::{HashMap, HashSet};

use granero::index::{Layer, draw};
use granero::player::Player;
use granero::prove::Budget;
use granero::{Position, Ruleset, Tables, Turn, Value};

use crate::support::solved::Values;
use crate::support::tables;

fn positions(seeds: impl Iterator<Item = u8>) -> impl Iterator<Item = Position> {
    seeds.flat_map(|seeds| Layer::new(seeds).unwrap().positions())
}

/// The positions after the player's move from a won position and any best reply, unless one of
/// the moves captures or the game is over.
fn without_progress(tables: &Tables, position: &Position) -> Vec<Position> {
    let value = tables.exact(position).unwrap();
    let choice = Player::new(tables).choose(position, 1, || false).unwrap();
    let choice = choice.unwrap();
    assert!(choice.exact);
    assert_eq!(Some(choice.value), value, "{position}");
    let child = tables.exact(&choice.play.position).unwrap().unwrap();
    assert_eq!(Some(choice.play.exact_value(child)), value, "{position}");
    if choice.play.captured > 0 || choice.play.ends_game {
        return Vec::new();
    }
    let replies = tables.assess(&choice.play.position).unwrap();
    let quiet = replies
        .best()
        .map(|best| best.play)
        .filter(|play| play.captured == 0 && !play.ends_game);
    quiet
        .map(|play| play.position)
        .filter(|position| matches!(tables.rules().turn(position), Turn::Play(_)))
        .collect()
}

/// Against any defence, no won position is repeated, so the player wins the seeds that the tables promise.
#[test]
fn a_won_position_is_won_against_any_defence() {
    for ruleset in Ruleset::ALL {
        let most = if ruleset == Ruleset::Abapa { 5 } else { 4 };
        let (_place, tables) = tables::opened(tables::build(ruleset, most));
        let won = positions(1..=most).filter(|position| {
            tables.exact(position).unwrap() > Some(Value::ZERO)
                && matches!(ruleset.turn(position), Turn::Play(_))
        });
        let mut next: HashMap<Position, Vec<Position>> = won
            .map(|position| (position, without_progress(&tables, &position)))
            .collect();
        // Remove positions that lead only to removed ones: without a cycle, none is left.
        loop {
            let before = next.len();
            let left: HashSet<Position> = next.keys().copied().collect();
            next.retain(|_, after| after.iter().any(|position| left.contains(position)));
            if next.len() == before {
                break;
            }
        }
        assert!(next.is_empty(), "{ruleset}: {:?}", next.iter().next());
    }
}

/// The result for the player to move if both sides choose like this; endless play is worth nothing.
fn played_out(player: &Player<'_>, ruleset: Ruleset, start: &Position) -> i32 {
    let mut position = *start;
    let mut seen = HashSet::new();
    let (mut result, mut sign) = (0, 1);
    while seen.insert(position) {
        match player.choose(&position, 1, || false).unwrap() {
            Some(choice) => {
                let play = choice.play;
                result += sign * (i32::from(play.captured) - i32::from(play.conceded));
                if play.ends_game {
                    return result;
                }
                position = play.position;
                sign = -sign;
            }
            None => {
                let Turn::Over(over) = ruleset.turn(&position) else {
                    panic!("no move in {position}")
                };
                return result + sign * i32::from(over.value.seeds());
            }
        }
    }
    result
}

/// The least and the most that a position is worth, as far as looking some moves ahead proves it.
fn proven(ruleset: Ruleset, tables: Option<&Tables>, position: &Position, depth: u8) -> [i32; 2] {
    let known = tables.and_then(|tables| tables.exact(position).unwrap());
    match (known, ruleset.turn(position)) {
        (Some(value), _) => [value.seeds().into(); 2],
        (None, Turn::Over(over)) => [over.value.seeds().into(); 2],
        (None, Turn::Play(_)) if depth == 0 => {
            let all = i32::from(position.seeds());
            [-all, all]
        }
        (None, Turn::Play(plays)) => {
            let values = plays.iter().map(|play| {
                let gain = i32::from(play.captured) - i32::from(play.conceded);
                let [low, high] = proven(ruleset, tables, &play.position, depth - 1);
                [gain - high, gain - low]
            });
            let best =
                |one: [i32; 2], other: [i32; 2]| [one[0].max(other[0]), one[1].max(other[1])];
            values.reduce(best).unwrap()
        }
    }
}

/// Checks that a search of some depth misses nothing that is proven within this depth; returns the number of
/// positions with a proven winner.
fn misses_nothing(ruleset: Ruleset, tables: Option<&Tables>) -> usize {
    let player = match tables {
        Some(tables) => Player::new(tables),
        None => Player::without_tables(ruleset),
    };
    let mut decided = 0;
    for seeds in [1, 4, 11, 20, 48] {
        for position in draw(seeds, 16).take(15) {
            for depth in 1..=5 {
                let choice = player.choose(&position, depth, || false).unwrap();
                let Some(choice) = choice else { continue };
                if choice.exact {
                    continue;
                }
                assert_eq!(choice.depth, depth);
                let value = i32::from(choice.value.seeds());
                let [low, high] = proven(ruleset, tables, &position, depth);
                let said = format!("{ruleset}, {position}: {choice:?}, {low} to {high}");
                assert!(low <= value && value <= high, "{said}");
                let play = choice.play;
                let gain = i32::from(play.captured) - i32::from(play.conceded);
                let child = proven(ruleset, tables, &play.position, depth - 1);
                assert!(gain - child[0] >= low, "{said}");
                decided += usize::from(low > 0 || high < 0);
                // Earlier searches make no difference.
                let again = player.choose(&position, depth, || false).unwrap();
                assert_eq!(again, Some(choice));
            }
        }
    }
    decided
}

#[test]
fn the_search_misses_nothing_that_is_proven_within_its_depth() {
    let (mut alone, mut with_tables) = (0, 0);
    for ruleset in [Ruleset::Awari, Ruleset::SlamEnds] {
        alone += misses_nothing(ruleset, None);
        let (_place, tables) = tables::opened(tables::build(ruleset, 9));
        with_tables += misses_nothing(ruleset, Some(&tables));
    }
    assert!(alone > 20, "{alone}, {with_tables}");
    assert!(with_tables > 20, "{with_tables}");
}

/// A search that is stopped after some positions gives the same answer on any machine, and a longer one
/// searches at least as deep.
#[test]
fn a_number_of_positions_decides_the_answer() {
    for ruleset in Ruleset::ALL {
        let player = Player::without_tables(ruleset);
        let mut depth = 0;
        for most in [1, 30, 1_000, 30_000] {
            let answer = || {
                let mut left: u32 = most;
                let stop = || {
                    left = left.saturating_sub(1);
                    left == 0
                };
                player.choose(&Position::START, 60, stop).unwrap()
            };
            let choice = answer().unwrap();
            assert_eq!(answer(), Some(choice), "{ruleset}");
            assert!(choice.depth >= depth.max(1), "{ruleset}: {choice:?}");
            depth = choice.depth;
        }
        assert!(depth > 4, "{ruleset}");
    }
}

/// A player near the tables whose budget is enough for proofs plays as well as with larger tables.
#[test]
fn moves_before_the_tables_are_best_if_they_are_proven() {
    for ruleset in Ruleset::ALL {
        let built = [4, 7].map(|seeds| tables::opened(tables::build(ruleset, seeds)));
        let [(_, near), (_, truth)] = &built;
        let mut exact = 0;
        for (number, position) in positions(6..=7).step_by(2401).enumerate() {
            let assessment = truth.assess(&position).unwrap();
            for nodes in [0, 60, 100_000] {
                let player = Player::new(near).proving(Budget::nodes(nodes));
                let depth = 1 + (number % 3) as u8;
                let Some(choice) = player.choose(&position, depth, || false).unwrap() else {
                    assert!(assessment.over.is_some());
                    continue;
                };
                let mut best = assessment.best();
                let said = format!("{ruleset}, {position}, {nodes}: {choice:?}, {assessment:?}");
                if choice.exact {
                    // The value of the move is known, but need not be the value of the position.
                    let found = assessment.moves.iter();
                    let mut found = found.filter(|found| found.play == choice.play);
                    assert_eq!(found.next().unwrap().exact(), Some(choice.value), "{said}");
                    exact += 1;
                }
                if nodes == 100_000 {
                    assert!(choice.exact, "{said}");
                    assert!(best.any(|best| best.play == choice.play), "{said}");
                    assert_eq!(assessment.exact(), Some(choice.value), "{said}");
                }
                // A move must be made at once.
                let hurried = player.choose(&position, depth, || true).unwrap();
                assert!(hurried.is_some(), "{said}");
            }
        }
        assert!(exact > 0);
    }
}

/// Checks that both players get the value of the position, although only the search tells them which of
/// several best moves makes progress.
#[test]
fn two_players_share_the_seeds_before_the_tables_as_larger_tables_say() {
    for ruleset in Ruleset::ALL {
        let built = [5, 7].map(|seeds| tables::opened(tables::build(ruleset, seeds)));
        let [(_, near), (_, truth)] = &built;
        let player = Player::new(near).proving(Budget::nodes(100_000));
        for position in positions(7..=7).step_by(12_007) {
            let value = truth.exact(&position).unwrap().unwrap();
            let result = played_out(&player, ruleset, &position);
            assert_eq!(result, i32::from(value.seeds()), "{position} in {ruleset}");
        }
    }
}
