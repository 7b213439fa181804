//! What was exported.

use serde::Serialize;

use granero_answer::document::rules_and_cycles::RulesAndCycles;

/// What `granero export --json` prints.
#[derive(Serialize)]
pub(crate) struct ExportDocument {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) seeds: u8,
    pub(crate) format: &'static str,
    /// Which bound, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bound: Option<&'static str>,
    /// Where values are cut off, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<u8>,
    pub(crate) out: String,
    pub(crate) positions: u64,
}
