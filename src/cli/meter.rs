//! How far a verb is that goes through many positions: a bar on a terminal, lines
//! elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::progress::{self, LINE_EVERY};

/// How far a verb is, in positions. A bar goes away when this is dropped.
pub(super) struct Meter {
    positions: u64,
    done: u64,
    what: String,
    begin: Instant,
    show: Show,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines { said: Instant },
}

impl Meter {
    /// For so many positions altogether.
    pub(super) fn new(positions: u64) -> Meter {
        let show = if std::io::stderr().is_terminal() {
            Show::Bar(bar(positions))
        } else {
            Show::Lines {
                said: Instant::now(),
            }
        };
        Meter::showing(show, positions)
    }

    /// The same without showing anything, for a terminal on which the output stands.
    pub(super) fn hidden(positions: u64) -> Meter {
        Meter::showing(Show::Nothing, positions)
    }

    fn showing(show: Show, positions: u64) -> Meter {
        Meter {
            positions,
            done: 0,
            what: String::new(),
            begin: Instant::now(),
            show,
        }
    }

    /// Says what is being done now.
    pub(super) fn begin(&mut self, what: impl Into<String>) {
        self.what = what.into();
        if let Show::Bar(bar) = &self.show {
            bar.set_message(self.what.clone());
        }
    }

    /// So many more positions are done.
    pub(super) fn add(&mut self, positions: u64) {
        self.done += positions;
        match &mut self.show {
            Show::Nothing => {}
            Show::Bar(bar) => bar.set_position(self.done),
            Show::Lines { said } => {
                if said.elapsed() >= LINE_EVERY {
                    *said = Instant::now();
                    let time = self.begin.elapsed();
                    progress::say(&progress::line(self.done, self.positions, time, &self.what));
                }
            }
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }
}

fn bar(positions: u64) -> ProgressBar {
    let template = "{bar:30} {human_pos} of {human_len} positions, {eta} left: {msg}";
    let style = ProgressStyle::with_template(template);
    let bar = ProgressBar::new(positions);
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ "),
    );
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
