//! Whether tables agree with those of others.

use granero::export::awari::Comparison;
use serde::Serialize;

use granero_answer::document::rules_and_cycles::RulesAndCycles;

/// What `granero compare --json` prints.
#[derive(Serialize)]
pub(crate) struct CompareDocument {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) awari: String,
    pub(crate) positions: u64,
    pub(crate) different: u64,
    pub(crate) layers: Vec<ComparedLayerJson>,
    pub(crate) missing: Vec<u8>,
}

#[derive(Serialize)]
pub(crate) struct ComparedLayerJson {
    seeds: u8,
    positions: u64,
    different: u64,
    differences: Vec<DifferenceJson>,
}

#[derive(Serialize)]
struct DifferenceJson {
    position: [u8; 12],
    ours: i8,
    theirs: i8,
}

impl ComparedLayerJson {
    pub(crate) fn new(seeds: u8, comparison: &Comparison) -> ComparedLayerJson {
        let differences = comparison.first.iter();
        ComparedLayerJson {
            seeds,
            positions: comparison.positions,
            different: comparison.different,
            differences: differences
                .map(|difference| DifferenceJson {
                    position: difference.position.houses(),
                    ours: difference.ours,
                    theirs: difference.theirs,
                })
                .collect(),
        }
    }
}
