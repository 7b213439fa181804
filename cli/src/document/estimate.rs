//! What a build will take.

use serde::Serialize;

use super::rules_and_cycles::RulesAndCycles;

/// What `granero estimate --json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct EstimateDocument {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) seeds: u8,
    pub(crate) threads: usize,
    pub(crate) positions_per_second: f64,
    pub(crate) layers: Vec<EstimatedLayerJson>,
    pub(crate) positions: u64,
    pub(crate) memory_bytes: u64,
    pub(crate) disk_bytes: u64,
    pub(crate) seconds: f64,
    pub(crate) memory_available_bytes: Option<u64>,
    pub(crate) disk_free_bytes: Option<u64>,
    /// Whether this program can solve that many seeds.
    pub(crate) possible: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct EstimatedLayerJson {
    pub(crate) seeds: u8,
    pub(crate) positions: u64,
    pub(crate) memory_bytes: u64,
    pub(crate) disk_bytes: u64,
    pub(crate) seconds: f64,
}
