//! The errors of the API, as `docs/http-api.md` lists them.

use std::borrow::Cow;

use granero::notation::ParseError;
use granero::rules::UnknownRuleset;
use granero::{TableError, UnknownCycles};
use hyper::StatusCode;

use granero_answer::document::ErrorJson;

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// The methods that are allowed, if this one is not.
    pub(crate) allow: Option<&'static str>,
    pub(crate) error: ErrorJson,
    /// The fault of the tables, for the log.
    pub(crate) cause: Option<Box<TableError>>,
}

/// Makes a function for each error whose texts are fixed: its status, code, message and hint.
macro_rules! fixed_problems {
    ($($name:ident: $status:ident, $code:literal, $message:literal, $hint:literal;)*) => {
        $(pub(crate) fn $name() -> Problem {
            Problem::new(StatusCode::$status, $code, $message, $hint)
        })*
    };
}

/// The seconds after which to try again when the server is busy.
pub(crate) const RETRY_AFTER: u16 = 1;

impl Problem {
    fixed_problems! {
        forbidden_origin: FORBIDDEN, "forbidden-origin",
            "a page of another site may not send this",
            "if the page is of this server, add its name with granero serve --host; else allow it with --cors";
        unsupported_media_type: UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type",
            "the Content-Type is not application/json",
            "send the header Content-Type: application/json";
        not_a_batch: UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type",
            "the Content-Type is neither application/json nor text/tab-separated-values",
            "send the header Content-Type: application/json for a JSON list, or text/tab-separated-values for lines";
        timeout: REQUEST_TIMEOUT, "timeout",
            "the body came too slowly",
            "send it faster, or send fewer positions";
        overloaded: SERVICE_UNAVAILABLE, "overloaded",
            "the server is busy",
            "try again after the number of seconds in the header Retry-After";
        old_http: HTTP_VERSION_NOT_SUPPORTED, "old-http",
            "with HTTP/1.0 a client cannot tell whether an answer in lines is complete",
            "use HTTP/1.1, or send a JSON list of positions";
        internal: INTERNAL_SERVER_ERROR, "internal",
            "the server has a fault",
            "please report it, with the request";
    }

    fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        let error = ErrorJson {
            code,
            message: message.into(),
            hint: hint.into(),
            at: None,
        };
        Problem::of(status, error)
    }

    fn of(status: StatusCode, error: ErrorJson) -> Problem {
        Problem {
            status,
            allow: None,
            error,
            cause: None,
        }
    }

    pub(crate) fn not_found(path: &str) -> Problem {
        let quoted = quoted(path, 100);
        Problem::new(
            StatusCode::NOT_FOUND,
            "not-found",
            format!("there is nothing at {quoted}"),
            "/api/v1/openapi.json describes all paths",
        )
    }

    pub(crate) fn method_not_allowed(allow: &'static str) -> Problem {
        let problem = Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method-not-allowed",
            "this method is not allowed here",
            format!("allowed: {allow}"),
        );
        Problem {
            allow: Some(allow),
            ..problem
        }
    }

    pub(crate) fn forbidden_host(host: &str) -> Problem {
        let quoted = quoted(host, 100);
        Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden-host",
            format!("this server does not answer for the host `{quoted}`"),
            "use an address or localhost, or add the name with granero serve --host",
        )
    }

    pub(crate) fn bad_parameter(
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-parameter", message, hint)
    }

    pub(crate) fn bad_position(message: impl Into<String>) -> Problem {
        Problem::of(StatusCode::BAD_REQUEST, ErrorJson::bad_position(message))
    }

    pub(crate) fn impossible_position(message: impl Into<String>) -> Problem {
        let error = ErrorJson::impossible_position(message);
        Problem::of(StatusCode::UNPROCESSABLE_ENTITY, error)
    }

    pub(crate) fn bad_json(message: impl Into<String>) -> Problem {
        let hint = "send a JSON list of positions, like [\"0 0 0 0 0 1 2 0 0 0 0 0\"]";
        Problem::new(StatusCode::BAD_REQUEST, "bad-json", message, hint)
    }

    pub(crate) fn broken_body() -> Problem {
        Problem::bad_json("the body is cut off")
    }

    /// `what` is in the body.
    pub(crate) fn body_too_large(bytes: usize, what: &str) -> Problem {
        let message = format!("the body has more than {bytes} bytes");
        Problem::too_large(message, format!("send fewer {what} at a time"))
    }

    pub(crate) fn endless_line(bytes: usize) -> Problem {
        let message = format!("a line has more than {bytes} bytes");
        Problem::too_large(message, "end each line with a newline")
    }

    fn too_large(message: String, hint: impl Into<Cow<'static, str>>) -> Problem {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        Problem::new(status, "body-too-large", message, hint)
    }

    pub(crate) fn too_many_positions(most: usize) -> Problem {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-many-positions",
            format!("the body has more than {most} positions"),
            "send fewer positions at a time",
        )
    }

    pub(crate) fn bad_question(message: impl Into<String>) -> Problem {
        let hint = "send a JSON object like {\"text\": \"1. F f 2. B e\"}";
        Problem::new(StatusCode::BAD_REQUEST, "bad-json", message, hint)
    }

    pub(crate) fn no_game(error: ErrorJson) -> Problem {
        let status = match error.code {
            ErrorJson::TOO_MANY_MOVES => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::BAD_REQUEST,
        };
        Problem::of(status, error)
    }
}

/// Quotes input for an error: at most `most` characters, with escapes for those that control a
/// terminal.
pub(crate) fn quoted(input: &str, most: usize) -> String {
    let start = input.chars().take(most);
    start.flat_map(char::escape_debug).collect()
}

impl From<ParseError> for Problem {
    fn from(error: ParseError) -> Problem {
        let status = if error.impossible {
            StatusCode::UNPROCESSABLE_ENTITY
        } else {
            StatusCode::BAD_REQUEST
        };
        Problem::of(status, ErrorJson::from(error))
    }
}

impl From<UnknownRuleset> for Problem {
    fn from(error: UnknownRuleset) -> Problem {
        let name = error.name.chars().take(40).collect();
        let message = UnknownRuleset { name }.to_string();
        let hint = "/api/v1/tables lists the rulesets";
        Problem::new(StatusCode::NOT_FOUND, "unknown-ruleset", message, hint)
    }
}

impl From<UnknownCycles> for Problem {
    fn from(error: UnknownCycles) -> Problem {
        let name = error.name.chars().take(40).collect();
        let message = UnknownCycles { name }.to_string();
        Problem::bad_parameter(message, "/api/v1/tables lists the conventions")
    }
}

/// Tells the client that the fault is the server's, and leaves the details to the log.
impl From<TableError> for Problem {
    fn from(error: TableError) -> Problem {
        let problem = Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "damaged-tables",
            "a file of the tables is damaged or cannot be read",
            "the log of the server names the file",
        );
        Problem {
            cause: Some(Box::new(error)),
            ..problem
        }
    }
}
