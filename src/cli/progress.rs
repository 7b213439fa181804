//! What people see while a build goes on: bars on a terminal, lines elsewhere.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use granero::build::{BuiltLayer, Watch};
use granero::index::Layer;
use granero::solver::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::options::{duration, grouped};

/// How often a line is written, at most, where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

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
        };
        let all = bars.add(ProgressBar::new(positions));
        all.set_style(style(
            "{prefix:12} {bar:30} {human_pos} of {human_len} positions, {per_sec}, {eta} left",
        ));
        all.set_prefix("all layers");
        let layer = bars.add(ProgressBar::new(1));
        layer.set_style(style("{prefix:12} {bar:30} {msg}"));
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

/// The steps of a layer: looking captures up, settling, writing.
fn steps(layer: Layer) -> u64 {
    2 * u64::from(layer.seeds()) + 1
}

impl Watch for Show {
    fn layer_begins(&self, layer: Layer) {
        if let Show::Bars { layer: bar, .. } = self {
            bar.set_length(steps(layer));
            bar.set_position(0);
            bar.set_prefix(format!("{} seeds", layer.seeds()));
            bar.set_message("begins");
        }
    }

    fn layer_goes_on(&self, layer: Layer, progress: Progress) {
        let seeds = u64::from(layer.seeds());
        let (step, what) = match progress {
            Progress::Captures(captured) => (
                u64::from(captured),
                format!("looks up captures of {captured}"),
            ),
            Progress::Threshold(value) => {
                (2 * seeds - u64::from(value), format!("settles {value:+}"))
            }
        };
        match self {
            Show::Quiet => {}
            Show::Bars { layer: bar, .. } => {
                bar.set_position(step);
                bar.set_message(what);
            }
            Show::Lines { positions, state } => {
                let Ok(mut state) = state.lock() else { return };
                if state.said.elapsed() >= LINE_EVERY {
                    state.said = Instant::now();
                    let percent = state.done as f64 / *positions as f64 * 100.0;
                    eprintln!("{percent:.0} %: layer of {seeds} seeds {what}");
                }
            }
        }
    }

    fn layer_is_solved(&self, layer: Layer) {
        if let Show::Bars { layer: bar, .. } = self {
            bar.set_position(steps(layer) - 1);
            bar.set_message("is written");
        }
    }

    fn layer_is_finished(&self, built: &BuiltLayer) {
        let positions = built.statistics.positions;
        match self {
            Show::Quiet => {}
            Show::Bars { all, .. } => all.inc(positions),
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
                let rate = state.done as f64 / state.begin.elapsed().as_secs_f64();
                let left = Duration::from_secs_f64((*all - state.done) as f64 / rate);
                eprintln!(
                    "{:.0} %: {} seeds are solved, {} positions in {}; about {} left",
                    state.done as f64 / *all as f64 * 100.0,
                    built.statistics.seeds,
                    grouped(positions),
                    duration(built.total),
                    duration(left),
                );
            }
        }
    }
}
