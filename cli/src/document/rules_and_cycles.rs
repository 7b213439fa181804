//! Which tables a document is about.

use granero::{Cycles, Ruleset, Tables};
use serde::Serialize;

/// The ruleset, and the convention for endless play.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct RulesAndCycles {
    rules: &'static str,
    cycles: &'static str,
}

impl RulesAndCycles {
    pub(crate) fn new(rules: Ruleset, cycles: Cycles) -> RulesAndCycles {
        RulesAndCycles {
            rules: rules.name(),
            cycles: cycles.name(),
        }
    }
}

impl From<&Tables> for RulesAndCycles {
    fn from(tables: &Tables) -> RulesAndCycles {
        RulesAndCycles::new(tables.rules(), tables.cycles())
    }
}
