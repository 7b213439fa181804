//! What the command did.

// `pub` marks what the tests use, although a module of a test is seen by nobody else.
#![allow(unreachable_pub)]

use std::process::Output;

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("not ended by a signal")
}

pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}
