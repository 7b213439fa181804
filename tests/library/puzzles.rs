//! The puzzles in `data/`: each has one right move, and is of its theme and grade.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use granero::player::{Difficulty, Player};
use granero::{Move, Position, Ruleset, Tables};

const RULES: Ruleset = Ruleset::Abapa;

/// Returns the most seeds that a player captures with one move.
fn most_captured(position: &Position) -> u8 {
    let moves = RULES.moves(position);
    moves.iter().map(|play| play.captured).max().unwrap_or(0)
}

/// Checks a puzzle within the sample by the words of its theme.
fn check(theme: &str, position: &Position, right: &Move, value: i8, depth: u8) {
    let tables = Tables::sample();
    let worth = |position: &Position| {
        let value = tables.worth(position).unwrap().unwrap().value().unwrap();
        i32::from(value.seeds())
    };
    let after = |play: &Move| {
        assert_eq!(play.conceded, 0);
        i32::from(play.captured) - worth(&play.position)
    };
    let best = i32::from(value);
    assert_eq!((worth(position), after(right)), (best, best), "{position}");
    let others = RULES.moves(position);
    let others: Vec<i32> = others
        .iter()
        .filter(|play| play.house != right.house)
        .map(after)
        .collect();
    assert!(others.iter().all(|&other| other < best), "{position}");
    let is_of_theme = match theme {
        "win" => best > 0 && others.iter().all(|&other| other <= 0),
        "sacrifice" => best > 0 && most_captured(&right.position) > right.captured,
        "zugzwang" => best < 0 && worth(&position.turned()) <= 0,
        "draw" => best == 0,
        _ => false,
    };
    assert!(is_of_theme, "{theme}: {position}");
    let difficulty = Difficulty::of(tables, position).unwrap().unwrap();
    assert_eq!(difficulty.depth, depth, "{position}");
}

#[test]
fn each_puzzle_has_one_right_move() {
    let text = fs::read_to_string("../../data/puzzles.tsv").unwrap();
    let plain = Player::without_tables(RULES);
    let (mut known, mut of_sort) = (HashSet::new(), BTreeMap::new());
    let mut in_sample = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [theme, grade, position, value, letter, depth] = fields[..] else {
            panic!("{line}");
        };
        let position: Position = position.parse().unwrap();
        let depth: u8 = depth.parse().unwrap();
        let grades = ["", "1", "1", "2", "3", "3", "4", "5"];
        assert_eq!(grade, grades[usize::from(depth)], "{line}");
        assert!((6..=15).contains(&position.seeds()), "{line}");
        assert!(known.insert(position), "{line}");
        *of_sort.entry((theme, grade)).or_insert(0) += 1;
        let moves = RULES.moves(&position);
        assert!(moves.len() > 1, "{line}");
        let is_right = |play: &&Move| play.house.letter(granero::Side::South).to_string() == letter;
        let right = moves.iter().find(is_right).unwrap();
        if Tables::sample().max_seeds() >= Some(position.seeds()) {
            check(theme, &position, right, value.parse().unwrap(), depth);
            in_sample += 1;
        }
        // A plain search that is deep enough prefers the right move, with or without tables.
        if depth <= Difficulty::DEEPEST {
            let choice = plain.choose(&position, depth, || false).unwrap().unwrap();
            assert_eq!(choice.play, *right, "{line}");
        }
    }
    assert!(in_sample > 250, "{in_sample}");
    assert_eq!(of_sort.len(), 20);
    assert!(of_sort.values().all(|&count| count == 50), "{of_sort:?}");
}
