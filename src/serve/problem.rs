//! The errors of the API.

use std::borrow::Cow;

use granero::notation::ParseError;
use granero::rules::UnknownRuleset;
use granero::{TableError, UnknownCycles};
use granero_answer::document::{ErrorCode, ErrorJson};
use granero_answer::with_causes;

use crate::log;

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) ErrorJson);

/// Makes a function for each error whose texts are fixed: its code, message and hint.
macro_rules! fixed_problems {
    ($($name:ident: $code:ident, $message:literal, $hint:literal;)*) => {
        $(pub(crate) fn $name() -> Problem {
            Problem::new(ErrorCode::$code, $message, $hint)
        })*
    };
}

impl Problem {
    fixed_problems! {
        no_host: BadRequest,
            "the request has no Host",
            "send the header Host, or use HTTP/1.0";
        transfer_coding: BadRequest,
            "the Transfer-Encoding is not chunked",
            "send the body as it is, in chunks or with its Content-Length";
        cut_off: BadRequest,
            "the body is cut off",
            "send the whole body: as many bytes as Content-Length says, or all chunks and the last one";
        forbidden_origin: ForbiddenOrigin,
            "a page of another site may not send this",
            "if the page is of this server, add its name with granero serve --host; else allow it with --cors";
        content_coding: UnsupportedMediaType,
            "the body has a Content-Encoding",
            "send it as it is, without compression";
        unsupported_media_type: UnsupportedMediaType,
            "the Content-Type is not application/json",
            "send the header Content-Type: application/json";
        not_a_batch: UnsupportedMediaType,
            "the Content-Type is neither application/json nor text/tab-separated-values",
            "send the header Content-Type: application/json for a JSON list, or text/tab-separated-values for lines";
        timeout: Timeout,
            "the body came too slowly",
            "send it faster, or send fewer positions";
        overloaded: Overloaded,
            "the server is busy",
            "try again after the number of seconds in the header Retry-After";
        old_http: OldHttp,
            "with HTTP/1.0 a client cannot tell whether an answer in lines is complete",
            "use HTTP/1.1, or send a JSON list of positions";
        internal: Internal,
            "the server has a fault",
            "please report it, with the request";
    }

    pub(crate) fn new(
        code: ErrorCode,
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        ErrorJson::new(code, message, hint).into()
    }

    pub(crate) fn not_found(path: &str) -> Problem {
        let message = format!("there is nothing at {}", quoted(path, 100));
        let hint = "/api/v1/openapi.json describes all paths";
        Problem::new(ErrorCode::NotFound, message, hint)
    }

    pub(crate) fn method_not_allowed(allow: &'static str) -> Problem {
        let message = "this method is not allowed here";
        let hint = format!("allowed: {allow}");
        Problem::new(ErrorCode::MethodNotAllowed, message, hint)
    }

    pub(crate) fn forbidden_host(host: &str) -> Problem {
        let quoted = quoted(host, 100);
        let message = format!("this server does not answer for the host `{quoted}`");
        let hint = "use an address or localhost, or add the name with granero serve --host";
        Problem::new(ErrorCode::ForbiddenHost, message, hint)
    }

    pub(crate) fn bad_parameter(
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Problem {
        Problem::new(ErrorCode::BadParameter, message, hint)
    }

    /// Says why JSON is not what is expected.
    pub(crate) fn bad_json(what: &str, error: &serde_json::Error, hint: &'static str) -> Problem {
        let message = if error.is_data() {
            // Its own text would repeat the data.
            format!("the body is JSON, but not {what}")
        } else {
            format!("the body is not {what}: {error}")
        };
        Problem::new(ErrorCode::BadJson, message, hint)
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
        Problem(error)
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
        Problem::new(ErrorCode::UnknownRuleset, message, hint)
    }
}

impl From<UnknownCycles> for Problem {
    fn from(error: UnknownCycles) -> Problem {
        let name = error.name.chars().take(40).collect();
        let message = UnknownCycles { name }.to_string();
        Problem::bad_parameter(message, "/api/v1/tables lists the conventions")
    }
}

/// Tells the client that the fault is the server's, and the operator the details.
impl From<TableError> for Problem {
    fn from(error: TableError) -> Problem {
        let message = "a file of the tables is damaged or cannot be read";
        let hint = "the log of the server names the file";
        log::complain_rarely("tables", with_causes(&error));
        Problem::new(ErrorCode::DamagedTables, message, hint)
    }
}
