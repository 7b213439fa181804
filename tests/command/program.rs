//! The program that the tests run.

use std::env;
#[cfg(target_os = "linux")]
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output};

use serde_json::Value;

use crate::support::command::{success, with_input};

/// Returns the path in the environment variable `GRANERO`, so that an optimised program can do
/// larger builds; otherwise the program that cargo has built for these tests.
pub(crate) fn path() -> String {
    env::var("GRANERO").unwrap_or_else(|_| env!("CARGO_BIN_EXE_granero").to_string())
}

pub(crate) fn command() -> Command {
    Command::new(path())
}

/// Runs it with the tables in a directory.
pub(crate) fn granero(arguments: &[&str], db: &Path) -> Output {
    let mut command = command();
    command.args(arguments).arg("--db").arg(db);
    command.output().unwrap()
}

/// Runs it in an empty directory, so that it asks the sample: abapa, up to 8 seeds.
pub(crate) fn with_sample(arguments: &[&str], input: &[u8]) -> Output {
    let place = tempfile::tempdir().unwrap();
    with_input(command().args(arguments).current_dir(&place), input)
}

/// Returns what it prints with the tables in a directory.
#[track_caller]
pub(crate) fn printed(arguments: &[&str], db: &Path) -> String {
    success(&granero(arguments, db)).to_string()
}

/// Returns the JSON document that it prints with the tables in a directory.
#[track_caller]
pub(crate) fn json(arguments: &[&str], db: &Path) -> Value {
    document(&granero(arguments, db))
}

/// Writes to the input of a command, which stays open.
pub(crate) fn say(child: &mut Child, text: &str) {
    let input = child.stdin.as_mut().unwrap();
    input.write_all(text.as_bytes()).unwrap();
}

/// Waits for the next byte that a command prints.
#[cfg(target_os = "linux")]
pub(crate) fn next_byte(child: &mut Child) -> u8 {
    let mut byte = [0];
    let output = child.stdout.as_mut().unwrap();
    output.read_exact(&mut byte).unwrap();
    byte[0]
}

/// Parses the JSON document of a command that has succeeded.
#[track_caller]
pub(crate) fn document(output: &Output) -> Value {
    serde_json::from_str(success(output)).unwrap()
}
