//! `granero find`: positions of a layer that satisfy a condition.

use crate::program;
use crate::support::command::{shows, stdout, success};

/// Returns the answer from the sample.
fn find(arguments: &[&str]) -> std::process::Output {
    let place = tempfile::tempdir().unwrap();
    let mut command = program::command();
    command.arg("find").args(arguments);
    command.current_dir(place.path()).output().unwrap()
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
