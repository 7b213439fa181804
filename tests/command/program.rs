//! The program that the tests run.

use std::env;
use std::process::Command;

/// Its path: what the environment variable `GRANERO` says, so that larger builds can be left to an
/// optimised program; or else the one that cargo has built for these tests.
pub(crate) fn path() -> String {
    env::var("GRANERO").unwrap_or_else(|_| env!("CARGO_BIN_EXE_granero").to_string())
}

pub(crate) fn command() -> Command {
    Command::new(path())
}
