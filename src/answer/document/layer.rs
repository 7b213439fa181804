//! Layers of finished tables.

use std::time::Duration;

use granero::Measured;
use granero::table::{Distribution, FinishedLayer, LayerStatistics};

use crate::documents;

pub fn bits_per_position(bytes: u64, positions: u64) -> f64 {
    bytes as f64 * 8.0 / positions as f64
}

documents! {
    /// The numbers of positions won, drawn and lost.
    pub(super) struct Outcomes(won: u64, drawn: u64, lost: u64) {
        /// Positions that the player to move certainly wins.
        wins: u64 = won,
        /// Positions that are certainly worth 0.
        draws: u64 = drawn,
        /// Positions that the player to move certainly loses.
        losses: u64 = lost,
    }

    /// The hashes of all values, or of all bounds.
    pub struct Hashes(statistics: &LayerStatistics) {
        let values = statistics.values.as_ref().map(|values| values.sha256);
        /// SHA-256 of all values, as `export --format raw` writes them; with `own-side` of low bounds.
        sha256: String = values.low().to_string(),
        /// With `own-side`: of the high bounds.
        high_sha256?: String = matches!(values, Measured::Bounds { .. }).then(|| values.high().to_string()),
    }

    /// The statistics of the high bounds.
    pub(super) struct HighBounds(high: &Distribution, statistics: &LayerStatistics) {
        sha256: String = high.sha256.to_string(),
        /// Pairs of a high bound and its number of positions.
        histogram: Vec<(i8, u64)> = high.histogram.clone(),
        /// Pairs of a gap between the bounds and its number of positions.
        gaps: Vec<(u8, u64)> = statistics.gaps.clone(),
        draws: u64 = statistics.draws,
    }

    /// A layer as `build` summarises it. `times` are the times for the whole layer and for solving it, if it was built
    /// in this run.
    pub struct BuiltLayer(layer: &FinishedLayer, times: Option<[Duration; 2]>) {
        let statistics = &layer.statistics;
        let low = statistics.values.as_ref().low();
        let time = times.map(|[total, _]| total.as_secs_f64());
        seeds: u8 = statistics.seeds,
        positions: u64 = statistics.positions,
        /// Time for the layer; `null` if it was already there.
        seconds: Option<f64> = time,
        /// Time without writing; `null` likewise.
        solving_seconds: Option<f64> = times.map(|[_, solving]| solving.as_secs_f64()),
        /// By `seconds`; `null` likewise.
        positions_per_second: Option<f64> = time.map(|seconds| statistics.positions as f64 / seconds),
        /// The size of its file.
        bytes: u64 = layer.file.bytes,
        ..outcomes: Outcomes = Outcomes::of(statistics),
        /// Pairs of a value and its number of positions; with `own-side` of low bounds.
        histogram: Vec<(i8, u64)> = low.histogram.clone(),
        /// SHA-256 of all values, as `export --format raw` writes them; with `own-side` of low bounds.
        sha256: String = low.sha256.to_string(),
        /// With `own-side`: the high bounds.
        high?: HighBounds = HighBounds::of(statistics),
    }

    /// A layer as `info` shows it.
    pub struct HeldLayer(layer: &FinishedLayer) {
        let statistics = &layer.statistics;
        seeds: u8 = statistics.seeds,
        positions: u64 = statistics.positions,
        /// The size of its file.
        bytes: u64 = layer.file.bytes,
        bits_per_position: f64 = bits_per_position(layer.file.bytes, statistics.positions),
        ..outcomes: Outcomes = Outcomes::of(statistics),
        ..hashes: Hashes = Hashes::new(statistics),
        /// The name of its file.
        file: String = layer.file.name.clone(),
        /// The SHA-256 of its file.
        file_sha256: String = layer.file.sha256.to_string(),
    }
}

impl Outcomes {
    pub(super) fn of(statistics: &LayerStatistics) -> Outcomes {
        Outcomes::new(statistics.wins(), statistics.draws, statistics.losses())
    }
}

impl HighBounds {
    /// `None` if positions have values.
    pub(super) fn of(statistics: &LayerStatistics) -> Option<HighBounds> {
        match &statistics.values {
            Measured::Value(_) => None,
            Measured::Bounds { high, .. } => Some(HighBounds::new(high, statistics)),
        }
    }
}
