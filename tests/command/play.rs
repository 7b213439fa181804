//! `granero play`: a game that is interrupted.

use granero::Game;

use crate::program::{self, next_byte, say};
use crate::support::command::{code, piped, signal, stderr, stdout};

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
    let (_, record) = stdout(&output).rsplit_once("[Variant ").unwrap();
    let game: Game = format!("[Variant {record}").parse().unwrap();
    assert_eq!(game.moves.len(), 3);
}
