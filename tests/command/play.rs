//! `granero play`: games with given moves, wrong input, and games that are interrupted.

use std::path::Path;

use granero::Game;

use crate::program::{self, with_input};
#[cfg(target_os = "linux")]
use crate::program::{next_byte, piped, say, signal};
use crate::support::command::{code, shows, stderr, stdout, success};

/// Five moves of one side can be made here, and only one is right.
const START: &str = "0 1 0 2 0 1 / 0 2 0 1 1 0";

/// Plays with given lines.
fn play(arguments: &[&str], lines: &str, directory: &Path) -> std::process::Output {
    let mut command = program::command();
    command.arg("play").args(arguments).current_dir(directory);
    with_input(&mut command, lines.as_bytes())
}

/// Returns the record in an output.
fn record(output: &str) -> Game {
    let (_, record) = output.rsplit_once("[Variant ").unwrap();
    let record = record.split("\nThe record is in").next().unwrap();
    format!("[Variant {record}").parse().unwrap()
}

#[test]
fn games_are_played_to_the_end_and_judged() {
    let place = tempfile::tempdir().unwrap();
    // Letters that are no legal move are refused.
    let lines = "A\nb\nC\nd\nE\nf\n".repeat(60);
    for (side, level) in [("south", "8"), ("north", "8"), ("north", "1")] {
        let arguments = ["--side", side, "--level", level, "--seed", "3", START];
        let output = play(&arguments, &lines, place.path());
        let text = success(&output);
        shows(text, "\nThe game is over. ");
        shows(text, "worst move");
        let game = record(text);
        assert!(game.tag("Result").is_some_and(|result| result != "*"));
        let name = format!("granero level {level}");
        let granero = if side == "south" { "North" } else { "South" };
        assert_eq!(game.tag(granero), Some(&*name));
        let judged = text.lines().rev().find(|line| line.starts_with(granero));
        let gave_away = judged.unwrap().split_whitespace().nth(3);
        assert_eq!(gave_away == Some("0"), level == "8", "{text}");
        let (played, _) = text.split_once(": You").unwrap();
        let longest = played.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(80), "{text}");
        // The same seed leads to the same game.
        assert_eq!(stdout(&play(&arguments, &lines, place.path())), text);
    }
}

#[test]
fn puzzles_are_asked_for_and_counted() {
    let place = tempfile::tempdir().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/puzzles.tsv");
    let arguments = ["--puzzles", file, "--seed", "1"];
    // All moves of a puzzle are tried in turn, so some answers are right and some wrong.
    let text = play(
        &arguments,
        &"x\nA\nB\nC\nD\nE\nF\n".repeat(20),
        place.path(),
    );
    let text = success(&text);
    let count = |part: &str| text.matches(part).count();
    assert_eq!(count(" of 10, grade "), 10);
    assert_eq!(count("\nRight.\n") + count("\nWrong: "), 10);
    let solved = format!("\nSolved: {} of 10.\n", count("\nRight.\n"));
    assert!(text.ends_with(&solved), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_game_that_is_interrupted_is_printed() {
    let place = tempfile::tempdir().unwrap();
    let mut play = program::command();
    play.args(["play", "--side", "north", "--seed", "1"]);
    let mut child = piped(play.current_dir(place.path()));
    say(&mut child, "a\n");
    let mut text = String::new();
    while text.matches("your move: ").count() < 2 {
        text.push(next_byte(&mut child).into());
    }
    signal(&child, "INT");
    // The input stays open.
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    assert_eq!(record(stdout(&output)).moves.len(), 3);
}
