//! The output of the command.

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
