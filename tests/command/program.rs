//! The program that the tests run.

use std::env;
use std::process::Command;

/// Returns the path in the environment variable `GRANERO`, so that an optimised program can do
/// larger builds; otherwise the program that cargo has built for these tests.
pub(crate) fn path() -> String {
    env::var("GRANERO").unwrap_or_else(|_| env!("CARGO_BIN_EXE_granero").to_string())
}

pub(crate) fn command() -> Command {
    Command::new(path())
}
