//! The player is perfect within the tables, whatever the opponent does, and beyond them as
//! good as a plain search of the same depth.

use std::collections::{HashMap, HashSet};

use granero::index::Layer;
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
    let value = tables.value(position).unwrap();
    let choice = Player::new(tables).choose(position, 1, || false).unwrap();
    let choice = choice.unwrap();
    assert!(choice.exact);
    assert_eq!(Some(choice.value), value, "{position}");
    let child = tables.value(&choice.play.position).unwrap().unwrap();
    assert_eq!(Some(choice.play.value(child)), value, "{position}");
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

/// However the opponent defends, no won position is repeated: so the player wins as many seeds
/// as the tables say.
#[test]
fn a_won_position_is_won_against_any_defence() {
    for ruleset in Ruleset::ALL {
        let most = if ruleset == Ruleset::Abapa { 5 } else { 4 };
        let place = tables::build(ruleset, most);
        let tables = Tables::open(place.path()).unwrap();
        let won = positions(1..=most).filter(|position| {
            tables.value(position).unwrap() > Some(Value::ZERO)
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

/// What the player to move gets if both sides choose like this; endless play is worth nothing.
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

fn two_players_share_the_seeds_under(rulesets: &[Ruleset]) {
    for &ruleset in rulesets {
        let place = tables::build(ruleset, 10);
        let tables = Tables::open(place.path()).unwrap();
        let player = Player::new(&tables);
        for position in positions(6..=10).step_by(9001) {
            let value = tables.value(&position).unwrap().unwrap();
            let result = played_out(&player, ruleset, &position);
            assert_eq!(result, i32::from(value.seeds()), "{position} in {ruleset}");
        }
    }
}

#[test]
fn two_players_share_the_seeds_as_the_tables_say() {
    two_players_share_the_seeds_under(&[Ruleset::Abapa]);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn two_players_share_the_seeds_as_the_tables_say_under_any_rules() {
    two_players_share_the_seeds_under(&Ruleset::ALL);
}

#[test]
fn a_best_move_is_chosen_however_little_time_there_is() {
    let place = tables::build(Ruleset::Abapa, 7);
    let tables = Tables::open(place.path()).unwrap();
    for position in positions(7..=7).step_by(17) {
        let assessment = tables.assess(&position).unwrap();
        let choice = Player::new(&tables).choose(&position, 1, || true).unwrap();
        assert_eq!(choice.is_none(), assessment.over.is_some());
        if let Some(choice) = choice {
            assert!(assessment.best().any(|best| best.play == choice.play));
        }
    }
}

/// What a position is worth by a plain search.
fn plain(ruleset: Ruleset, tables: Option<&Tables>, position: &Position, depth: u8) -> i32 {
    let known = tables.and_then(|tables| tables.value(position).unwrap());
    match (known, ruleset.turn(position)) {
        (Some(value), _) => value.seeds().into(),
        (None, Turn::Over(over)) => over.value.seeds().into(),
        (None, Turn::Play(_)) if depth == 0 => 0,
        (None, Turn::Play(plays)) => {
            let worth = plays.iter().map(|play| {
                let gain = i32::from(play.captured) - i32::from(play.conceded);
                gain - plain(ruleset, tables, &play.position, depth - 1)
            });
            worth.max().unwrap()
        }
    }
}

fn searches_like_a_plain_search(ruleset: Ruleset, tables: Option<&Tables>) {
    let player = match tables {
        Some(tables) => Player::new(tables),
        None => Player::without_tables(ruleset),
    };
    for seeds in [11, 20, 48] {
        let layer = Layer::new(seeds).unwrap();
        for part in 0..12 {
            let position = layer.position(layer.len() / 12 * part + 1234).unwrap();
            for depth in 1..=4 {
                let choice = player.choose(&position, depth, || false).unwrap();
                let Some(choice) = choice else { continue };
                if choice.exact {
                    continue;
                }
                let expected = plain(ruleset, tables, &position, depth);
                assert_eq!(i32::from(choice.value.seeds()), expected, "{position}");
                let play = choice.play;
                let gain = i32::from(play.captured) - i32::from(play.conceded);
                let child = plain(ruleset, tables, &play.position, depth - 1);
                assert_eq!(gain - child, expected, "{position}");
                assert_eq!(choice.depth, depth);
            }
        }
    }
}

#[test]
fn the_search_finds_what_a_plain_search_finds() {
    for ruleset in Ruleset::ALL {
        searches_like_a_plain_search(ruleset, None);
        let place = tables::build(ruleset, 9);
        searches_like_a_plain_search(ruleset, Some(&Tables::open(place.path()).unwrap()));
    }
}

#[test]
fn a_search_that_is_stopped_at_once_has_a_legal_move() {
    let player = Player::without_tables(Ruleset::Abapa);
    let choice = player.choose(&Position::START, 60, || true).unwrap();
    assert!(choice.unwrap().depth >= 1);
}

/// A player near the tables who has the budget to prove what positions are worth plays as if the
/// tables reached there.
#[test]
fn moves_before_the_tables_are_best_if_they_are_proven() {
    for ruleset in Ruleset::ALL {
        let (place, truth) = (tables::build(ruleset, 4), tables::build(ruleset, 7));
        let near = Tables::open(place.path()).unwrap();
        let truth = Tables::open(truth.path()).unwrap();
        let mut exact = 0;
        for (number, position) in positions(6..=7).step_by(1201).enumerate() {
            let assessment = truth.assess(&position).unwrap();
            for nodes in [0, 60, 100_000] {
                let player = Player::new(&near).proving(Budget::nodes(nodes));
                let depth = 1 + (number % 3) as u8;
                let Some(choice) = player.choose(&position, depth, || false).unwrap() else {
                    assert!(assessment.over.is_some());
                    continue;
                };
                let mut best = assessment.best();
                let said = format!("{ruleset}, {position}, {nodes}: {choice:?}, {assessment:?}");
                if choice.exact {
                    // Its value is known, but it need not be the value of the position.
                    let found = assessment.moves.iter();
                    let mut found = found.filter(|found| found.play == choice.play);
                    assert_eq!(found.next().unwrap().value(), Some(choice.value), "{said}");
                    exact += 1;
                }
                if nodes == 100_000 {
                    assert!(choice.exact, "{said}");
                    assert!(best.any(|best| best.play == choice.play), "{said}");
                    assert_eq!(assessment.value(), Some(choice.value), "{said}");
                }
                // A move has to be made at once.
                let hurried = player.choose(&position, depth, || true).unwrap();
                assert!(hurried.is_some(), "{said}");
            }
        }
        assert!(exact > 0);
    }
}

/// So that they get what the position is worth, although nothing but the search tells them which
/// of several best moves makes progress.
#[test]
fn two_players_share_the_seeds_before_the_tables_as_larger_tables_say() {
    for ruleset in Ruleset::ALL {
        let (place, truth) = (tables::build(ruleset, 5), tables::build(ruleset, 7));
        let near = Tables::open(place.path()).unwrap();
        let truth = Tables::open(truth.path()).unwrap();
        let player = Player::new(&near).proving(Budget::nodes(100_000));
        for position in positions(7..=7).step_by(6007) {
            let value = truth.value(&position).unwrap().unwrap();
            let result = played_out(&player, ruleset, &position);
            assert_eq!(result, i32::from(value.seeds()), "{position} in {ruleset}");
        }
    }
}
