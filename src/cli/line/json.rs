//! Best lines as JSON.

use serde::Serialize;

use crate::cli::query::WorthJson;

#[derive(Serialize)]
pub(in crate::cli) struct Document {
    pub(super) rules: &'static str,
    pub(super) cycles: &'static str,
    pub(super) position: [u8; 12],
    pub(super) seeds: u8,
    #[serde(flatten)]
    pub(super) worth: WorthJson,
    #[serde(flatten)]
    pub(super) line: LineJson,
    /// Where positions have bounds: the same line, and that of the other bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<Vec<BoundJson>>,
}

#[derive(Serialize)]
pub(super) struct BoundJson {
    pub(super) bound: &'static str,
    pub(super) value: i8,
    #[serde(flatten)]
    pub(super) line: LineJson,
}

#[derive(Serialize)]
pub(super) struct LineJson {
    pub(super) game: String,
    pub(super) moves: Vec<MoveJson>,
    pub(super) end: EndJson,
    pub(super) score: ScoreJson,
}

#[derive(Serialize)]
pub(super) struct MoveJson {
    pub(super) r#move: char,
    pub(super) captured: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conceded: Option<u8>,
    pub(super) position: [u8; 12],
    pub(super) south: u8,
    pub(super) north: u8,
}

#[derive(Serialize)]
pub(super) struct EndJson {
    pub(super) reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proven: Option<bool>,
    /// By position of the cycle: what the player to move at the start has more on the own side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) differences: Option<Vec<i8>>,
    /// The one that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counts: Option<i8>,
}

#[derive(Serialize)]
pub(super) struct ScoreJson {
    pub(super) south: u8,
    pub(super) north: u8,
    /// Seeds left on the board.
    pub(super) left: u8,
}
