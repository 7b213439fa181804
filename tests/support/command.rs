//! The output of the command, and checks that show it where they fail.

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

/// Returns what a command has printed that has succeeded.
#[track_caller]
pub fn success(output: &Output) -> &str {
    assert_eq!(code(output), 0, "{}", stderr(output));
    stdout(output)
}

/// Checks the exit code, and that the errors and notes have this part.
#[track_caller]
pub fn tells(output: &Output, expected: i32, part: &str) {
    assert_eq!(code(output), expected, "{}", stderr(output));
    shows(stderr(output), part);
}

#[track_caller]
pub fn shows(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in {text}");
}
