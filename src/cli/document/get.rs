//! What was fetched.

use serde::Serialize;

use granero_answer::document::rules_and_cycles::RulesAndCycles;

/// What `granero get --json` prints.
#[derive(Serialize)]
pub(crate) struct GetDocument {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) url: String,
    pub(crate) db: String,
    /// Of the last layer that the directory now holds.
    pub(crate) seeds: u8,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
}
