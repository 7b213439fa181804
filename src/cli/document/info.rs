//! What a directory of tables holds.

use serde::Serialize;

use granero_answer::document::layer::HeldLayerJson;
use granero_answer::document::rules_and_cycles::RulesAndCycles;

/// What `granero info --json` prints.
#[derive(Serialize)]
pub(crate) struct InfoDocument<'a> {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) format: u32,
    pub(crate) db: Option<String>,
    pub(crate) building: bool,
    pub(crate) layers: Vec<HeldLayerJson<'a>>,
    pub(crate) positions: u64,
    pub(crate) bytes: u64,
}
