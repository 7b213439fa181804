//! Whether the server serves.

use serde::Serialize;

/// What the server answers while it serves.
#[derive(Serialize)]
pub struct HealthDocument {
    status: &'static str,
}

impl HealthDocument {
    pub const OK: HealthDocument = HealthDocument { status: "ok" };
}
