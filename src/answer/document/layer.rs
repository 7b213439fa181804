//! Layers of finished tables.

use std::time::Duration;

use granero::Measured;
use granero::table::{Distribution, FinishedLayer, LayerStatistics, Sha256};
use serde::Serialize;

use super::parts::Fields;
use crate::object;

pub fn bits_per_position(bytes: u64, positions: u64) -> f64 {
    bytes as f64 * 8.0 / positions as f64
}

/// The numbers of positions won, drawn and lost however an endless cycle is decided.
pub(super) fn outcomes(statistics: &LayerStatistics) -> impl Serialize + use<> {
    object! {
        wins: statistics.wins(),
        draws: statistics.draws,
        losses: statistics.losses(),
    }
}

/// The numbers of positions won, drawn and lost by the values, or by one of the bounds alone.
pub(super) fn outcomes_by(values: &Distribution) -> impl Serialize + use<> {
    object! {
        wins: values.count(|seeds| seeds > 0),
        draws: values.count(|seeds| seeds == 0),
        losses: values.count(|seeds| seeds < 0),
    }
}

/// The statistics of the high bounds, in `build` and `stats`; `None` if positions have values.
pub(super) fn high(statistics: &LayerStatistics) -> Option<impl Serialize> {
    match &statistics.values {
        Measured::Value(_) => None,
        Measured::Bounds { high, .. } => Some(object! {
            sha256: high.sha256,
            histogram: &high.histogram,
            gaps: &statistics.gaps,
            draws: statistics.draws,
        }),
    }
}

/// The hashes of all values, or of all bounds, as `sha256` and `high_sha256`.
pub(super) fn hashes(statistics: &LayerStatistics) -> Fields<Sha256> {
    let hashes = statistics.values.as_ref().map(|values| values.sha256);
    Fields::named("sha256", ["sha256", "high_sha256"], hashes)
}

/// A layer as `build` summarises it. `times` are the times for the whole layer and for solving it, if it was
/// built in this run.
pub fn built_layer(layer: &FinishedLayer, times: Option<[Duration; 2]>) -> impl Serialize {
    let statistics = &layer.statistics;
    let low = statistics.values.as_ref().low();
    let seconds = times.map(|[total, _]| total.as_secs_f64());
    object! {
        seeds: statistics.seeds,
        positions: statistics.positions,
        seconds: seconds,
        solving_seconds: times.map(|[_, solving]| solving.as_secs_f64()),
        positions_per_second: seconds.map(|seconds| statistics.positions as f64 / seconds),
        bytes: layer.file.bytes,
        ..outcomes: outcomes(statistics),
        histogram: &low.histogram,
        sha256: low.sha256,
        high?: high(statistics),
    }
}

/// A layer as `info` shows it.
pub fn held_layer(layer: &FinishedLayer) -> impl Serialize {
    let statistics = &layer.statistics;
    object! {
        seeds: statistics.seeds,
        positions: statistics.positions,
        bytes: layer.file.bytes,
        bits_per_position: bits_per_position(layer.file.bytes, statistics.positions),
        ..outcomes: outcomes(statistics),
        ..hashes: hashes(statistics),
        file: &layer.file.name,
        file_sha256: layer.file.sha256,
    }
}
