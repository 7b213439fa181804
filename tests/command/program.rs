//! The program that the tests run.

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::command::{code, stderr};

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

/// Runs a command with an input.
pub(crate) fn with_input(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that fails early may not read it.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Parses the JSON document of a command that has succeeded.
pub(crate) fn document(output: &Output) -> Value {
    assert_eq!(code(output), 0, "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}
