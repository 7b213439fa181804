//! Proofs beyond the tables, as the verbs print them: never a wrong bound, and a clear answer to
//! every limit.

use std::fs;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Child;
use std::process::Output;

use granero::index::Layer;
use granero::{Cycles, Measured, Position, Ruleset, Tables, Value};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::program;
#[cfg(target_os = "linux")]
use crate::program::{next_byte, say};
use crate::support::command::{code, shows, stderr, stdout, with_input};
#[cfg(target_os = "linux")]
use crate::support::command::{piped, signal};
use crate::support::tables;

fn granero(arguments: &[&str], directory: &Path, input: &str) -> Output {
    let mut command = program::command();
    with_input(
        command.args(arguments).current_dir(directory),
        input.as_bytes(),
    )
}

fn built(cycles: Cycles, seeds: u8) -> TempDir {
    tables::build_kind((Ruleset::Abapa, cycles), seeds)
}

/// A position that takes more than a moment.
const HARD: &str = "2 1 3 1 0 1 1 1 0 3 2 1";

/// Positions with one to three seeds more than the tables have; truth comes from larger tables.
fn positions(seeds: u8, count: u64) -> Vec<Position> {
    let layers = (seeds + 1..=seeds + 3).map(|seeds| Layer::new(seeds).unwrap());
    let positions = layers.flat_map(|layer| {
        let step = layer.len() / count;
        (0..count).map(move |number| layer.position(number * step).unwrap())
    });
    positions.collect()
}

fn seeds(json: &Json) -> i64 {
    json.as_i64().unwrap()
}

/// Returns true if a range holds the true value.
fn holds(range: &Json, worth: Measured<Value>) -> bool {
    let [low, high] = [worth.low(), worth.high()].map(|value| i64::from(value.seeds()));
    seeds(&range["low"]) <= low && high <= seeds(&range["high"])
}

/// Returns true if the exact worth, if there is one, is the true one.
fn is_exact(document: &Json, worth: Measured<Value>) -> bool {
    worth.iter().all(|(measure, value)| {
        let said = &document[measure.name()];
        said.is_null() || *said == value.seeds()
    })
}

#[test]
fn nothing_that_is_proven_is_wrong() {
    for cycles in Cycles::ALL {
        let place = built(cycles, 5);
        let truth = Tables::sample_of(cycles);
        let positions = positions(5, 70);
        let lines: String = positions
            .iter()
            .map(|position| format!("{position}\n"))
            .collect();
        let mut exact = [0, 0];
        for (number, nodes) in ["20", "3000"].into_iter().enumerate() {
            let ask = |format| {
                let batch = ["query", "--batch", "-", "--db", ".", "--format", format];
                let more = ["--prove-positions", nodes];
                let output = granero(&[&batch[..], &more].concat(), place.path(), &lines);
                assert_eq!(code(&output), 0, "{}", stderr(&output));
                stdout(&output).to_string()
            };
            let (documents, rows) = (ask("json"), ask("tsv"));
            assert_eq!(documents.lines().count(), positions.len());
            let answers = documents.lines().zip(rows.lines());
            for (position, (document, row)) in positions.iter().zip(answers) {
                let document: Json = serde_json::from_str(document).unwrap();
                let assessment = truth.assess(position).unwrap();
                let worth = assessment.worth.unwrap();
                let said = format!("{cycles}, {position}: {worth}, but {document}");
                assert!(is_exact(&document, worth), "{said}");
                let name = if cycles == Cycles::Split {
                    "value"
                } else {
                    "low"
                };
                let known = !document[name].is_null();
                assert_eq!(document["reason"].is_string(), !known, "{said}");
                let cells: Vec<&str> = row.split('\t').skip(1).collect();
                if known {
                    exact[number] += 1;
                    assert_eq!(cells[0], document[name].to_string(), "{row}, {said}");
                }
                let proven = &document["proven"];
                if proven.is_null() {
                    // The tables hold all of its moves.
                    assert!(known, "{said}");
                    continue;
                }
                assert!(holds(proven, worth), "{said}");
                let meet = proven["low"] == proven["high"];
                assert_eq!(known, meet, "{said}");
                if !meet {
                    let trivial = seeds(&proven["high"]) - seeds(&proven["low"])
                        == 2 * i64::from(position.seeds());
                    let range = if trivial {
                        "-".to_string()
                    } else {
                        format!("{}..{}", proven["low"], proven["high"])
                    };
                    assert!(cells.iter().all(|cell| **cell == range), "{row}, {said}");
                }
                let moves = document["moves"].as_array().unwrap();
                assert_eq!(moves.len(), assessment.moves.len());
                for found in moves {
                    let house = found["house"].as_str().unwrap();
                    let is_it = |assessed: &&granero::AssessedMove| {
                        assessed.play.house.to_string() == house
                    };
                    let assessed = assessment.moves.iter().find(is_it).unwrap();
                    let worth = assessed.worth.unwrap();
                    assert!(holds(&found["proven"], worth), "{house}, {said}");
                    assert!(is_exact(found, worth), "{house}, {said}");
                    assert!(found["best"] == false || assessed.best, "{house}, {said}");
                }
            }
        }
        // More effort proves more, and less effort does not prove everything.
        assert!(0 < exact[0] && exact[0] < exact[1], "{cycles}: {exact:?}");
    }
}

/// Waits until a process handles Ctrl-C itself.
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
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

/// Runs a command, and interrupts it once it handles signals.
#[cfg(target_os = "linux")]
fn interrupted(arguments: &[&str], directory: &Path) -> Output {
    let mut command = program::command();
    command.args(arguments).current_dir(directory);
    let child = piped(&mut command);
    wait_for_handler(&child);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    output
}

#[cfg(target_os = "linux")]
#[test]
fn a_search_that_is_stopped_prints_what_is_proven() {
    let place = tempfile::tempdir().unwrap();
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    for format in ["text", "json"] {
        let output = interrupted(
            &["query", start, HARD, "--prove", "1h", "--format", format],
            place.path(),
        );
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

#[cfg(target_os = "linux")]
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

#[cfg(target_os = "linux")]
#[test]
fn a_game_is_judged_by_what_is_proven_when_it_is_stopped() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("game"), "FfBeBc").unwrap();
    let output = interrupted(&["judge", "game", "--prove", "1h", "--json"], place.path());
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    for judged in document["moves"].as_array().unwrap() {
        assert_eq!(judged["search"]["ended"], "stopped");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_that_is_stopped_says_so() {
    let place = tempfile::tempdir().unwrap();
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    for (position, moves) in [("0-0-0-0-0-1-4-4-4-8-6-3-9-9-S", 1), (start, 0)] {
        let output = interrupted(&["line", position, "--prove", "1h"], place.path());
        let text = stdout(&output);
        assert_eq!(text.matches("\n  1. F ").count(), moves, "{text}");
        shows(text, "\nThe line stops here: the search was stopped. ");
    }
}
