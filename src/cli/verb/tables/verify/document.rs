//! Faults in the document of `granero verify --json`.

use granero::Measure;
use granero::verify::{Fault, FaultKind};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct FaultJson {
    position: [u8; 12],
    /// The bound; `None` if positions have values.
    #[serde(skip_serializing_if = "Option::is_none")]
    measure: Option<&'static str>,
    value: i8,
    kind: &'static str,
    best: Option<i8>,
    #[serde(skip)]
    pub(super) text: String,
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
            text: fault.to_string(),
        }
    }
}
