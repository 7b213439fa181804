//! The server's state.

use serde::Serialize;

/// The server's answer while it serves.
#[derive(Serialize)]
pub struct HealthDocument {
    status: &'static str,
}

impl HealthDocument {
    pub const OK: HealthDocument = HealthDocument { status: "ok" };
}
