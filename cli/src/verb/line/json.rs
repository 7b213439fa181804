//! Best lines as JSON.

use serde::Serialize;

use crate::document::WorthJson;

#[derive(Serialize)]
pub(crate) struct Document {
    pub(crate) rules: &'static str,
    pub(crate) cycles: &'static str,
    pub(crate) position: [u8; 12],
    pub(crate) seeds: u8,
    #[serde(flatten)]
    pub(crate) worth: WorthJson,
    #[serde(flatten)]
    pub(crate) line: LineJson,
    /// Where positions have bounds: the same line, and that of the other bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<Vec<BoundJson>>,
}

#[derive(Serialize)]
pub(crate) struct BoundJson {
    pub(crate) bound: &'static str,
    pub(crate) value: i8,
    #[serde(flatten)]
    pub(crate) line: LineJson,
}

#[derive(Serialize)]
pub(crate) struct LineJson {
    pub(crate) game: String,
    pub(crate) moves: Vec<MoveJson>,
    pub(crate) end: EndJson,
    pub(crate) score: ScoreJson,
}

#[derive(Serialize)]
pub(crate) struct MoveJson {
    pub(crate) r#move: char,
    pub(crate) captured: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conceded: Option<u8>,
    pub(crate) position: [u8; 12],
    pub(crate) south: u8,
    pub(crate) north: u8,
}

#[derive(Serialize)]
pub(crate) struct EndJson {
    pub(crate) reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proven: Option<bool>,
    /// By position of the cycle: what the player to move at the start has more on the own side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) differences: Option<Vec<i8>>,
    /// The one that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) counts: Option<i8>,
}

#[derive(Serialize)]
pub(crate) struct ScoreJson {
    pub(crate) south: u8,
    pub(crate) north: u8,
    /// Seeds left on the board.
    pub(crate) left: u8,
}
