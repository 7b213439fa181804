//! Progress of a build.

use std::sync::atomic::{AtomicU64, Ordering};

use granero::TableError;
use granero::build::{BuiltLayer, Watch};
use granero::index::Layer;
use granero::solver::Progress;
use granero::table::Checkpoint;

use crate::output::meter::Meter;
use granero_answer::{duration, grouped, with_causes};

pub(super) struct Building {
    meter: Meter,
    /// Positions of layers that were begun. A layer may be written while the next one is solved.
    begun: AtomicU64,
    /// Positions of layers that are finished.
    finished: AtomicU64,
}

impl Building {
    pub(super) fn new(meter: Meter) -> Building {
        Building {
            meter,
            begun: AtomicU64::new(0),
            finished: AtomicU64::new(0),
        }
    }

    fn begin(&self, layer: Layer, what: &str) {
        self.meter.begin(format!("{} seeds: {what}", layer.seeds()));
    }
}

/// Describes the current step of the solver.
fn what(progress: Progress) -> String {
    match progress {
        Progress::Captures(captured) => format!("looks up captures of {captured}"),
        Progress::CapturesOfPart(done, parts) => {
            format!("looks up captures, part {} of {parts}", done + 1)
        }
        Progress::Sweep {
            sweep,
            changes,
            positions,
            ..
        } => {
            let share = 100.0 * changes as f64 / positions as f64;
            format!("sweep {sweep}, {share:.1} % of positions changed")
        }
    }
}

impl Watch for Building {
    fn layer_is_checked(&self, layer: Layer) {
        self.begin(layer, "checks the file");
    }

    fn layer_is_lost(&self, layer: Layer, lost: &TableError) {
        let error = with_causes(lost);
        self.meter.expect(layer.len());
        let seeds = layer.seeds();
        self.meter
            .note(&format!("{seeds} seeds: solving the layer again: {error}"));
    }

    fn layer_is_read(&self, layer: Layer) {
        self.begin(layer, &format!("reads {} positions", grouped(layer.len())));
    }

    fn layer_begins(&self, layer: Layer) {
        self.begun.fetch_add(layer.len(), Ordering::Relaxed);
        self.begin(layer, "begins");
    }

    fn layer_goes_on(&self, layer: Layer, progress: Progress) {
        let parts = progress.thousandths(layer);
        let positions = (u128::from(layer.len()) * u128::from(parts) / 1000) as u64;
        self.begin(layer, &what(progress));
        let before = self.begun.load(Ordering::Relaxed) - layer.len();
        self.meter.reach(before + positions);
    }

    fn checkpoint(&self, layer: Layer, checkpoint: Checkpoint) {
        let seeds = layer.seeds();
        let note = match checkpoint {
            Checkpoint::Resumed => format!("{seeds} seeds: resuming from the checkpoint"),
            Checkpoint::Refused(error) => {
                let error = with_causes(&error);
                format!("{seeds} seeds: restarting: the checkpoint cannot be used: {error}")
            }
            Checkpoint::NotWritten(error) => {
                let error = with_causes(&error);
                format!("{seeds} seeds: continuing without a checkpoint: {error}")
            }
            _ => return,
        };
        self.meter.note(&note);
    }

    fn layer_is_solved(&self, layer: Layer) {
        self.begin(layer, &format!("writes {} positions", grouped(layer.len())));
    }

    fn layer_is_finished(&self, built: &BuiltLayer) {
        let positions = built.statistics.positions;
        let finished = self.finished.fetch_add(positions, Ordering::Relaxed) + positions;
        let time = built.total;
        let what = format!(
            "{} seeds: {} positions in {}",
            built.statistics.seeds,
            grouped(positions),
            duration(time)
        );
        self.meter.end_part(finished, what, time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_say_how_much_has_changed() {
        let layer = Layer::new(12).unwrap();
        let sweep = |sweep| Progress::Sweep {
            sweep,
            about: 20,
            changes: 31,
            positions: 10_000,
        };
        let text = what(sweep(14));
        assert_eq!(text, "sweep 14, 0.3 % of positions changed");
        assert_eq!(
            [5, 20, 21].map(|at| sweep(at).thousandths(layer)),
            [300, 900, 900]
        );
    }
}
