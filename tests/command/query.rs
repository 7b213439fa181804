//! `granero query`: one position, several, and batches of them; and what is asked when
//! nothing has been built.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use granero::{Measured, Tables};

use crate::program::{self, with_sample};
use crate::support::command::{piped, stderr, success};
use crate::support::random::positions;

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
    let batch = ["query", "--format", "tsv", "--batch"];
    let output = with_sample(&[&batch[..], &["-"]].concat(), lines.as_bytes());
    assert!(success(&output) == expected, "the values differ");
    assert_eq!(stderr(&output), NOTE);
    // From a file, and without the end of the last line.
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("positions");
    fs::write(&file, lines.trim_end()).unwrap();
    let from_file = with_sample(&[&batch[..], &[file.to_str().unwrap()]].concat(), b"");
    assert!(from_file.stdout == output.stdout);
}

/// A typed position is answered before the next one.
#[test]
fn answers_come_line_by_line() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["query", "--batch", "-", "--format", "tsv"];
    let mut query = program::command();
    let mut child = piped(query.args(arguments).current_dir(&place));
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
