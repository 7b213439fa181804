//! The lines that an engine receives, also while it thinks.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, TryRecvError};

use crate::uci::lines;

/// The lines of the input, some of which were read during a search.
pub(super) struct Input {
    lines: Receiver<String>,
    /// Lines that were read and not yet handled.
    kept: VecDeque<String>,
    /// The number of kept lines that the current search has seen.
    seen: usize,
}

/// The most lines that are kept during a search. This many end it.
const MOST_KEPT: usize = 1000;

/// A message for a running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Nothing,
    /// The search has to stop.
    Stop,
    /// The expected move was played.
    PonderHit,
    /// The input has ended.
    End,
}

impl Input {
    pub(super) fn new(input: impl Read + Send + 'static) -> io::Result<Input> {
        Ok(Input {
            lines: lines::of(input)?,
            kept: VecDeque::new(),
            seen: 0,
        })
    }

    /// Returns the next line when no search is running; `None` at the end.
    pub(super) fn next(&mut self) -> Option<String> {
        self.seen = 0;
        self.kept.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Listens during a search. Handles at most one line, so that a flood of lines does not keep the search from
    /// its clock. Answers `isready` at once, and keeps lines that are not about this search.
    ///
    /// A search is `held` if it ends only when told to. If it is `done` and waits for that, this waits for a line.
    pub(super) fn listen(
        &mut self,
        held: bool,
        done: bool,
        output: &mut impl Write,
    ) -> io::Result<Heard> {
        if self.seen == self.kept.len() {
            // The search has to end to make room.
            if self.kept.len() >= MOST_KEPT {
                return Ok(Heard::Stop);
            }
            let line = if done {
                self.lines.recv().map_err(TryRecvError::from)
            } else {
                self.lines.try_recv()
            };
            match line {
                Ok(line) => self.kept.push_back(line),
                Err(TryRecvError::Empty) => return Ok(Heard::Nothing),
                Err(TryRecvError::Disconnected) => return Ok(Heard::End),
            }
        }
        // A script may have sent everything at once and mean a later search. But a search that is held would then
        // never end.
        let earlier = self.kept.iter().take(self.seen);
        let about_this = held || !earlier.into_iter().any(|line| command(line) == "go");
        let heard = match command(&self.kept[self.seen]) {
            "isready" => {
                writeln!(output, "readyok")?;
                output.flush()?;
                Heard::Nothing
            }
            "stop" if about_this => Heard::Stop,
            "ponderhit" if about_this => Heard::PonderHit,
            // Kept, so that it also ends the session.
            "quit" if about_this => return Ok(Heard::Stop),
            "stop" | "ponderhit" | "quit" | "uci" | "setoption" | "position" | "go" => {
                self.seen += 1;
                return Ok(Heard::Nothing);
            }
            // Other lines have no effect.
            _ => Heard::Nothing,
        };
        self.kept.remove(self.seen);
        Ok(heard)
    }
}

/// Returns the first word of a line.
fn command(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}
