//! Statistics of layers as JSON.

use granero::Measured;
use granero::table::{LayerStatistics, Sha256};
use serde::Serialize;

/// What is said of the high bounds of a layer, beside what is said of the low ones.
#[derive(Serialize)]
pub(crate) struct HighJson<'a> {
    sha256: Sha256,
    histogram: &'a [(i8, u64)],
    gaps: &'a [(u8, u64)],
    draws: u64,
}

impl HighJson<'_> {
    /// `None` where positions have values.
    pub(crate) fn of(statistics: &LayerStatistics) -> Option<HighJson<'_>> {
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
