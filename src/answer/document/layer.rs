//! Layers of finished tables.

use std::time::Duration;

use granero::Measured;
use granero::table::{Distribution, FinishedLayer, LayerStatistics, Sha256};
use serde::Serialize;

use super::parts::fields::Fields;

pub fn bits_per_position(bytes: u64, positions: u64) -> f64 {
    bytes as f64 * 8.0 / positions as f64
}

/// The numbers of positions won, drawn and lost.
#[derive(Serialize)]
pub(super) struct OutcomesJson {
    wins: u64,
    draws: u64,
    losses: u64,
}

/// Counts the positions with this outcome however an endless cycle is decided.
impl From<&LayerStatistics> for OutcomesJson {
    fn from(statistics: &LayerStatistics) -> OutcomesJson {
        OutcomesJson {
            wins: statistics.wins(),
            draws: statistics.draws,
            losses: statistics.losses(),
        }
    }
}

/// Counts the positions by the values, or by one of the bounds alone.
impl From<&Distribution> for OutcomesJson {
    fn from(values: &Distribution) -> OutcomesJson {
        OutcomesJson {
            wins: values.count(|seeds| seeds > 0),
            draws: values.count(|seeds| seeds == 0),
            losses: values.count(|seeds| seeds < 0),
        }
    }
}

/// The statistics of the high bounds, in `build` and `stats`.
#[derive(Serialize)]
pub(super) struct HighJson<'a> {
    sha256: Sha256,
    histogram: &'a [(i8, u64)],
    gaps: &'a [(u8, u64)],
    draws: u64,
}

impl HighJson<'_> {
    /// `None` if positions have values.
    pub(super) fn of(statistics: &LayerStatistics) -> Option<HighJson<'_>> {
        match &statistics.values {
            Measured::Value(_) => None,
            Measured::Bounds { high, .. } => Some(HighJson {
                sha256: high.sha256,
                histogram: &high.histogram,
                gaps: &statistics.gaps,
                draws: statistics.draws,
            }),
        }
    }
}

/// The hashes of all values, or of all bounds, as `sha256` and `high_sha256`.
pub(super) fn hashes(statistics: &LayerStatistics) -> Fields<Sha256> {
    let hashes = statistics.values.as_ref().map(|values| values.sha256);
    Fields::named("sha256", ["sha256", "high_sha256"], hashes)
}

/// A layer as `build` summarises it.
#[derive(Serialize)]
pub struct BuiltLayerJson<'a> {
    seeds: u8,
    positions: u64,
    seconds: Option<f64>,
    solving_seconds: Option<f64>,
    positions_per_second: Option<f64>,
    bytes: u64,
    #[serde(flatten)]
    outcomes: OutcomesJson,
    histogram: &'a [(i8, u64)],
    sha256: Sha256,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<HighJson<'a>>,
}

impl<'a> BuiltLayerJson<'a> {
    /// `times` are the times for the whole layer and for solving it, if it was built in this run.
    pub fn new(layer: &'a FinishedLayer, times: Option<[Duration; 2]>) -> BuiltLayerJson<'a> {
        let statistics = &layer.statistics;
        let low = statistics.values.as_ref().low();
        let seconds = times.map(|[total, _]| total.as_secs_f64());
        BuiltLayerJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            seconds,
            solving_seconds: times.map(|[_, solving]| solving.as_secs_f64()),
            positions_per_second: seconds.map(|seconds| statistics.positions as f64 / seconds),
            bytes: layer.file.bytes,
            outcomes: OutcomesJson::from(statistics),
            histogram: &low.histogram,
            sha256: low.sha256,
            high: HighJson::of(statistics),
        }
    }
}

/// A layer as `info` shows it.
#[derive(Serialize)]
pub struct HeldLayerJson<'a> {
    seeds: u8,
    positions: u64,
    bytes: u64,
    bits_per_position: f64,
    #[serde(flatten)]
    outcomes: OutcomesJson,
    #[serde(flatten)]
    hashes: Fields<Sha256>,
    file: &'a str,
    file_sha256: Sha256,
}

impl<'a> From<&'a FinishedLayer> for HeldLayerJson<'a> {
    fn from(layer: &'a FinishedLayer) -> HeldLayerJson<'a> {
        let statistics = &layer.statistics;
        HeldLayerJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            bytes: layer.file.bytes,
            bits_per_position: bits_per_position(layer.file.bytes, statistics.positions),
            outcomes: OutcomesJson::from(statistics),
            hashes: hashes(statistics),
            file: &layer.file.name,
            file_sha256: layer.file.sha256,
        }
    }
}

/// A layer in the list of all tables that are served.
#[derive(Serialize)]
pub(super) struct ListedLayerJson {
    seeds: u8,
    pub(super) positions: u64,
    pub(super) bytes: u64,
    sha256: Sha256,
}

impl From<&FinishedLayer> for ListedLayerJson {
    fn from(layer: &FinishedLayer) -> ListedLayerJson {
        let statistics = &layer.statistics;
        ListedLayerJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            bytes: layer.file.bytes,
            sha256: statistics.values.as_ref().low().sha256,
        }
    }
}
