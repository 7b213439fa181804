//! The documents of `granero verify --json`.

use granero::Measure;
use granero::verify::{Fault, FaultKind};
use serde::Serialize;

use super::Report;
use granero_answer::document::RulesAndCycles;

/// The findings in all layers.
#[derive(Serialize)]
pub(crate) struct VerifyDocument {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) sample: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) right: bool,
    pub(crate) layers: Vec<VerifiedLayerJson>,
    pub(crate) positions: u64,
    pub(crate) seconds: f64,
    pub(crate) positions_per_second: f64,
}

/// The result of `granero verify --quick`.
#[derive(Serialize)]
pub(crate) struct QuickDocument {
    #[serde(flatten)]
    pub(crate) tables: RulesAndCycles,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
}

#[derive(Serialize)]
pub(crate) struct VerifiedLayerJson {
    seeds: u8,
    positions: u64,
    histogram_is_right: Option<bool>,
    faults: Vec<FaultJson>,
}

#[derive(Serialize)]
struct FaultJson {
    position: [u8; 12],
    /// The bound; `None` if positions have values.
    #[serde(skip_serializing_if = "Option::is_none")]
    measure: Option<&'static str>,
    value: i8,
    kind: &'static str,
    best: Option<i8>,
}

impl From<&Report> for VerifiedLayerJson {
    fn from(report: &Report) -> VerifiedLayerJson {
        VerifiedLayerJson {
            seeds: report.layer.seeds(),
            positions: report.positions,
            histogram_is_right: report.histogram_is_right,
            faults: report.faults.iter().map(FaultJson::from).collect(),
        }
    }
}

impl From<&Fault> for FaultJson {
    fn from(fault: &Fault) -> FaultJson {
        FaultJson {
            position: fault.position.houses(),
            measure: match fault.measure {
                Measure::Value => None,
                bound @ (Measure::Low | Measure::High) => Some(bound.name()),
            },
            value: fault.value,
            kind: fault.kind.name(),
            best: match fault.kind {
                FaultKind::Inconsistent { best } => Some(best),
                _ => None,
            },
        }
    }
}
