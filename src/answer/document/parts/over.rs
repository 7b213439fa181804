//! The end of a game.

use granero::Position;
use granero::rules::GameOver;
use serde::Serialize;

/// Why the game is over, and its value, for the verbs.
#[derive(Serialize)]
pub(crate) struct OverJson {
    reason: &'static str,
    value: i8,
}

/// Like `OverJson`, for the server: also in words, and with the seeds that each player takes.
#[derive(Serialize)]
pub(crate) struct ServedOverJson {
    reason: &'static str,
    text: String,
    value: i8,
    mover: u8,
    opponent: u8,
}

impl From<&GameOver> for OverJson {
    fn from(over: &GameOver) -> OverJson {
        OverJson {
            reason: over.reason.name(),
            value: over.value.seeds(),
        }
    }
}

impl ServedOverJson {
    pub(crate) fn new(over: &GameOver, position: &Position) -> ServedOverJson {
        ServedOverJson {
            reason: over.reason.name(),
            text: over.reason.to_string(),
            value: over.value.seeds(),
            // In every ruleset, both players take the seeds on their own side.
            mover: position.own_seeds(),
            opponent: position.opponents_seeds(),
        }
    }
}
