//! `granero find`: positions of a layer that satisfy a condition.

use crate::program;
use crate::support::command::{shows, stdout, success, tells};

/// Returns the answer from the sample.
fn find(arguments: &[&str]) -> std::process::Output {
    let place = tempfile::tempdir().unwrap();
    let mut command = program::command();
    command.arg("find").args(arguments);
    command.current_dir(place.path()).output().unwrap()
}

#[test]
fn positions_are_counted_listed_and_drawn() {
    let count = find(&["--layer", "8", "--value", "8", "--count"]);
    shows(success(&count), "\n19,712 positions of 75,582: ");

    let first = find(&[
        "--layer", "8", "--value", "8", "--show", "3", "--format", "tsv",
    ]);
    let lines: Vec<&str> = stdout(&first).lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.ends_with("\t8")), "{lines:?}");

    let drawn = |seed: &str| {
        let arguments = [
            "--layer", "8", "--value", "8", "--random", "3", "--json", "--seed", seed,
        ];
        let document = program::document(&find(&arguments));
        assert_eq!(document["found"], 19_712);
        assert_eq!(document["positions"], 75_582);
        let examples = document["examples"].as_array().unwrap();
        assert_eq!(examples.len(), 3);
        assert!(
            examples
                .iter()
                .all(|found| found["value"] == 8 && found["best"].is_array())
        );
        document["examples"].clone()
    };
    assert_eq!(drawn("1"), drawn("1"));
    assert_ne!(drawn("1"), drawn("2"));
}

#[test]
fn those_with_the_most_come_first() {
    for (what, layer, all) in [
        ("value", "6", 12_376),
        ("stake", "6", 12_376),
        ("distance", "6", 12_376),
    ] {
        let output = find(&["--layer", layer, "--most", what, "--show", "20", "--json"]);
        let document = program::document(&output);
        assert_eq!(document["found"], all);
        let examples = document["examples"].as_array().unwrap();
        let sizes: Vec<i64> = examples
            .iter()
            .map(|found| found[what].as_i64().unwrap())
            .collect();
        assert_eq!(sizes.len(), 20);
        assert!(
            sizes.is_sorted_by(|one, next| one >= next) && sizes[0] >= 6,
            "{sizes:?}"
        );
    }
}

#[test]
fn difficulties_are_found_and_shown() {
    let find = |more: &[&str]| find(&[&["--layer", "5"], more].concat());
    let counted = |range: &str| {
        let output = find(&["--difficulty", range, "--show", "10000", "--json"]);
        let document = program::document(&output);
        for found in document["examples"].as_array().unwrap() {
            let difficulty = &found["difficulty"];
            assert_eq!(difficulty["easy_to_miss"], range == "4..");
            let best = found["best"].as_array().unwrap().len();
            assert_eq!(difficulty["keeping"], best);
            assert_eq!(difficulty["trap"] == 0, range == "0");
        }
        document["found"].as_u64().unwrap()
    };
    let (none, seen, missed) = (counted("0"), counted("1..3"), counted("4.."));
    // Where the game is over, there is no difficulty.
    let playable = program::document(&find(&["--moves", "1..", "--json"]));
    assert_eq!(playable["found"], none + seen + missed);
    assert!(missed > 0, "{none}, {seen}, {missed}");
    let text = find(&["--difficulty", "4..", "--show", "1"]);
    shows(success(&text), ", easy to miss\n");
    tells(&find(&["--difficulty", "8"]), 2, "from 0 to 7");
    let bounds = find(&["--difficulty", "4", "--cycles", "own-side"]);
    tells(&bounds, 3, "the tables hold bounds");
}

/// The page is right about its examples.
#[test]
fn the_examples_of_the_page_are_found() {
    let page = include_str!("../../src/serve/web/examples.js");
    for (example, conditions) in [
        ("tempting", "--only-winning --stake 6"),
        ("harvest", "--only-winning --value 8 --stake 12"),
        ("feed", "--moves 1 --value 2"),
    ] {
        shows(page, &format!("`{conditions}`"));
        let (_, text) = page
            .split_once(&format!("\"example.{example}\": \""))
            .unwrap();
        let houses: Vec<&str> = text.split('-').take(12).collect();
        let arguments = "--layer 8 --format tsv --show 10000".split(' ');
        let arguments: Vec<&str> = arguments.chain(conditions.split(' ')).collect();
        let found = find(&arguments);
        let line = format!("{}\t", houses.join(" "));
        assert!(
            stdout(&found).lines().any(|found| found.starts_with(&line)),
            "{example}"
        );
    }
}

#[test]
fn what_cannot_be_found() {
    for (arguments, message) in [
        (&["--layer", "9"][..], "the tables reach up to 8 seeds"),
        (&["--layer", "8", "--value", "x"], "a range is"),
        (
            &["--layer", "8", "--moves", "..-1"],
            "a number of moves from 0 to 6",
        ),
        (&["--layer", "8", "--best-moves", "7.."], "from 0 to 6"),
        (
            &["--layer", "8", "--stake", "-1"],
            "a number of seeds from 0 to 96",
        ),
        (
            &["--layer", "8", "--gap", "2.."],
            "--gap needs tables of bounds",
        ),
        (
            &["--layer", "8", "--count", "--show", "3"],
            "cannot be used with",
        ),
    ] {
        tells(&find(arguments), 2, message);
    }
    let none = find(&["--layer", "2", "--value", "48"]);
    shows(success(&none), "0 positions of 78");
}
