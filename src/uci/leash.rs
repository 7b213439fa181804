//! What holds the process of an engine, so that it ends when it must.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Holds the process of an engine, for the one who talks to it and for whoever may have to
/// end it from elsewhere, as when the user stops the program. Its clones hold the same.
///
/// Where the system has process groups, the engine has one of its own, and with the engine
/// ends everything that it has started.
///
/// ```
/// use granero::uci::Leash;
///
/// let leash = Leash::default();
/// let in_a_signal_handler = leash.clone();
/// in_a_signal_handler.pull();
/// ```
#[derive(Clone, Debug, Default)]
pub struct Leash {
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    child: Option<Child>,
    pulled: bool,
}

impl Leash {
    /// Ends the engine, if there is one, and lets none be started any more.
    ///
    /// ```
    /// # use granero::uci::Leash;
    /// Leash::default().pull();
    /// ```
    pub fn pull(&self) {
        let mut held = self.held();
        held.pulled = true;
        held.end();
    }

    /// Whether somebody has pulled: then the engine did not end by itself.
    ///
    /// ```
    /// # use granero::uci::Leash;
    /// let leash = Leash::default();
    /// leash.pull();
    /// assert!(leash.is_pulled());
    /// ```
    pub fn is_pulled(&self) -> bool {
        self.held().pulled
    }

    /// Starts a process, in place of the one that was held before.
    pub(super) fn start(&self, mut command: Command) -> io::Result<(ChildStdin, ChildStdout)> {
        // Locked until the child is held: nobody who pulls can miss it.
        let mut held = self.held();
        held.end();
        if held.pulled {
            return Err(io::Error::other("no engine may be started any more"));
        }
        in_its_own_group(&mut command);
        let child = held.child.insert(command.spawn()?);
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok((input, output)),
            _ => Err(io::Error::other("its input and output are no pipes")),
        }
    }

    /// Ends the process, if there is one, and says how it ended.
    pub(super) fn end(&self) -> Option<ExitStatus> {
        self.held().end()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // A process must be ended also by a program that has panicked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn end(&mut self) -> Option<ExitStatus> {
        let mut child = self.child.take()?;
        // Before it is waited for, as then its number, that of the group, may be another's.
        kill_group(&child);
        // Fails only where it has ended.
        let _ = child.kill();
        child.wait().ok()
    }
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
    // Fails only where all have ended.
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}

#[cfg(not(unix))]
fn in_its_own_group(_: &mut Command) {}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}
