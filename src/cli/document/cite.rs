//! How to cite tables.

use granero::Measured;
use serde::Serialize;

use granero_answer::document::fields::Fields;
use granero_answer::document::rules_and_cycles::RulesAndCycles;

/// What `granero cite --json` prints.
#[derive(Serialize)]
pub(crate) struct CiteDocument {
    program: &'static str,
    program_version: &'static str,
    #[serde(flatten)]
    tables: RulesAndCycles,
    seeds: u8,
    #[serde(flatten)]
    hashes: Fields<String>,
}

impl CiteDocument {
    /// `seeds` and `hashes` are those of the last layer.
    pub(crate) fn new(
        program_version: &'static str,
        tables: RulesAndCycles,
        seeds: u8,
        hashes: Measured<String>,
    ) -> CiteDocument {
        CiteDocument {
            program: "granero",
            program_version,
            tables,
            seeds,
            hashes: Fields::named("sha256", ["low_sha256", "high_sha256"], hashes),
        }
    }
}
