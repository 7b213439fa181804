//! The end of a game.

use granero::Position;
use granero::rules::GameOver;
use serde::Serialize;

use crate::object;

/// Why the game is over, and its value, for the verbs.
pub(crate) fn over(over: &GameOver) -> impl Serialize + use<> {
    object! {
        reason: over.reason.name(),
        value: over.value.seeds(),
    }
}

/// Like `over`, for the server: also in words, and with the seeds that each player takes.
pub(crate) fn served_over(over: &GameOver, position: &Position) -> impl Serialize + use<> {
    object! {
        reason: over.reason.name(),
        text: over.reason.to_string(),
        value: over.value.seeds(),
        // In every ruleset, both players take the seeds on their own side.
        mover: position.own_seeds(),
        opponent: position.opponents_seeds(),
    }
}
