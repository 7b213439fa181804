//! The process of an engine, and the switch that ends it.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::EngineCommand;

/// Holds the process of an engine, for the code that talks to it and for code that may have to end it, as when
/// the user stops the program. Clones hold the same process.
///
/// The engine gets a process group of its own, or on Windows a job, which ends as a whole.
#[derive(Clone, Debug, Default)]
pub struct KillSwitch {
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    child: Option<Box<dyn ChildWrapper>>,
    pulled: bool,
}

impl KillSwitch {
    /// Ends the engine, if there is one, and prevents further starts.
    pub fn pull(&self) {
        let mut held = self.held();
        held.pulled = true;
        held.end();
    }

    /// Returns true if the switch was pulled, so that the engine did not end by itself.
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
        let mut command = Command::new(&engine.program);
        set_up(command.args(&engine.arguments));
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        let child = held.child.insert(command.spawn()?);
        match (child.stdin().take(), child.stdout().take()) {
            (Some(input), Some(output)) => Ok((input, output, child.stderr().take())),
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
    fn end(&mut self) -> Option<ExitStatus> {
        let mut child = self.child.take()?;
        // Fails only if all have ended.
        let _ = child.start_kill();
        child.wait().ok()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.end();
    }
}
