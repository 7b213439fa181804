//! The command as a process, its output, and checks that show it where they fail.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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

/// Waits until a condition holds.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(300);
    while !is_so() {
        assert!(Instant::now() < end, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The most memory that a command has used so far, in bytes, where the system tells it.
pub fn peak_memory(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
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
