//! What people see while a build goes on: bars on a terminal, lines elsewhere.

use std::fmt;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use granero::build::{BuiltLayer, Watch};
use granero::index::Layer;
use granero::solver::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::options::{duration, grouped};

/// How often a line is written, at most, where there is no terminal.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(10);

/// Writes a line to stderr. Whether anybody reads it makes no difference to the build.
pub(super) fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Shows how far a build is.
pub(super) enum Show {
    /// Nothing.
    Quiet,
    /// Two bars: all layers, and the present one.
    Bars {
        /// Counts positions.
        all: ProgressBar,
        /// Counts steps.
        layer: ProgressBar,
    },
    /// Lines on stderr.
    Lines {
        /// All positions of the build.
        positions: u64,
        state: Mutex<Lines>,
    },
}

/// What has been said in lines.
pub(super) struct Lines {
    begin: Instant,
    said: Instant,
    done: u64,
}

impl Show {
    /// For layers with so many positions together.
    pub(super) fn new(positions: u64, quiet: bool, terminal: bool) -> Show {
        if quiet {
            return Show::Quiet;
        }
        if !terminal {
            let now = Instant::now();
            let state = Mutex::new(Lines {
                begin: now,
                said: now,
                done: 0,
            });
            return Show::Lines { positions, state };
        }
        let bars = MultiProgress::new();
        let style = |template| {
            ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸ ")
                .with_key(
                    "rate",
                    |state: &ProgressState, text: &mut dyn fmt::Write| {
                        // A bar that cannot be drawn whole is no reason to stop.
                        let _ = write!(text, "{:.1} M/s", state.per_sec() / 1e6);
                    },
                )
        };
        let all = bars.add(ProgressBar::new(positions));
        all.set_style(style(
            "{prefix:12} {bar:30} {human_pos} of {human_len} positions, {rate}, {eta} left",
        ));
        all.set_prefix("all layers");
        let layer = bars.add(ProgressBar::new(1));
        layer.set_style(style(
            "{prefix:12} {bar:30} {percent:>3} %, {rate}, {eta} left: {msg}",
        ));
        all.enable_steady_tick(Duration::from_millis(250));
        Show::Bars { all, layer }
    }

    /// Takes the bars away.
    pub(super) fn clear(&self) {
        if let Show::Bars { all, layer } = self {
            layer.finish_and_clear();
            all.finish_and_clear();
        }
    }
}

/// Of a thousand parts of the work on a layer, those that are done. Looking captures up
/// takes a tenth, settling most of the rest.
fn done(layer: Layer, progress: Progress) -> u64 {
    let seeds = u64::from(layer.seeds().max(1));
    match progress {
        Progress::Captures(captured) => u64::from(captured) * 100 / seeds.min(18),
        Progress::Threshold(value) => 100 + (seeds - u64::from(value)) * 800 / seeds,
    }
}

/// What the solver does, for people.
fn what(progress: Progress) -> String {
    match progress {
        Progress::Captures(captured) => format!("looks up captures of {captured}"),
        Progress::Threshold(value) => format!("settles +{value} and -{value}"),
    }
}

impl Watch for Show {
    fn layer_is_read(&self, layer: Layer) {
        match self {
            Show::Quiet => {}
            Show::Bars { layer: bar, .. } => {
                bar.set_prefix(format!("{} seeds", layer.seeds()));
                bar.set_message(format!("reads {} positions", grouped(layer.len())));
                bar.tick();
            }
            Show::Lines { state, .. } => {
                let Ok(mut state) = state.lock() else { return };
                if state.said.elapsed() >= LINE_EVERY {
                    state.said = Instant::now();
                    say(&format!("{} seeds: reads what is there", layer.seeds()));
                }
            }
        }
    }

    fn layer_begins(&self, layer: Layer) {
        if let Show::Bars { layer: bar, .. } = self {
            bar.reset();
            bar.set_length(layer.len());
            bar.set_prefix(format!("{} seeds", layer.seeds()));
            bar.set_message("begins");
        }
    }

    fn layer_goes_on(&self, layer: Layer, progress: Progress) {
        let parts = done(layer, progress);
        let positions = (u128::from(layer.len()) * u128::from(parts) / 1000) as u64;
        match self {
            Show::Quiet => {}
            Show::Bars { all, layer: bar } => {
                all.inc(positions.saturating_sub(bar.position()));
                bar.set_position(positions);
                bar.set_message(what(progress));
            }
            Show::Lines {
                positions: all,
                state,
            } => {
                let Ok(mut state) = state.lock() else { return };
                if state.said.elapsed() >= LINE_EVERY {
                    state.said = Instant::now();
                    let done = state.done + positions;
                    let what = format!("{} seeds: {}", layer.seeds(), what(progress));
                    say(&line(done, *all, state.begin.elapsed(), &what));
                }
            }
        }
    }

    fn layer_is_solved(&self, layer: Layer) {
        if let Show::Bars { layer: bar, .. } = self {
            bar.set_message(format!("writes {} positions", grouped(layer.len())));
        }
    }

    fn layer_is_finished(&self, built: &BuiltLayer) {
        let positions = built.statistics.positions;
        match self {
            Show::Quiet => {}
            Show::Bars { all, layer: bar } => {
                all.inc(positions.saturating_sub(bar.position()));
                bar.set_position(positions);
            }
            Show::Lines {
                positions: all,
                state,
            } => {
                let Ok(mut state) = state.lock() else { return };
                state.done += positions;
                // Small layers come by the dozen.
                if state.said.elapsed() < LINE_EVERY && built.total < LINE_EVERY {
                    return;
                }
                state.said = Instant::now();
                let what = format!(
                    "{} seeds: {} positions in {}",
                    built.statistics.seeds,
                    grouped(positions),
                    duration(built.total)
                );
                say(&line(state.done, *all, state.begin.elapsed(), &what));
            }
        }
    }
}

/// A line of progress.
pub(super) fn line(done: u64, all: u64, time: Duration, what: &str) -> String {
    let rate = done as f64 / time.as_secs_f64();
    let percent = done as f64 / all as f64 * 100.0;
    let left = match all - done.min(all) {
        0 => String::new(),
        left => {
            let left = Duration::try_from_secs_f64(left as f64 / rate).unwrap_or_default();
            format!(", about {} left", duration(left))
        }
    };
    format!("{percent:3.0} %, {}: {what}{left}", per_second(rate))
}

/// A rate: millions, or few where somebody else has to think about each.
fn per_second(rate: f64) -> String {
    if rate < 1e5 {
        format!("{rate:.1}/s")
    } else {
        format!("{:.1} M/s", rate / 1e6)
    }
}
