//! What holds the process of an engine, so that it ends when it must.

use std::ffi::OsString;
use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::command::EngineCommand;

/// Holds the process of an engine, for the code that talks to it and for code that may have to
/// end it, as when the user stops the program. Its clones hold the same.
///
/// Where the system has process groups, the engine has one of its own, and with the engine
/// ends everything that it has started and that has not left the group. On Linux a leash can
/// have a guard (`with_guard`), which also ends what has left the group, even when our
/// own process is killed.
#[derive(Clone, Debug, Default)]
pub struct Leash {
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    /// The beginning of the command of a guard; empty if there is to be none.
    guard: Vec<OsString>,
    child: Option<Child>,
    pulled: bool,
}

impl Leash {
    /// A leash whose engines are started by a guard, a process of its own.
    ///
    /// `guard` is the beginning of the command that starts it. The number of our process, the
    /// engine and its arguments are put behind it, and the program that it names must call
    /// [`guard`](super::guard()) with these. The thread that starts an engine must not end
    /// before the engine does, as the guard takes that for the death of our process.
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

    /// Ends the engine, if there is one, and lets none be started any more.
    pub fn pull(&self) {
        let mut held = self.held();
        held.pulled = true;
        held.end();
    }

    /// Whether the leash was pulled: then the engine did not end by itself.
    pub(crate) fn is_pulled(&self) -> bool {
        self.held().pulled
    }

    /// Starts an engine, in place of the one that was held before. `set_up` says what is to
    /// become of its input and output.
    pub(super) fn start(
        &self,
        engine: &EngineCommand,
        set_up: impl FnOnce(&mut Command),
    ) -> io::Result<(ChildStdin, ChildStdout)> {
        // Locked until the child is held: a pull cannot miss it.
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
            (Some(input), Some(output)) => Ok((input, output)),
            _ => Err(io::Error::other("its input and output are not pipes")),
        }
    }

    /// Ends the process, if there is one, and says how it ended.
    pub(super) fn end(&self) -> Option<ExitStatus> {
        self.held().end()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // A program that has panicked must also end the process.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// The command that starts an engine, if need be by a guard.
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

    /// Ends the process, if there is one, and says how it ended, unless that takes too long.
    fn end(&mut self) -> Option<ExitStatus> {
        let mut child = self.child.take()?;
        #[cfg(target_os = "linux")]
        if !self.guard.is_empty() && !end_guarded(&child, TIME_TO_END) {
            // It is not killed: processes that it has not caught yet would escape.
            return None;
        }
        // Before the wait: after it, its number, that of the group, may be reused.
        kill_group(&child);
        // Fails only if it has ended.
        let _ = child.kill();
        child.wait().ok()
    }
}

/// How long to wait for the end of what a guard guards.
#[cfg(target_os = "linux")]
const TIME_TO_END: std::time::Duration = std::time::Duration::from_secs(10);

/// Ends all that a guard guards, and waits until the guard has ended as the engine did; returns
/// whether it has. A guard that has not ended in time goes on alone.
#[cfg(target_os = "linux")]
fn end_guarded(guard: &Child, time: std::time::Duration) -> bool {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
    use std::thread;
    use std::time::{Duration, Instant};

    let pid = Pid::from_child(guard);
    let deadline = Instant::now() + time;
    // A process that has ended is not reaped, so that its number is not reused.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), look), Ok(None)) {
        if Instant::now() >= deadline {
            let _ = kill_process(pid, Signal::TERM);
            return false;
        }
        // Also what was started since the last time.
        super::guard::end_below(pid);
        // The engine may have stopped it, as a shell does with a whole group.
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
    // Fails only if all have ended.
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

    /// A guard that is still busy is told, and not killed.
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
