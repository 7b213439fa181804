//! The process of an engine: lines to it and from it, with a limit on every wait.

use std::io::{self, Write};
use std::process::{ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use granero::notation::quote;

use super::Answer;
use super::EngineCommand;
use super::kill_switch::KillSwitch;
use crate::uci::lines;

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
        let (input, output, errors) = kill_switch.start(command, |process| {
            process.stdin(Stdio::piped()).stdout(Stdio::piped());
            if !show_stderr {
                process.stderr(Stdio::piped());
            }
        })?;
        Ok(Process {
            kill_switch: kill_switch.clone(),
            input: writer(input)?,
            lines: lines::of(output)?,
            last_words: errors.map(lines::last_of).transpose()?,
        })
    }

    /// Sends a line, without waiting for it to be read. Fails with the answer of an engine that does not read its input.
    pub(super) fn send(&self, line: impl Into<String>) -> Result<(), Answer> {
        match self.input.try_send(line.into()) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Answer::Timeout),
            // Its input is closed. Its output will show if it has ended.
            Err(TrySendError::Disconnected(_)) => Ok(()),
        }
    }

    /// Waits for a line for which `interest` returns something; skips other lines. Fails with the answer of an engine
    /// that can no longer be used.
    pub(super) fn wait_for<T>(
        &self,
        deadline: Instant,
        interest: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Answer> {
        loop {
            // Checked here, because lines may come faster than they can be read.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Answer::Timeout);
            }
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(found) = interest(&line) {
                        return Ok(found);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(Answer::Timeout),
                Err(RecvTimeoutError::Disconnected) => {
                    let how = how_it_ended(self.kill_switch.end());
                    // A process that it has left behind may still write to its stderr.
                    let words = self.last_words.as_ref();
                    let words = words.and_then(|words| words.recv_timeout(LAST_WORDS).ok());
                    return Err(Answer::Ended(match words.unwrap_or_default() {
                        words if words.is_empty() => how,
                        words => format!("{how}, after writing {}", quote(&words)),
                    }));
                }
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_switch.end();
    }
}

/// Starts a thread that writes lines, so that no other thread waits for them to be read.
fn writer(mut input: ChildStdin) -> io::Result<SyncSender<String>> {
    let (sender, lines) = sync_channel::<String>(UNREAD);
    thread::Builder::new().spawn(move || {
        for line in lines {
            if writeln!(input, "{line}")
                .and_then(|()| input.flush())
                .is_err()
            {
                break;
            }
        }
    })?;
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
