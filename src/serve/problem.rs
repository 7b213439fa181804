//! The errors of the API, as `docs/http-api.md` lists them.

use std::borrow::Cow;

use axum::http::StatusCode;
use granero::notation::ParseError;
use granero::rules::UnknownRuleset;
use granero::{TableError, UnknownCycles};
use granero_answer::document::ErrorJson;

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
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

impl Problem {
    fixed_problems! {
        no_host: BAD_REQUEST, "bad-request",
            "the request has no Host",
            "send the header Host, or use HTTP/1.0";
        transfer_coding: BAD_REQUEST, "bad-request",
            "the Transfer-Encoding is not chunked",
            "send the body as it is, in chunks or with its Content-Length";
        cut_off: BAD_REQUEST, "bad-request",
            "the body is cut off",
            "send the whole body: as many bytes as Content-Length says, or all chunks and the last one";
        forbidden_origin: FORBIDDEN, "forbidden-origin",
            "a page of another site may not send this",
            "if the page is of this server, add its name with granero serve --host; else allow it with --cors";
        content_coding: UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type",
            "the body has a Content-Encoding",
            "send it as it is, without compression";
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

    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        let (message, hint) = (message.into(), hint.into());
        let at = None;
        let error = ErrorJson {
            code,
            message,
            hint,
            at,
        };
        let cause = None;
        Problem {
            status,
            error,
            cause,
        }
    }

    pub(crate) fn not_found(path: &str) -> Problem {
        let message = format!("there is nothing at {}", quoted(path, 100));
        let hint = "/api/v1/openapi.json describes all paths";
        Problem::new(StatusCode::NOT_FOUND, "not-found", message, hint)
    }

    pub(crate) fn method_not_allowed(allow: &'static str) -> Problem {
        let message = "this method is not allowed here";
        let hint = format!("allowed: {allow}");
        let status = StatusCode::METHOD_NOT_ALLOWED;
        Problem::new(status, "method-not-allowed", message, hint)
    }

    pub(crate) fn forbidden_host(host: &str) -> Problem {
        let quoted = quoted(host, 100);
        let message = format!("this server does not answer for the host `{quoted}`");
        let hint = "use an address or localhost, or add the name with granero serve --host";
        Problem::new(StatusCode::FORBIDDEN, "forbidden-host", message, hint)
    }

    pub(crate) fn bad_parameter(
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-parameter", message, hint)
    }

    pub(crate) fn bad_json(message: impl Into<String>, hint: &'static str) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-json", message, hint)
    }

    pub(crate) fn too_large(
        code: &'static str,
        message: String,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, code, message, hint)
    }
}

/// Quotes input for an error: at most `most` characters, with escapes for those that control a
/// terminal.
pub(crate) fn quoted(input: &str, most: usize) -> String {
    let start = input.chars().take(most);
    start.flat_map(char::escape_debug).collect()
}

impl From<ErrorJson> for Problem {
    fn from(error: ErrorJson) -> Problem {
        let status = match error.code {
            "impossible-position" => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorJson::TOO_MANY_MOVES => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::BAD_REQUEST,
        };
        let cause = None;
        Problem {
            status,
            error,
            cause,
        }
    }
}

impl From<ParseError> for Problem {
    fn from(error: ParseError) -> Problem {
        ErrorJson::from(error).into()
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
        let message = "a file of the tables is damaged or cannot be read";
        let hint = "the log of the server names the file";
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem {
            cause: Some(Box::new(error)),
            ..Problem::new(status, "damaged-tables", message, hint)
        }
    }
}
