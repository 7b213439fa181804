//! Errors.

use std::borrow::Cow;

use granero::notation::ParseError;
use serde::Serialize;

/// An error by itself, for the server, and for a line in a batch of `query`.
#[derive(Serialize)]
pub struct ErrorDocument<E> {
    pub error: E,
}

/// Why the server does not answer a request, or a position of a batch.
#[derive(Debug, Serialize)]
pub struct ErrorJson {
    pub code: &'static str,
    pub message: String,
    pub hint: Cow<'static, str>,
    /// The place in the text of a position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
}

impl ErrorJson {
    /// The code for a game that is too long to judge.
    pub const TOO_MANY_MOVES: &str = "too-many-moves";

    pub fn bad_position(message: impl Into<String>) -> ErrorJson {
        ErrorJson {
            code: "bad-position",
            message: message.into(),
            hint: "twelve numbers, the player to move first, like 0,0,0,0,0,1,2,0,0,0,0,0".into(),
            at: None,
        }
    }

    pub fn impossible_position(message: impl Into<String>) -> ErrorJson {
        ErrorJson {
            code: "impossible-position",
            message: message.into(),
            hint: "a game has 48 seeds (or 12, 24 or 36), in houses and stores together".into(),
            at: None,
        }
    }
}

impl From<ParseError> for ErrorJson {
    fn from(error: ParseError) -> ErrorJson {
        let message = format!("not a position: {error}");
        let json = if error.impossible {
            ErrorJson::impossible_position(message)
        } else {
            ErrorJson::bad_position(message)
        };
        ErrorJson {
            at: Some(error.at),
            ..json
        }
    }
}
