//! The process of an engine: lines to it and from it, with a limit on every wait, and the switch that ends it.

use std::io::{self, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use granero::notation::quote;
use process_wrap::std::{ChildWrapper, CommandWrap};

use super::{EngineCommand, Fault, FaultKind};
use crate::uci::lines;

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

    /// Starts an engine in place of the one held before.
    fn start(
        &self,
        engine: &EngineCommand,
        show_stderr: bool,
    ) -> io::Result<(ChildStdin, ChildStdout, Option<ChildStderr>)> {
        // Locked until the child is held, so that a pull cannot miss it.
        let mut held = self.held();
        held.end();
        if held.pulled {
            return Err(io::Error::other("no more engines may be started"));
        }
        let mut command = Command::new(&engine.program);
        command.args(&engine.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if !show_stderr {
            command.stderr(Stdio::piped());
        }
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

    fn held(&self) -> MutexGuard<'_, Held> {
        // The process has to end even after a panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Ends the process, if there is one, and says how it ended.
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

/// The number of lines that an engine may leave unread, beyond those in its pipe.
const UNREAD: usize = 16;

/// The time for the last words of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The process of an engine. It ends with this value at the latest.
#[derive(Debug)]
pub(super) struct Process {
    kill_switch: KillSwitch,
    input: SyncSender<String>,
    lines: Receiver<String>,
    /// The last line that it writes to stderr, unless the user sees all.
    last_words: Option<Receiver<String>>,
}

impl Process {
    pub(super) fn start(
        command: &EngineCommand,
        kill_switch: &KillSwitch,
        show_stderr: bool,
    ) -> io::Result<Process> {
        let (input, output, errors) = kill_switch.start(command, show_stderr)?;
        Ok(Process {
            kill_switch: kill_switch.clone(),
            input: writer(input)?,
            lines: lines::of(output)?,
            last_words: errors.map(lines::last_of).transpose()?,
        })
    }

    /// Sends a line, without waiting for it to be read. Fails if the engine does not read its input.
    pub(super) fn send(&self, line: impl Into<String>) -> Result<(), Fault> {
        match self.input.try_send(line.into()) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Fault::timeout()),
            // Its input is closed. Its output will show if it has ended.
            Err(TrySendError::Disconnected(_)) => Ok(()),
        }
    }

    /// Waits for a line for which `interest` returns something; skips other lines. Fails if the engine can no
    /// longer be used.
    pub(super) fn wait_for<T>(
        &self,
        deadline: Instant,
        interest: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        loop {
            // Checked here, because lines may come faster than they can be read.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::timeout());
            }
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(found) = interest(&line) {
                        return Ok(found);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(Fault::timeout()),
                Err(RecvTimeoutError::Disconnected) => {
                    let how = how_it_ended(self.kill_switch.held().end());
                    // A process that it has left behind may still write to its stderr.
                    let words = self.last_words.as_ref();
                    let words = words.and_then(|words| words.recv_timeout(LAST_WORDS).ok());
                    let what = match words.unwrap_or_default() {
                        words if words.is_empty() => how,
                        words => format!("{how}, after writing {}", quote(&words)),
                    };
                    return Err(Fault::new(FaultKind::Ended, what));
                }
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_switch.held().end();
    }
}

/// Starts a thread that writes lines, so that no other thread waits for them to be read.
fn writer(mut input: ChildStdin) -> io::Result<SyncSender<String>> {
    let (sender, lines) = sync_channel::<String>(UNREAD);
    let write = move || {
        let mut lines = lines.into_iter();
        lines.try_for_each(|line| writeln!(input, "{line}").and_then(|()| input.flush()))
    };
    thread::Builder::new().spawn(write)?;
    Ok(sender)
}

/// Describes the end of a process whose output has ended. If it was still running then, it was killed, and its
/// status tells nothing.
fn how_it_ended(status: Option<ExitStatus>) -> String {
    #[cfg(unix)]
    let status = status.filter(|status| {
        use std::os::unix::process::ExitStatusExt;
        status.signal() != Some(9)
    });
    let how = status.map(|status| status.to_string());
    how.unwrap_or("it closed its output or was killed".into())
}
