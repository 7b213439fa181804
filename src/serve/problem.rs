//! Why a request is not answered: the errors of the API, as `docs/http-api.md` lists them.

use std::borrow::Cow;

use granero::notation::ParseError;
use granero::rules::UnknownRuleset;
use granero::{TableError, UnknownCycles};
use hyper::StatusCode;

use granero_answer::NoGame;
use granero_answer::document::ErrorJson;

/// Why a request is not answered.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    /// The methods that are allowed, if this one is not.
    pub(super) allow: Option<&'static str>,
    pub(super) error: ErrorJson,
    /// What is wrong on the server, for the log.
    pub(super) cause: Option<Box<TableError>>,
}

/// After how many seconds to try again when the server is busy.
pub(super) const RETRY_AFTER: u16 = 1;

impl Problem {
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

    pub(super) fn not_found(path: &str) -> Problem {
        let shown = shown(path, 100);
        Problem::new(
            StatusCode::NOT_FOUND,
            "not-found",
            format!("there is nothing at {shown}"),
            "/api/v1/openapi.json describes all paths",
        )
    }

    pub(super) fn method_not_allowed(allow: &'static str) -> Problem {
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

    pub(super) fn forbidden_host(host: &str) -> Problem {
        let shown = shown(host, 100);
        Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden-host",
            format!("this server does not answer for the host `{shown}`"),
            "ask under an address or localhost, or serve with --host and this name",
        )
    }

    pub(super) fn forbidden_origin() -> Problem {
        Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden-origin",
            "a page of another site may not send this",
            "serve with --host and the name of the page's server if it is this one, or with --cors",
        )
    }

    pub(super) fn unsupported_media_type() -> Problem {
        Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            "the Content-Type is not JSON",
            "send the header Content-Type: application/json",
        )
    }

    pub(super) fn not_a_batch() -> Problem {
        Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            "the Content-Type is neither JSON nor lines",
            "send the header Content-Type: application/json, or for lines text/tab-separated-values",
        )
    }

    pub(super) fn bad_parameter(
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-parameter", message, hint)
    }

    pub(super) fn bad_position(message: impl Into<String>) -> Problem {
        Problem::of(StatusCode::BAD_REQUEST, ErrorJson::bad_position(message))
    }

    pub(super) fn impossible_position(message: impl Into<String>) -> Problem {
        let error = ErrorJson::impossible_position(message);
        Problem::of(StatusCode::UNPROCESSABLE_ENTITY, error)
    }

    pub(super) fn bad_json(message: impl Into<String>) -> Problem {
        let hint = "send a JSON list of positions, like [\"0 0 0 0 0 1 2 0 0 0 0 0\"]";
        Problem::new(StatusCode::BAD_REQUEST, "bad-json", message, hint)
    }

    pub(super) fn broken_body() -> Problem {
        Problem::bad_json("the body is cut off")
    }

    pub(super) fn timeout() -> Problem {
        Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "timeout",
            "the body came too slowly",
            "send it at once, or fewer positions",
        )
    }

    pub(super) fn body_too_large(bytes: usize) -> Problem {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body-too-large",
            format!("the body has more than {bytes} bytes"),
            "send fewer positions at a time",
        )
    }

    pub(super) fn endless_line(bytes: usize) -> Problem {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body-too-large",
            format!("a line has more than {bytes} bytes"),
            "end each line with a newline",
        )
    }

    pub(super) fn too_many_positions(most: usize) -> Problem {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-many-positions",
            format!("these are more than {most} positions"),
            "send fewer positions at a time",
        )
    }

    pub(super) fn bad_question(message: impl Into<String>) -> Problem {
        let hint = "send a JSON object like {\"text\": \"1. F f 2. B e\"}";
        Problem::new(StatusCode::BAD_REQUEST, "bad-json", message, hint)
    }

    pub(super) fn no_game(none: NoGame) -> Problem {
        let status = match none {
            NoGame::NotAGame { .. } | NoGame::NoSuchGame { .. } => StatusCode::BAD_REQUEST,
            NoGame::TooManyMoves { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        };
        Problem::of(status, ErrorJson::from(none))
    }

    pub(super) fn games_too_large(bytes: usize) -> Problem {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body-too-large",
            format!("the body has more than {bytes} bytes"),
            "send fewer games at a time",
        )
    }

    pub(super) fn overloaded() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "overloaded",
            "the server is busy",
            "try again after the seconds that the header Retry-After says",
        )
    }

    pub(super) fn old_http() -> Problem {
        Problem::new(
            StatusCode::HTTP_VERSION_NOT_SUPPORTED,
            "old-http",
            "with HTTP/1.0 nobody could tell whether an answer in lines is whole",
            "ask with HTTP/1.1, or send a list of positions in JSON",
        )
    }

    pub(super) fn internal() -> Problem {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "this went wrong on the server",
            "please report it, with the request",
        )
    }
}

/// Input as an error quotes it: cut to a limit, and without characters that control a
/// terminal.
pub(super) fn shown(sent: &str, most: usize) -> String {
    let start = sent.chars().take(most);
    start.flat_map(char::escape_debug).collect()
}

impl From<ParseError> for Problem {
    fn from(error: ParseError) -> Problem {
        let status = match error.impossible {
            true => StatusCode::UNPROCESSABLE_ENTITY,
            false => StatusCode::BAD_REQUEST,
        };
        Problem::of(status, ErrorJson::from(error))
    }
}

impl From<UnknownRuleset> for Problem {
    fn from(error: UnknownRuleset) -> Problem {
        let shown: String = error.name.chars().take(40).collect();
        let message = UnknownRuleset { name: shown }.to_string();
        let hint = "/api/v1/tables lists the rulesets";
        Problem::new(StatusCode::NOT_FOUND, "unknown-ruleset", message, hint)
    }
}

impl From<UnknownCycles> for Problem {
    fn from(error: UnknownCycles) -> Problem {
        let shown: String = error.name.chars().take(40).collect();
        let message = UnknownCycles { name: shown }.to_string();
        Problem::bad_parameter(message, "/api/v1/tables lists the conventions")
    }
}

/// The client learns that the fault is the server's; the log says what is wrong, and where.
impl From<TableError> for Problem {
    fn from(error: TableError) -> Problem {
        let problem = Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "damaged-tables",
            "a file of the tables is damaged or cannot be read",
            "the log of the server says which one",
        );
        Problem {
            cause: Some(Box::new(error)),
            ..problem
        }
    }
}
