//! What a build has done.

use serde::Serialize;

use granero_answer::document::layer::BuiltLayerJson;
use granero_answer::document::rules_and_cycles::RulesAndCycles;

/// What `granero build --json` prints.
#[derive(Serialize)]
pub(crate) struct BuildDocument<'a> {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) db: String,
    pub(crate) seeds: u8,
    pub(crate) threads: usize,
    pub(crate) layers: Vec<BuiltLayerJson<'a>>,
    pub(crate) positions: u64,
    pub(crate) seconds: f64,
    pub(crate) positions_per_second: f64,
    pub(crate) peak_memory_bytes: Option<u64>,
}
