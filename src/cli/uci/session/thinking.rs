//! The lines that an engine receives, also while it thinks; the end of a search, and the moment of its answer.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use super::go::{Go, Hold};
use crate::uci::{lines, within};

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
}

/// A running search, and the lines that arrive while it runs.
pub(super) struct Thinking<'a, W> {
    go: &'a Go,
    input: &'a mut Input,
    output: &'a mut W,
    /// The end of the time; `None` while the clock does not run.
    deadline: Option<Instant>,
    /// The event that the answer still has to wait for.
    hold: Hold,
    /// The number of positions looked at.
    positions: u64,
    /// True if the time is up or the search was told to stop.
    over: bool,
    /// True if the input has ended.
    at_end: bool,
    written: io::Result<()>,
}

/// The number of positions between two looks at the clock. They are quick, unless a table is on a slow disk.
const LOOK_EVERY: u64 = 8;

/// The longest search after the end of the input: enough for a script that asks and does not wait, but not endless
/// for a board that is gone.
const LONGEST_AT_END: Duration = Duration::from_secs(60);

impl<'a, W: Write> Thinking<'a, W> {
    /// Starts the clock.
    pub(super) fn begin(go: &'a Go, input: &'a mut Input, output: &'a mut W) -> Self {
        Thinking {
            go,
            input,
            output,
            deadline: match go.hold {
                Hold::Ponder => None,
                Hold::None | Hold::Infinite => go.time.map(within),
            },
            hold: go.hold,
            positions: 0,
            over: false,
            at_end: false,
            written: Ok(()),
        }
    }

    /// Returns true if the search has to end. Call it at each position.
    pub(super) fn must_end(&mut self) -> bool {
        self.positions += 1;
        if self.positions.is_multiple_of(LOOK_EVERY) {
            self.listen(false);
            let is_late = |deadline| Instant::now() >= deadline;
            self.over |= self.deadline.is_some_and(is_late);
        }
        let many = |most| self.positions >= most;
        self.over || self.go.positions.is_some_and(many)
    }

    /// Waits until the answer may be given.
    pub(super) fn wait(mut self) -> io::Result<()> {
        while self.hold != Hold::None {
            self.listen(true);
        }
        self.written
    }

    fn listen(&mut self, done: bool) {
        if self.over && !done || self.at_end {
            return;
        }
        if let Err(error) = self.hear(done) {
            self.written = Err(error);
            self.end();
        }
    }

    /// Handles at most one line, so that a flood of lines does not keep the search from its clock. Answers `isready` at
    /// once, and keeps lines that are not about this search. If the search is done and waits, this waits for a line.
    fn hear(&mut self, done: bool) -> io::Result<()> {
        // A search that is held ends only when told to.
        let is_held = self.hold != Hold::None;
        let input = &mut *self.input;
        if input.seen == input.kept.len() {
            let line = if input.kept.len() >= MOST_KEPT {
                // The search has to end to make room.
                self.end();
                return Ok(());
            } else if done {
                input.lines.recv().map_err(TryRecvError::from)
            } else {
                input.lines.try_recv()
            };
            match line {
                Ok(line) => input.kept.push_back(line),
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => {
                    self.at_end = true;
                    let latest = within(LONGEST_AT_END);
                    match self.deadline {
                        // No program is left to end the search or to wait for it.
                        _ if is_held => self.end(),
                        Some(deadline) if deadline > latest => self.end(),
                        Some(_) => {}
                        None => self.deadline = Some(latest),
                    }
                    return Ok(());
                }
            }
        }
        // A script may have sent everything at once and mean a later search. But a search that is held would then
        // never end.
        let mut earlier = input.kept.iter().take(input.seen);
        let about_this = is_held || !earlier.any(|line| command(line) == "go");
        let place = input.seen;
        match command(&input.kept[place]) {
            "isready" => {
                writeln!(self.output, "readyok")?;
                self.output.flush()?;
            }
            "stop" if about_this => self.end(),
            "ponderhit" if about_this && self.hold == Hold::Ponder => {
                self.hold = Hold::None;
                self.deadline = self.go.time.map(within);
            }
            "ponderhit" if about_this => {}
            // Kept, so that it also ends the session.
            "quit" if about_this => {
                self.end();
                return Ok(());
            }
            "stop" | "ponderhit" | "quit" | "uci" | "setoption" | "position" | "go" => {
                input.seen += 1;
                return Ok(());
            }
            // Other lines have no effect.
            _ => {}
        }
        self.input.kept.remove(place);
        Ok(())
    }

    /// Ends the search, and lets its answer be given.
    fn end(&mut self) {
        self.over = true;
        self.hold = Hold::None;
    }
}

/// Returns the first word of a line.
fn command(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}
