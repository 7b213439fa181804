//! Errors.

use std::borrow::Cow;

use granero::notation::ParseError;
use schemars::JsonSchema;
use serde::Serialize;

/// An error by itself, for the server, and for a line in a batch of `query`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct ErrorDocument<E> {
    pub error: E,
}

/// Why the server does not answer a request, or a position of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorJson {
    pub code: ErrorCode,
    /// What is wrong, for people.
    pub message: String,
    /// What to do about it, for people.
    pub hint: Cow<'static, str>,
    /// Only if the fault has a place: the number of characters before it in the text of the position or the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
}

/// Declares the codes, each with its HTTP status.
macro_rules! error_codes {
    ($($(#[doc = $doc:literal])* $name:ident = $status:literal,)*) => {
        /// The kinds of errors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum ErrorCode {
            $(#[doc = concat!($status, ":", $($doc),*)] $name,)*
        }

        impl ErrorCode {
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name),*];

            /// The HTTP status of an answer with this error.
            pub fn status(self) -> u16 {
                match self {
                    $(ErrorCode::$name => $status,)*
                }
            }
        }
    };
}

error_codes! {
    /// the text is not a position in any notation
    BadPosition = 400,
    /// a parameter is missing, unknown, given twice, not UTF-8, or has an unknown value
    BadParameter = 400,
    /// the body is not the JSON that the request needs
    BadJson = 400,
    /// HTTP/1.1 without `Host`, a `Transfer-Encoding` other than `chunked`, or a body that is cut off
    BadRequest = 400,
    /// the text has no such game, or cannot be read as games
    BadGame = 400,
    /// the server does not answer for the host that the request names
    ForbiddenHost = 403,
    /// a page of another site sends a batch or a game
    ForbiddenOrigin = 403,
    /// no ruleset has this name
    UnknownRuleset = 404,
    /// there is nothing at this path
    NotFound = 404,
    /// the header `Allow` names the allowed methods
    MethodNotAllowed = 405,
    /// the body came too slowly
    Timeout = 408,
    /// the body or a line of it is too large
    BodyTooLarge = 413,
    /// a batch has too many positions
    TooManyPositions = 413,
    /// a game has too many moves
    TooManyMoves = 413,
    /// the `Content-Type` is wrong, or the body has a `Content-Encoding`
    UnsupportedMediaType = 415,
    /// the position has more than 48 seeds, or not 12, 24, 36 or 48 together with its stores
    ImpossiblePosition = 422,
    /// a file of the tables is damaged or cannot be read; the log says which
    DamagedTables = 500,
    /// a fault of the program: please report it
    Internal = 500,
    /// the server is busy; the header `Retry-After` says after how many seconds to try again
    Overloaded = 503,
    /// lines are sent with HTTP/1.0
    OldHttp = 505,
}

impl ErrorJson {
    pub fn new(
        code: ErrorCode,
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> ErrorJson {
        ErrorJson {
            code,
            message: message.into(),
            hint: hint.into(),
            at: None,
        }
    }

    pub fn bad_position(message: impl Into<String>) -> ErrorJson {
        let hint = "twelve numbers, the player to move first, like 0,0,0,0,0,1,2,0,0,0,0,0";
        ErrorJson::new(ErrorCode::BadPosition, message, hint)
    }

    pub fn impossible_position(message: impl Into<String>) -> ErrorJson {
        let hint = "a game has 48 seeds (or 12, 24 or 36), in houses and stores together";
        ErrorJson::new(ErrorCode::ImpossiblePosition, message, hint)
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
