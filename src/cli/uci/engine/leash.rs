//! The leash of an engine's process, so that it ends when it has to.

use std::ffi::OsString;
use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::command::EngineCommand;

/// Holds the process of an engine, for the code that talks to it and for code that may have to end it, as when
/// the user stops the program. Clones hold the same process.
///
/// Where the system has process groups, the engine gets its own, and all processes of the group end with it. On
/// Linux a leash can have a guard (`with_guard`), which also ends processes that have left the group, even if our
/// own process is killed.
#[derive(Clone, Debug, Default)]
pub struct Leash {
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    /// The beginning of the command that starts a guard; empty without a guard.
    guard: Vec<OsString>,
    child: Option<Child>,
    pulled: bool,
}

impl Leash {
    /// Creates a leash whose engines are started by a guard process.
    ///
    /// `guard` is the beginning of its command. The number of our process, the engine and the engine's arguments
    /// are appended, and the program must call [`guard`](super::guard::guard) with these. The thread that starts an
    /// engine must outlive it, because the guard takes its end for the death of our process.
    #[cfg(target_os = "linux")]
    pub(crate) fn with_guard<I>(guard: I) -> Leash
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        let leash = Leash::default();
        leash.held().guard = guard.into_iter().map(Into::into).collect();
        leash
    }

    /// Ends the engine, if there is one, and prevents further starts.
    pub fn pull(&self) {
        let mut held = self.held();
        held.pulled = true;
        held.end();
    }

    /// Returns true if the leash was pulled, so that the engine did not end by itself.
    pub(crate) fn is_pulled(&self) -> bool {
        self.held().pulled
    }

    /// Starts an engine in place of the one held before. `set_up` redirects its input and output.
    pub(super) fn start(
        &self,
        engine: &EngineCommand,
        set_up: impl FnOnce(&mut Command),
    ) -> io::Result<(ChildStdin, ChildStdout, Option<ChildStderr>)> {
        // Locked until the child is held, so that a pull cannot miss it.
        let mut held = self.held();
        held.end();
        if held.pulled {
            return Err(io::Error::other("no more engines may be started"));
        }
        let mut command = held.command(engine);
        set_up(&mut command);
        in_its_own_group(&mut command);
        let child = held.child.insert(command.spawn()?);
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok((input, output, child.stderr.take())),
            _ => Err(io::Error::other("its input and output are not pipes")),
        }
    }

    /// Ends the process, if there is one, and says how it ended.
    pub(super) fn end(&self) -> Option<ExitStatus> {
        self.held().end()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // The process has to end even after a panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Returns the command that starts an engine, through the guard if there is one.
    fn command(&self, engine: &EngineCommand) -> Command {
        let mut command = match self.guard.as_slice() {
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command
                    .args(arguments)
                    .arg(std::process::id().to_string())
                    .arg(&engine.program);
                command
            }
            [] => Command::new(&engine.program),
        };
        command.args(&engine.arguments);
        command
    }

    /// Ends the process, if there is one, and returns its status, unless that takes too long.
    fn end(&mut self) -> Option<ExitStatus> {
        let mut child = self.child.take()?;
        #[cfg(target_os = "linux")]
        if !self.guard.is_empty() && !end_guarded(&child, TIME_TO_END) {
            // The guard is not killed: processes that it has not found yet would escape.
            return None;
        }
        // Before the wait, after which the number of process and group may be reused.
        kill_group(&child);
        // Fails only if the process has ended.
        let _ = child.kill();
        child.wait().ok()
    }
}

/// The time to wait for a guard to end.
#[cfg(target_os = "linux")]
const TIME_TO_END: std::time::Duration = std::time::Duration::from_secs(10);

/// Ends all processes below a guard and waits for the guard to end; returns true if it has. A guard that has not
/// ended in time goes on alone.
#[cfg(target_os = "linux")]
fn end_guarded(guard: &Child, time: std::time::Duration) -> bool {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
    use std::thread;
    use std::time::{Duration, Instant};

    let pid = Pid::from_child(guard);
    let deadline = Instant::now() + time;
    // The guard is not reaped here, so that its number is not reused.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), look), Ok(None)) {
        if Instant::now() >= deadline {
            let _ = kill_process(pid, Signal::TERM);
            return false;
        }
        // Includes processes that were started since the last time.
        super::guard::end_below(pid);
        // The engine may have stopped the guard, as a shell stops a whole group.
        let _ = kill_process(pid, Signal::CONT);
        thread::sleep(Duration::from_millis(1));
    }
    true
}

impl Drop for Held {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn in_its_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(unix)]
fn kill_group(leader: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Fails only if the whole group has ended.
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}

#[cfg(not(unix))]
fn in_its_own_group(_: &mut Command) {}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    use std::time::Duration;

    /// A guard that is still busy gets a signal and is not killed.
    #[test]
    fn a_guard_that_is_not_done_goes_on() {
        // Waits without a child, which would be ended.
        let script = "trap 'echo told' TERM; echo ready; while :; do :; done";
        let mut guard = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(guard.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(!end_guarded(&guard, Duration::from_millis(20)));
        line.clear();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "told\n");
        assert!(guard.try_wait().unwrap().is_none());
        guard.kill().unwrap();
        guard.wait().unwrap();
    }
}
