//! The end of a search for a move, and the moment of its answer.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::go::{Go, Hold};
use super::input::{Heard, Input};
use crate::uci::within;

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
        let held = self.hold != Hold::None;
        match self.input.listen(held, done, self.output) {
            Ok(Heard::Nothing) => {}
            Ok(Heard::Stop) => self.end(),
            Ok(Heard::PonderHit) if self.hold == Hold::Ponder => {
                self.hold = Hold::None;
                self.deadline = self.go.time.map(within);
            }
            Ok(Heard::PonderHit) => {}
            Ok(Heard::End) => {
                self.at_end = true;
                let latest = within(LONGEST_AT_END);
                match self.deadline {
                    // No program is left to end the search or to wait for it.
                    _ if held => self.end(),
                    Some(deadline) if deadline > latest => self.end(),
                    Some(_) => {}
                    None => self.deadline = Some(latest),
                }
            }
            Err(error) => {
                self.written = Err(error);
                self.end();
            }
        }
    }

    /// Ends the search, and lets its answer be given.
    fn end(&mut self) {
        self.over = true;
        self.hold = Hold::None;
    }
}
