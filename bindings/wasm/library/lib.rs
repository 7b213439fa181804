//! The library for JavaScript, on which `index.js` builds. All arguments and results are text, mostly JSON,
//! so the border is narrow; `index.d.ts` has the types.

mod pieces;
mod player;
mod reader;

use std::time::Duration;

use granero::prove::Budget;
use granero::table::Manifest;
use granero::{Cycles, Ruleset};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::wasm_bindgen;

use granero_answer::document::{ErrorCode, ErrorJson, Rulesets};
pub use player::ask;
pub use reader::Reader;

/// A document as text.
fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("documents have no maps with other keys than text")
}

/// A question as JSON has it: what is asked, and the fields that this needs.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Question {
    what: String,
    rules: String,
    position: String,
    /// Letters: houses to choose from, or the best ones.
    houses: String,
    level: u8,
    luck: f64,
    /// Games, and the number of one from 1.
    text: String,
    game: usize,
    /// The limits of a search; without one, `null`.
    positions: Option<f64>,
    seconds: Option<f64>,
}

impl Question {
    fn read(text: &str) -> Result<Question, ErrorJson> {
        serde_json::from_str(text).map_err(|error| Question::wrong(error.to_string()))
    }

    /// The error for a question that there is not.
    fn unknown(&self) -> ErrorJson {
        Question::wrong(format!("there is no question `{}`", self.what))
    }

    fn wrong(message: String) -> ErrorJson {
        ErrorJson::new(ErrorCode::BadJson, message, "")
    }

    /// The time of a search; `None` without a limit.
    fn time(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.seconds?).ok()
    }

    /// The limits of a search for proofs; `None` if there is no search.
    fn budget(&self) -> Option<Budget> {
        let positions = self.positions.unwrap_or(f64::INFINITY);
        (positions > 0.0).then(|| Budget {
            nodes: positions as u64,
            time: self.time(),
        })
    }
}

/// The rulesets, as `granero rules --json` has them.
#[wasm_bindgen]
pub fn rulesets() -> String {
    json(&Rulesets::new(Ruleset::ALL))
}

/// The manifest of tables without a layer.
///
/// # Errors
///
/// When there is no such ruleset or convention.
#[wasm_bindgen]
pub fn empty_manifest(rules: &str, cycles: &str) -> Result<String, String> {
    let rules: Ruleset = rules.parse().map_err(|error| format!("{error}"))?;
    let cycles: Cycles = cycles.parse().map_err(|error| format!("{error}"))?;
    Ok(Manifest::new((rules, cycles)).to_text())
}
