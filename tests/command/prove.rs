//! Proofs beyond the tables that are stopped.

use std::fs;
use std::process::{Child, Output};

use serde_json::Value as Json;

use crate::program::{self, next_byte, say};
use crate::support::command::{code, piped, shows, signal, stderr, stdout};

/// A position that takes more than a moment.
const HARD: &str = "2 1 3 1 0 1 1 1 0 3 2 1";

/// Waits until a process handles Ctrl-C itself.
fn wait_for_handler(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        let text = fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        // Bit 1 is signal 2, SIGINT.
        if caught & 2 != 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Waits until a process has worked longer, since this call, than it takes to start or to answer from
/// tables: it has begun to search. Its processor time counts, not the time of the clock.
fn wait_for_work(child: &mut Child) {
    let stat = format!("/proc/{}/stat", child.id());
    // In ticks, a hundred a second: the user time is field 14. Field 2 may have spaces, in brackets.
    let ticks = || -> u64 {
        let text = fs::read_to_string(&stat).unwrap();
        let (_, fields) = text.rsplit_once(") ").unwrap();
        fields.split(' ').nth(11).unwrap().parse().unwrap()
    };
    let start = ticks();
    while ticks() < start + 30 {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Runs a command in an empty directory, and interrupts it once it handles signals.
fn interrupted(arguments: &[&str], input: &str) -> Output {
    let place = tempfile::tempdir().unwrap();
    let mut command = program::command();
    let mut child = piped(command.args(arguments).current_dir(&place));
    say(&mut child, input);
    drop(child.stdin.take());
    wait_for_handler(&child);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    output
}

#[test]
fn a_search_that_is_stopped_prints_what_is_proven() {
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    for format in ["text", "json"] {
        let query = ["query", start, HARD, "--prove", "1h", "--format", format];
        let output = interrupted(&query, "");
        let text = stdout(&output);
        if format == "text" {
            // The second position is answered with the few proofs found at once.
            assert_eq!(text.matches("when it was stopped").count(), 2, "{text}");
        } else {
            for line in text.lines() {
                let document: Json = serde_json::from_str(line).unwrap();
                assert_eq!(document["proven"]["ended"], "stopped");
            }
            assert_eq!(text.lines().count(), 2);
        }
    }
}

#[test]
fn a_batch_that_is_stopped_ends_after_the_lines_in_progress() {
    let place = tempfile::tempdir().unwrap();
    let mut query = program::command();
    query.args(["query", "--batch", "-", "--prove", "1h", "--format", "json"]);
    query.env("RAYON_NUM_THREADS", "1");
    let mut child = piped(query.current_dir(place.path()));
    let settled = "0 0 0 0 0 1 2 0 0 0 0 0";
    say(&mut child, &format!("{settled}\n{HARD}\n{settled}\n"));
    // The answer to the first line comes before the search for the second, which alone takes long.
    next_byte(&mut child);
    wait_for_work(&mut child);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 2, "{text}");
    shows(text, "\"ended\":\"stopped\"");
}

#[test]
fn a_game_is_judged_by_what_is_proven_when_it_is_stopped() {
    let output = interrupted(&["judge", "-", "--prove", "1h", "--json"], "FfBeBc");
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    for judged in document["moves"].as_array().unwrap() {
        assert_eq!(judged["search"]["ended"], "stopped");
    }
}

#[test]
fn a_line_that_is_stopped_says_so() {
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    for (position, moves) in [("0-0-0-0-0-1-4-4-4-8-6-3-9-9-S", 1), (start, 0)] {
        let output = interrupted(&["line", position, "--prove", "1h"], "");
        let text = stdout(&output);
        assert_eq!(text.matches("\n  1. F ").count(), moves, "{text}");
        shows(text, "\nThe line stops here: the search was stopped. ");
    }
}
