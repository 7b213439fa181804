//! The tables that a document is about.

use granero::{Cycles, Extent, Ruleset, Tables};
use serde::Serialize;

/// The ruleset, the convention for endless play, and the extent.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RulesAndCycles {
    rules: &'static str,
    cycles: &'static str,
    /// `None` for full values.
    #[serde(skip_serializing_if = "Option::is_none")]
    extent: Option<&'static str>,
    /// The seeds of the game that deciding tables decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    decides: Option<u8>,
}

impl RulesAndCycles {
    pub fn new(rules: Ruleset, cycles: Cycles, extent: Extent) -> RulesAndCycles {
        RulesAndCycles {
            rules: rules.name(),
            cycles: cycles.name(),
            extent: (!extent.is_full()).then(|| extent.name()),
            decides: extent.game(),
        }
    }
}

impl From<&Tables> for RulesAndCycles {
    fn from(tables: &Tables) -> RulesAndCycles {
        RulesAndCycles::new(tables.rules(), tables.cycles(), tables.extent())
    }
}
