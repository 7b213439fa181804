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
        Meter::counting("{human_pos} of {human_len} positions", positions)
    }

    /// For so many bytes instead.
    pub(super) fn of_bytes(bytes: u64) -> Meter {
        Meter::counting("{bytes} of {total_bytes}, {bytes_per_sec}", bytes)
    }

    fn counting(counts: &str, all: u64) -> Meter {
        let show = if std::io::stderr().is_terminal() {
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
