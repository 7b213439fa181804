//! Tables that become unreadable while in use: a bad sector, and a file that is
//! cut off. Every verb ends with a message and a code, never by a signal.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::program;
use crate::support::command::{code, piped, shows, signal, stderr, success, with_input};
use crate::support::tables;

/// The layer that fails, and the place: behind the model, before most blocks.
const FILE: &str = "layer-08.granero";
const PLACE: u64 = 8192;

/// Positions of this layer, with blocks at the end of the file.
const POSITION: &str = "0 0 0 0 2 4 0 1 0 1 0 0";
const SITUATION: &str = "0-0-0-0-2-4-0-1-0-1-0-0-20-20-S";

/// Tables, and the same values in the layout of the Awari database.
static TABLES: LazyLock<TempDir> = LazyLock::new(|| {
    let place = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        let words = arguments.split_whitespace();
        let mut command = program::command();
        let output = command.args(words).current_dir(place.path()).output();
        assert!(output.unwrap().status.success(), "{arguments}");
    };
    run("build --quiet --rules awari --seeds 8 --db db");
    fs::create_dir(place.path().join("scores")).unwrap();
    for seeds in 0..=8 {
        run(&format!(
            "export --db db --layer {seeds} --format awari --out scores/scores.{seeds}"
        ));
    }
    fs::write(place.path().join("positions"), POSITION).unwrap();
    fs::write(place.path().join("game"), format!("{SITUATION} F")).unwrap();
    place
});

/// The library that makes a file fail, see shim.c.
static SHIM: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let place = tempfile::tempdir().unwrap();
    let shim = place.path().join("shim.so");
    // Linking Rust needs it anyway.
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&shim)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/command/unreadable/shim.c"
        ))
        .arg("-ldl")
        .status();
    assert!(status.expect("a C compiler").success());
    (place, shim)
});

/// A copy of the tables that can be spoilt.
fn copy() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    tables::copy(TABLES.path(), place.path());
    place
}

/// A command in such a copy, with a file that fails from some place on.
fn failing(arguments: &str, how: &str, place: u64, directory: &Path) -> Command {
    let mut command = program::command();
    command
        .args(words(arguments))
        .current_dir(directory)
        .env("LD_PRELOAD", &SHIM.1)
        .env("GRANERO_FAILS", format!("{how}:{place}:{FILE}"));
    command
}

fn words(text: &str) -> Vec<String> {
    shlex::split(text).expect("quotes that end")
}

fn finish(mut command: Command, input: &str) -> Output {
    with_input(&mut command, input.as_bytes())
}

/// Checks the usual message: the file, the error, and what to do.
fn is_told(output: &Output, what: &str) {
    let text = stderr(output);
    assert_eq!(code(output), 3, "{what}: {text}");
    let expected = format!("error: cannot read db/{FILE}: ");
    let mut messages = text.lines().filter(|line| line.starts_with("error:"));
    let is_first = messages
        .next()
        .is_some_and(|line| line.starts_with(&expected));
    assert!(is_first && text.ends_with('\n'), "{what}: {text}");
    shows(text, "\nhelp: check that");
}

const WHOLE_FILES: [&str; 9] = [
    "info --db db",
    "verify --db db",
    "verify --db db --layer 8",
    "verify --db db --quick",
    "verify --db db --sample 2000 --layer 8",
    "stats --db db --layer 8",
    "export --db db --layer 8 --format csv",
    "verify --db db --awari scores",
    "build --quiet --rules awari --seeds 11 --db db",
];

#[test]
fn whatever_reads_whole_files_ends_with_an_error() {
    for arguments in WHOLE_FILES {
        for how in ["io", "cut"] {
            let copy = copy();
            // `info` reads nothing else from a file.
            let place = if arguments.starts_with("info") {
                0
            } else {
                PLACE
            };
            let output = finish(failing(arguments, how, place, copy.path()), "");
            is_told(&output, &format!("{how}: {arguments}"));
        }
    }
}

/// Arguments and input.
const LOOK_UPS: [(&str, &str); 6] = [
    ("query --db db '0 0 0 0 2 4 0 1 0 1 0 0'", ""),
    ("query --db db --batch -", POSITION),
    ("query --db db --batch positions --json", ""),
    ("line --db db '0 0 0 0 2 4 0 1 0 1 0 0'", ""),
    ("judge --db db game", ""),
    (
        "referee --db db --positions positions --engine 'GRANERO uci --db none'",
        "",
    ),
];

#[test]
fn look_ups_end_with_an_error_whether_files_are_mapped_or_read() {
    for (arguments, input) in LOOK_UPS {
        for how in ["io", "cut"] {
            for read in ["", " --read"] {
                let copy = copy();
                let arguments = arguments.replace("GRANERO", &program::path()) + read;
                let output = finish(failing(&arguments, how, PLACE, copy.path()), input);
                is_told(&output, &format!("{how}: {arguments}"));
            }
        }
    }
}

/// One thread prints the error, and the rest wait for the end.
#[test]
fn threads_that_meet_a_fault_at_the_same_time_end_with_one_message() {
    let copy = copy();
    let layer = granero::index::Layer::new(8).unwrap();
    let positions = layer.positions().skip(10).step_by(20);
    let lines: String = positions.map(|position| format!("{position}\n")).collect();
    fs::write(copy.path().join("many"), lines).unwrap();
    for _ in 0..10 {
        let query = "query --db db --batch many --format tsv";
        let mut command = failing(query, "io", PLACE, copy.path());
        command.env("RAYON_NUM_THREADS", "8");
        let output = finish(command, "");
        is_told(&output, query);
        assert_eq!(stderr(&output).matches("error:").count(), 1);
    }
}

#[test]
fn an_engine_that_reads_plays_on() {
    let game = format!("position fen {SITUATION}\ngo depth 3\nisready\nquit\n");
    for how in ["io", "cut"] {
        let copy = copy();
        let output = finish(failing("uci --db db", how, PLACE, copy.path()), &game);
        is_told(&output, how);
        let copy = self::copy();
        let output = finish(
            failing("uci --db db --read", how, PLACE, copy.path()),
            &game,
        );
        let answer = success(&output);
        shows(answer, &format!("info string cannot read db/{FILE}: "));
        assert!(
            answer.contains("\nbestmove ") && answer.contains("readyok\n"),
            "{answer}"
        );
    }
}

/// Without a preloaded library: the file is cut off between two questions.
fn cut_off_between(arguments: &str, first: &str, second: &str) -> Output {
    let copy = copy();
    let mut command = program::command();
    command.args(words(arguments)).current_dir(copy.path());
    let mut child = piped(&mut command);
    let mut input = child.stdin.take().unwrap();
    input.write_all(first.as_bytes()).unwrap();
    let mut answer = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut answer).unwrap();
    assert!(answer.ends_with('\n'));
    let file = copy.path().join("db").join(FILE);
    let file = File::options().write(true).open(file).unwrap();
    file.set_len(PLACE).unwrap();
    input.write_all(second.as_bytes()).unwrap();
    drop(input);
    let mut rest = child.wait_with_output().unwrap();
    output.read_to_end(&mut rest.stdout).unwrap();
    rest
}

#[test]
fn what_was_answered_before_stays_answered() {
    let batch = "query --db db --format tsv --batch -";
    let output = cut_off_between(batch, "0 0 0 0 0 1 0 1 0 0 0 0\n", POSITION);
    is_told(&output, batch);
}

#[test]
fn other_faults_stay_what_they_are() {
    let mut command = program::command();
    let mut child = piped(command.args(["uci", "--db", "none"]));
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    // The first signal removes our handler, the second one the standard library's.
    for _ in 0..3 {
        input.write_all(b"isready\n").unwrap();
        output.read_line(&mut String::new()).unwrap();
        signal(&child, "BUS");
    }
    drop(input);
    // The number of SIGBUS.
    assert_eq!(child.wait().unwrap().signal(), Some(7));
}
