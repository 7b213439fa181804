//! Progress of a build.

use std::sync::atomic::{AtomicU64, Ordering};

use granero::build::{BuiltLayer, Watch};
use granero::index::Layer;
use granero::solver::Progress;
use granero::table::Checkpoint;

use crate::causes::with_causes;
use crate::meter::Meter;
use crate::options::{duration, grouped};

/// Shows the progress of a build.
pub(super) struct Building {
    meter: Meter,
    /// Positions of layers that are finished.
    finished: AtomicU64,
}

impl Building {
    pub(super) fn new(meter: Meter) -> Building {
        Building {
            meter,
            finished: AtomicU64::new(0),
        }
    }

    fn begin(&self, layer: Layer, what: &str) {
        self.meter.begin(format!("{} seeds: {what}", layer.seeds()));
    }
}

/// What the solver does, for people.
fn what(progress: Progress) -> String {
    match progress {
        Progress::Captures(captured) => format!("looks up captures of {captured}"),
        Progress::Threshold(value) => format!("settles +{value} and -{value}"),
    }
}

impl Watch for Building {
    fn layer_is_read(&self, layer: Layer) {
        self.begin(layer, &format!("reads {} positions", grouped(layer.len())));
    }

    fn layer_begins(&self, layer: Layer) {
        self.begin(layer, "begins");
    }

    fn layer_goes_on(&self, layer: Layer, progress: Progress) {
        let parts = progress.thousandths(layer);
        let positions = (u128::from(layer.len()) * u128::from(parts) / 1000) as u64;
        self.begin(layer, &what(progress));
        self.meter
            .reach(self.finished.load(Ordering::Relaxed) + positions);
    }

    fn checkpoint(&self, layer: Layer, checkpoint: Checkpoint) {
        let seeds = layer.seeds();
        let note = match checkpoint {
            Checkpoint::Resumed => format!("{seeds} seeds: goes on from the checkpoint"),
            Checkpoint::Refused(error) => {
                let error = with_causes(&error);
                format!("{seeds} seeds: begins anew, because the checkpoint is of no use: {error}")
            }
            Checkpoint::NotWritten(error) => {
                let error = with_causes(&error);
                format!("{seeds} seeds: goes on without a checkpoint: {error}")
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
