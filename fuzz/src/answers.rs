//! Strict reading of the server's answers.

use std::str;

use granero_answer::document::ErrorCode;
use granero_serve::fuzzing::Conversation;
use serde_json::Value;

pub use super::http::Answer;

/// All headers that there are.
const HEADERS: &str = "allow cache-control connection content-length content-security-policy content-type \
    cross-origin-opener-policy cross-origin-resource-policy date etag permissions-policy referrer-policy \
    retry-after transfer-encoding x-content-type-options x-frame-options";

/// The most bytes in the text of an error, which may quote a hundred characters, each as an escape like
/// `\u{10ffff}`.
const LONGEST_MESSAGE: usize = 1200;

/// The lines of the log that may wait to be written; more may be dropped.
const MOST_WAITING: usize = 1024;

/// The code of an error. Panics if the error is not as documented.
pub fn code(error: &Value) -> &str {
    let fields = error.as_object().unwrap();
    for (name, value) in fields {
        let is_right = match name.as_str() {
            "code" => value.is_string(),
            "message" | "hint" => value.as_str().is_some_and(is_plain),
            "at" => value.is_u64(),
            _ => false,
        };
        assert!(is_right, "{name}: {value}");
    }
    let code = error["code"].as_str().unwrap();
    assert!(fields.contains_key("message") && fields.contains_key("hint"));
    let has_place = matches!(code, "bad-position" | "impossible-position" | "bad-game");
    assert!(has_place || !fields.contains_key("at"), "{error}");
    code
}

/// Tells if a text is short and harmless to a terminal.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.chars().any(char::is_control)
}

/// The answers in a conversation: one to each request, and perhaps one more, to bytes that are not HTTP.
/// Panics if anything is wrong with them or with the log.
pub fn of(conversation: &Conversation) -> Vec<Answer> {
    let mut rest = &conversation.sent[..];
    let mut answers = Vec::new();
    let mut methods = conversation.methods.iter();
    while !rest.is_empty() {
        let is_last = answers.last().is_some_and(Answer::closes);
        assert!(!is_last, "an answer behind the last one");
        let method = methods.next().map(String::as_str);
        let answer = read(&mut rest, method);
        answer.check(method);
        answers.push(answer);
    }
    assert_eq!(methods.next(), None, "a request without an answer");
    are_logged(conversation, &answers);
    answers
}

/// Panics if the log does not have exactly one line for each request.
fn are_logged(conversation: &Conversation, answers: &[Answer]) {
    let Conversation { methods, log, .. } = conversation;
    let log = str::from_utf8(log).unwrap();
    let is_visible = |byte| matches!(byte, b' '..=b'~' | b'\n');
    assert!(log.bytes().all(is_visible), "{log:?}");
    if methods.len() < MOST_WAITING {
        assert_eq!(log.lines().count(), methods.len(), "{log}");
        for ((line, method), answer) in log.lines().zip(methods).zip(answers) {
            let words: Vec<&str> = line.split(' ').collect();
            let [client, shown, _, status, _, "ms"] = words[..] else {
                panic!("{line}");
            };
            assert!(client == "127.0.0.1" && method.starts_with(shown), "{line}");
            assert_eq!(status.parse(), Ok(answer.status), "{line}");
        }
    }
}

/// Reads an answer to a request with this method.
fn read(rest: &mut &[u8], method: Option<&str>) -> Answer {
    // A client that waits before sending its body is told to go on.
    let interim = b"HTTP/1.1 100 Continue\r\n\r\n";
    *rest = rest.strip_prefix(interim).unwrap_or(rest);
    let mut answer = Answer::read(rest, method != Some("HEAD")).expect("a whole answer");
    let length = answer.header("content-length");
    if answer.header("content-type") == Some("text/tab-separated-values") {
        assert_eq!((length, answer.status), (None, 200));
        let is_chunked = answer.header("transfer-encoding") == Some("chunked");
        assert!(is_chunked != answer.is_old);
        if !is_chunked {
            answer.body = std::mem::take(rest).to_vec();
        }
    } else {
        let has_length = !matches!(answer.status, 204 | 304);
        assert!(!has_length || length.is_some(), "{answer:?}: no length");
    }
    answer
}

impl Answer {
    /// Tells if the connection has no more answers.
    pub fn closes(&self) -> bool {
        match self.header("connection") {
            Some("close") => true,
            Some("keep-alive") => false,
            other => {
                assert_eq!(other, None);
                self.is_old
            }
        }
    }

    /// Removes the parts that change with time: the date, and the counters of the server.
    pub fn forget_time(&mut self) {
        let has_counters = self.header("content-type") == Some("text/plain; version=0.0.4");
        if has_counters {
            self.body.clear();
        }
        let changes = |name: &str| name == "date" || has_counters && name == "content-length";
        self.headers.retain(|name, _| !changes(name));
    }

    /// The code of the error in the body.
    pub fn code(&self) -> Option<String> {
        let document = (self.status >= 400 && !self.body.is_empty()).then(|| self.json());
        document.map(|document| code(&document["error"]).to_string())
    }

    /// Panics if `docs/http-api.md` has no such answer.
    fn check(&self, method: Option<&str>) {
        for (name, value) in &self.headers {
            assert!(HEADERS.split(' ').any(|known| known == *name), "{name}");
            let is_visible = |byte| matches!(byte, b' '..=b'~');
            assert!(value.bytes().all(is_visible), "{name}: {value:?}");
        }
        let Some(method) = method else {
            // The answer to bytes that are not HTTP.
            let is_refused = matches!(self.status, 400 | 413 | 414 | 431 | 505);
            assert!(is_refused, "{}", self.status);
            assert!(self.body.is_empty() && self.closes());
            return;
        };
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(self.header("retry-after").is_some(), self.status == 503);
        assert_eq!(
            self.header("allow").is_some(),
            matches!(self.status, 204 | 405)
        );
        let kind = self.header("content-type");
        assert_eq!(kind.is_none(), matches!(self.status, 204 | 304));
        if self.status >= 400 {
            assert_eq!(kind, Some("application/json"));
            assert_eq!(self.header("cache-control"), Some("no-store"));
            let mut known = ErrorCode::ALL.iter().map(|code| code.status());
            assert!(known.any(|status| status == self.status));
            // The tables are sound, and no fault of the program is acceptable.
            assert_ne!(self.status, 500);
        } else {
            assert!(matches!(self.status, 200 | 204 | 304), "{}", self.status);
        }
        if method == "HEAD" || kind != Some("application/json") {
            return;
        }
        let document = self.json();
        if self.status >= 400 {
            assert_eq!(document.as_object().unwrap().len(), 1);
            let code = code(&document["error"]);
            let mut known = ErrorCode::ALL
                .iter()
                .filter(|known| known.status() == self.status);
            let is_this = |known: &ErrorCode| serde_json::json!(known) == code;
            assert!(known.any(is_this), "{} {code}", self.status);
        }
    }
}
