//! `granero query`: one position, several, and batches of them; and what is asked when
//! nothing has been built.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Output};

use granero::{Measured, Tables};

use crate::program;
use crate::support::command::{code, piped, stderr, stdout, with_input};
use crate::support::random::positions;

/// Runs the command in an empty directory, so that it asks the sample: abapa, up to 8 seeds.
fn start<S: AsRef<OsStr>>(arguments: &[S], directory: &Path) -> Child {
    piped(program::command().args(arguments).current_dir(directory))
}

fn granero<S: AsRef<OsStr>>(arguments: &[S], input: &[u8]) -> Output {
    let place = tempfile::tempdir().unwrap();
    let mut command = program::command();
    with_input(command.args(arguments).current_dir(place.path()), input)
}

fn batch(format: &str, input: &[u8]) -> Output {
    let arguments = ["query", "--batch", "-", "--format", format];
    granero(&arguments, input)
}

const NOTE: &str = "note: no tables in granero-db; using the sample of this program: \
                    abapa, up to 8 seeds. More: granero build\n";

#[test]
fn values_of_a_batch_in_their_order() {
    // Several chunks of a megabyte.
    let positions = positions(100_000, 9, 1);
    let lines: String = positions
        .iter()
        .map(|position| format!("{position}\n"))
        .collect();
    assert!(lines.len() > 2 << 20);
    let values = Tables::sample().values(&positions).unwrap();
    let expected: String = positions
        .iter()
        .zip(values)
        .map(|(position, value)| {
            // Beyond the tables, but all moves may be within.
            let value = value
                .map(Measured::low)
                .or(Tables::sample().assess(position).unwrap().exact());
            let value = value.map_or("-".into(), |value| value.seeds().to_string());
            format!("{position}\t{value}\n")
        })
        .collect();
    let output = batch("tsv", lines.as_bytes());
    assert_eq!(code(&output), 0);
    assert_eq!(stderr(&output), NOTE);
    assert!(stdout(&output) == expected, "the values differ");
    // From a file, and without the end of the last line.
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("positions");
    fs::write(&file, lines.trim_end()).unwrap();
    let arguments = [
        "query",
        "--format",
        "tsv",
        "--batch",
        file.to_str().unwrap(),
    ];
    assert!(granero(&arguments, b"").stdout == output.stdout);
}

/// A typed position is answered before the next one.
#[test]
fn answers_come_line_by_line() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["query", "--batch", "-", "--format", "tsv"];
    let mut child = start(&arguments, place.path());
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for (line, expected) in [
        ("0 0 0 0 0 1 2 0 0 0 0 0\n", "0 0 0 0 0 1 2 0 0 0 0 0\t-3\n"),
        ("0 0 0 0 0 0 0 0 0 0 0 0\n", "0 0 0 0 0 0 0 0 0 0 0 0\t0\n"),
    ] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, expected);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
