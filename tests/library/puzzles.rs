//! The puzzles in `data/`: each has one right move by both conventions for endless play, and is of its theme and grade.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use granero::player::{Difficulty, Player};
use granero::{Cycles, Move, Position, Ruleset, Tables};

const RULES: Ruleset = Ruleset::Abapa;

/// Checks a puzzle within the sample by the words of its theme, for both conventions for endless play.
fn check(theme: &str, position: &Position, right: &Move, value: i8, depth: u8) {
    let best = i32::from(value);
    for cycles in [Cycles::Split, Cycles::OwnSide] {
        let tables = Tables::sample_of(cycles);
        let value = |position: &Position| {
            let value = tables.value(position).unwrap().unwrap();
            (
                i32::from(value.low().seeds()),
                i32::from(value.high().seeds()),
            )
        };
        // The most that a move can be worth.
        let after = |play: &Move| {
            assert_eq!(play.conceded, 0);
            let (low, high) = value(&play.position);
            let [least, most] = [high, low].map(|end| i32::from(play.captured) - end);
            let is_whole = least % 2 == 0 && most % 2 == 0;
            assert!(is_whole, "{position}: half a seed");
            most
        };
        assert_eq!(value(position), (best, best), "{position}");
        assert_eq!(after(right), best, "{position}");
        let others = RULES.moves(position);
        let others = others.iter().filter(|play| play.house != right.house);
        let most = others.map(after).max().unwrap();
        assert!(most < best, "{position}");
        let is_of_theme = match theme {
            "win" => best > 0 && most <= 0,
            "sacrifice" => {
                let mut replies = RULES.moves(&right.position).into_iter();
                best > 0 && most <= 0 && replies.any(|reply| reply.captured > right.captured)
            }
            "zugzwang" => {
                best < 0 && (cycles == Cycles::OwnSide || value(&position.turned()).1 <= 0)
            }
            "draw" => best == 0,
            _ => false,
        };
        assert!(is_of_theme, "{theme}: {position}");
    }
    let difficulty = Difficulty::of(Tables::sample(), position).unwrap().unwrap();
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
        assert!((6..=14).contains(&position.seeds()), "{line}");
        // So both have the same number of seeds in their stores, and share the rest in whole seeds.
        assert!(position.seeds().is_multiple_of(2), "{line}");
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
