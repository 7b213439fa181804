//! Progress of a build.

use std::sync::atomic::{AtomicU64, Ordering};

use granero::build::{BuiltLayer, Watch};
use granero::index::Layer;
use granero::solver::Progress;
use granero::table::Checkpoint;
use granero::{Cycles, Extent, TableError};

use crate::output::meter::Meter;
use granero_answer::{duration, grouped, with_causes};

pub(super) struct Building {
    meter: Meter,
    cycles: Cycles,
    extent: Extent,
    /// Positions of layers that were begun. A layer may be written while the next one is solved.
    begun: AtomicU64,
    /// Positions of layers that are finished.
    finished: AtomicU64,
}

impl Building {
    pub(super) fn new(meter: Meter, cycles: Cycles, extent: Extent) -> Building {
        Building {
            meter,
            cycles,
            extent,
            begun: AtomicU64::new(0),
            finished: AtomicU64::new(0),
        }
    }

    fn begin(&self, layer: Layer, what: &str) {
        self.meter.begin(format!("{} seeds: {what}", layer.seeds()));
    }
}

/// Describes the current step of the solver.
fn what(cycles: Cycles, progress: Progress) -> String {
    match (progress, cycles) {
        (Progress::Captures(captured), _) => format!("looks up captures of {captured}"),
        (Progress::CapturesOfBand(done, bands), _) => {
            format!("looks up captures of band {} of {bands}", done + 1)
        }
        (
            Progress::Sweep {
                sweep,
                changes,
                positions,
                ..
            },
            _,
        ) => {
            let share = 100.0 * changes as f64 / positions as f64;
            format!("sweep {sweep}, {share:.1} % of positions changed")
        }
        (Progress::Threshold(value), Cycles::Split) => format!("settles +{value} and -{value}"),
        (Progress::Threshold(1), Cycles::OwnSide) => "settles the last threshold of bounds".into(),
        (Progress::Threshold(left), Cycles::OwnSide) => {
            format!("settles bounds, {left} thresholds to go")
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
        let limit = self.extent.limit(self.cycles, layer.seeds());
        let parts = progress.thousandths(layer, limit);
        let positions = (u128::from(layer.len()) * u128::from(parts) / 1000) as u64;
        self.begin(layer, &what(self.cycles, progress));
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
        let text = what(Cycles::Split, sweep(14));
        assert_eq!(text, "sweep 14, 0.3 % of positions changed");
        assert_eq!(
            [5, 20, 21].map(|at| sweep(at).thousandths(layer, 12)),
            [300, 900, 900]
        );
    }

    #[test]
    fn thresholds_are_counted_from_the_limit_of_the_layer() {
        let limit = Extent::DECIDING.limit(Cycles::Split, 40);
        assert_eq!(limit, 9);
        let layer = |seeds| Layer::new(seeds).unwrap();
        assert_eq!(Progress::Captures(18).thousandths(layer(40), limit), 100);
        assert_eq!(
            Progress::Threshold(limit).thousandths(layer(40), limit),
            100
        );
        assert_eq!(Progress::Threshold(1).thousandths(layer(40), limit), 811);
        assert_eq!(Progress::Threshold(6).thousandths(layer(12), 12), 500);
        // A layer without seeds has no threshold.
        assert_eq!(Progress::Threshold(0).thousandths(layer(0), 0), 100);
        let bounds = |left| what(Cycles::OwnSide, Progress::Threshold(left));
        assert_eq!(bounds(5), "settles bounds, 5 thresholds to go");
        assert_eq!(
            what(Cycles::Split, Progress::Threshold(5)),
            "settles +5 and -5"
        );
    }
}
