//! How far a verb is that goes through many positions: a bar on a terminal, lines
//! elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::progress::{self, LINE_EVERY};

/// How long something takes before there is a bar where most often none is needed.
const PATIENCE: Duration = Duration::from_secs(2);

/// How the bytes of a bar are told.
const BYTES: &str = "{bytes} of {total_bytes}, {bytes_per_sec}";

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
    /// A bar, once it has taken a while.
    BarLater,
    Bar(ProgressBar),
    Lines {
        said: Instant,
    },
}

impl Meter {
    /// For so many positions altogether.
    pub(super) fn new(positions: u64) -> Meter {
        Meter::counting("{human_pos} of {human_len} positions", positions)
    }

    /// For so many bytes instead.
    pub(super) fn of_bytes(bytes: u64) -> Meter {
        Meter::counting(BYTES, bytes)
    }

    /// For the bytes of a file that most often is read in a moment: a bar on a terminal, if
    /// it takes longer and the output is not there, too.
    pub(super) fn of_input(bytes: u64) -> Meter {
        let has_terminal = io::stderr().is_terminal() && !io::stdout().is_terminal();
        let show = if has_terminal {
            Show::BarLater
        } else {
            Show::Nothing
        };
        Meter::showing(show, bytes)
    }

    fn counting(counts: &str, all: u64) -> Meter {
        let show = if io::stderr().is_terminal() {
            Show::Bar(bar(counts, all))
        } else {
            Show::Lines {
                said: Instant::now(),
            }
        };
        Meter::showing(show, all)
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
            Show::BarLater => {
                let time = self.begin.elapsed();
                if time >= PATIENCE {
                    let bar = bar(BYTES, self.positions).with_elapsed(time);
                    bar.set_message(self.what.clone());
                    bar.set_position(self.done);
                    self.show = Show::Bar(bar);
                }
            }
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

/// A bar; `counts` is the part of its template that says how many of how many.
fn bar(counts: &str, all: u64) -> ProgressBar {
    let template = format!("{{bar:30}} {counts}, {{eta}} left: {{msg}}");
    let style = ProgressStyle::with_template(&template);
    let bar = ProgressBar::new(all);
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ "),
    );
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_waits_until_there_is_need_of_it() {
        let mut meter = Meter::showing(Show::BarLater, 1000);
        meter.add(10);
        assert!(matches!(meter.show, Show::BarLater));
        meter.begin -= PATIENCE;
        meter.add(20);
        let Show::Bar(bar) = &meter.show else {
            panic!("there is no bar")
        };
        assert_eq!((bar.position(), bar.length()), (30, Some(1000)));
    }
}
