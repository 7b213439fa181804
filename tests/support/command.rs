//! The command as a process, its output, and checks that show it where they fail.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

/// Starts a command with pipes for its input, output and errors.
pub fn piped(command: &mut Command) -> Child {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs a command with an input.
pub fn with_input(command: &mut Command, input: &[u8]) -> Output {
    let mut child = piped(command);
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // A command that fails early may not read it.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// Sends a signal to a command.
pub fn signal(child: &Child, name: &str) {
    let number = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &number]).status();
    assert!(sent.unwrap().success());
}

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
