//! Whether the server serves.

use serde::Serialize;

/// What the server answers while it serves.
#[derive(Serialize)]
pub(crate) struct HealthDocument {
    status: &'static str,
}

impl HealthDocument {
    pub(crate) const OK: HealthDocument = HealthDocument { status: "ok" };
}
