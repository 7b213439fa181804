//! The library for JavaScript, on which `index.js` builds. All arguments and results are text, mostly JSON,
//! so the border is narrow; `index.d.ts` has the types.

mod pieces;
mod reader;

use granero::notation::PositionText;
use granero::table::Manifest;
use granero::{Cycles, Ruleset};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use granero_answer::document::{ErrorCode, ErrorDocument, ErrorJson, LegalMoves, Rulesets};
pub use reader::Reader;

/// A document as text.
fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("documents have no maps with other keys than text")
}

/// The legal moves of a position, as `granero moves --json` has them, or an error.
#[wasm_bindgen]
pub fn moves(rules: &str, position: &str) -> String {
    let failed = |error| json(&ErrorDocument { error });
    let rules = match rules.parse::<Ruleset>() {
        Ok(rules) => rules,
        Err(error) => {
            let (code, hint) = (ErrorCode::UnknownRuleset, "rulesets() lists the rulesets");
            return failed(ErrorJson::new(code, error.to_string(), hint));
        }
    };
    match position.parse::<PositionText>() {
        Ok(text) => json(&LegalMoves::new(&text.position(), rules)),
        Err(error) => failed(ErrorJson::from(error)),
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
