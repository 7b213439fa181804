//! Any bytes as a request: a line with the method and the target, then the body. A slow twin, which follows
//! `docs/http-api.md` and parses paths and parameters by itself, predicts the answer.

use std::collections::BTreeMap;
use std::str;
use std::sync::LazyLock;

use granero::notation::{self, PositionText};
use granero::{Cycles, Game, Position, Ruleset};
use granero_serve::fuzzing::Site;
use serde_json::{Value, json};

use super::answers::{self, Answer};
use super::{bodies, sample};

static SITE: LazyLock<Site> = LazyLock::new(|| Site::new().unwrap());

/// The status of an error, and its possible codes.
type Refusal = (u16, &'static [&'static str]);

/// Panics if the answer is not the twin's, or if the connection stays open and the next request
/// gets no answer.
pub fn run(bytes: &[u8]) {
    let place = bytes.iter().position(|&byte| byte == b'\n');
    let (head, body) = bytes.split_at(place.unwrap_or(bytes.len()));
    let body = body.strip_prefix(b"\n").unwrap_or_default();
    if head.contains(&b'\r') {
        // The fuzz target `connections` tries other header fields.
        return;
    }
    let length = body.len();
    let fields = format!(
        " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    let next = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let request = [head, fields.as_bytes(), body, next].concat();
    let conversation = SITE.converse(&request, usize::MAX);
    let answers = answers::of(&conversation);
    let answer = &answers[0];
    match answers.get(1) {
        Some(next) => assert_eq!((next.status, answers.len()), (200, 2)),
        None => assert!(answer.closes()),
    }
    if let Some((method, target)) = plain(head) {
        assert!(!conversation.methods.is_empty());
        // The server does not wait for a body that it will not read.
        let is_unread = !body.is_empty() && method != "POST";
        let is_read = body.is_empty() || method == "POST" && answer.status == 200;
        assert!(answer.closes() >= is_unread && answer.closes() <= !is_read);
        check(method, target, body, answer);
    }
}

/// The method and the target, if this certainly is HTTP.
fn plain(head: &[u8]) -> Option<(&str, &str)> {
    let (method, target) = str::from_utf8(head).ok()?.split_once(' ')?;
    let is_method = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let is_target = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/?%".contains(c);
    // CONNECT has no path.
    let is_plain = !method.is_empty() && method != "CONNECT" && method.chars().all(is_method);
    let length = method.len() + target.len();
    let is_plain = is_plain && target.starts_with('/') && length < 8000;
    (is_plain && target.chars().all(is_target)).then_some((method, target))
}

/// Panics if the answer does not fit the request.
fn check(method: &str, target: &str, body: &[u8], answer: &Answer) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let asked = path.strip_prefix("/api/v1/").map(|path| match path {
        "tables" | "openapi.json" => (None, ""),
        _ => match path.split_once('/') {
            Some((rules, what @ ("position" | "prove" | "line" | "batch" | "judge" | "stats"))) => {
                (Some(rules), what)
            }
            _ => (None, "nothing"),
        },
    });
    let (rules, what) = asked.unwrap_or((None, ""));
    let is_page = asked.is_none() && !matches!(path, "/" | "/healthz" | "/metrics");
    if what == "nothing" || is_page && answer.status == 404 {
        return is_refused(method, answer, (404, &["not-found"]));
    }
    let expected = match (method, what) {
        ("OPTIONS", _) => {
            assert_eq!(answer.status, 204);
            return;
        }
        ("POST", "batch" | "judge")
        | ("GET" | "HEAD", "" | "position" | "prove" | "line" | "stats") => rules
            .map(|rules| read(rules, what, query, body))
            .transpose(),
        _ => Err((405, &["method-not-allowed"][..])),
    };
    if let (Ok(Some(_)), "judge") = (&expected, what) {
        return is_judged(body, answer);
    }
    // The twin knows no times, so one may be refused. The site does not search, so no other makes a difference.
    let mut names = query.split('&').filter_map(|pair| pair.split('=').next());
    let may_be_refused = matches!(what, "prove" | "line") && names.any(|name| name == "time");
    if may_be_refused && answer.status == 400 && !matches!(expected, Err((404 | 405, _))) {
        return is_refused(method, answer, (400, &["bad-parameter", "bad-position"]));
    }
    let request = match expected {
        Ok(request) => request,
        Err(refusal) => return is_refused(method, answer, refusal),
    };
    assert_eq!(answer.status, 200);
    if let (Some(request), true) = (request, method != "HEAD") {
        request.is_answered(&answer.json());
    }
}

/// Panics unless the game is judged, or refused for a reason that it gives.
fn is_judged(body: &[u8], answer: &Answer) {
    let question: Value = serde_json::from_slice(body).unwrap_or_default();
    let games = question["text"].as_str();
    let games = games.map(|text| notation::games(text).collect::<Result<Vec<_>, _>>());
    if answer.status == 200 {
        let games = games.unwrap().unwrap();
        let document = answer.json();
        assert_eq!(document["games"], games.len());
        let number = question["game"].as_u64().unwrap_or(1) as usize;
        assert_eq!(document["length"], games[number - 1].moves.len());
        let played: Game = document["game"].as_str().unwrap().parse().unwrap();
        let rules: Ruleset = document["rules"].as_str().unwrap().parse().unwrap();
        let played_on = played.replay(rules);
        assert!(played_on.is_ok(), "{played_on:?}");
        return;
    }
    let code = match games {
        None => (400, &["bad-json"][..]),
        Some(Err(_)) => (400, &["bad-game", "bad-json"][..]),
        Some(Ok(_)) if answer.status == 413 => (413, &["body-too-large", "too-many-moves"][..]),
        Some(Ok(_)) => (400, &["bad-game", "bad-json"][..]),
    };
    is_refused("POST", answer, code);
}

fn is_refused(method: &str, answer: &Answer, (status, codes): Refusal) {
    assert_eq!(answer.status, status, "{codes:?}");
    if method != "HEAD" {
        let code = answer.code().unwrap();
        assert!(codes.contains(&code.as_str()), "{code}, not {codes:?}");
    }
}

/// A question to tables.
struct Asked {
    rules: Ruleset,
    cycles: Option<Cycles>,
    what: What,
}

enum What {
    Position(PositionText),
    Batch(Vec<bodies::Entry>),
    Statistics,
}

/// A parsed request.
fn read(rules: &str, what: &str, query: &str, body: &[u8]) -> Result<Asked, Refusal> {
    let bad_parameter: Refusal = (400, &["bad-parameter"]);
    let rules = rules.parse().map_err(|_| (404, &["unknown-ruleset"][..]))?;
    let with_position = matches!(what, "position" | "prove" | "line");
    let mut parameters = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let is_known = match name {
            "cycles" => true,
            "p" => with_position,
            "time" => matches!(what, "prove" | "line"),
            _ => false,
        };
        let value = decoded(value).ok_or(bad_parameter)?;
        if !is_known || parameters.insert(name, value).is_some() {
            return Err(bad_parameter);
        }
    }
    let text = |name| match parameters.get(name) {
        Some(value) => str::from_utf8(value).map(Some).map_err(|_| bad_parameter),
        None => Ok(None),
    };
    let position = if with_position {
        let position = text("p")?.ok_or(bad_parameter)?;
        Some(bodies::position(position).map_err(refusal)?)
    } else {
        None
    };
    let cycles = text("cycles")?.map(|name| name.parse().map_err(|_| bad_parameter));
    let cycles = cycles.transpose()?;
    let asked = match (position, what) {
        (Some(position), _) => What::Position(position),
        (None, "batch") => {
            let list = bodies::list(body, 10_000);
            What::Batch(list.map_err(|codes| match codes {
                ["too-many-positions"] => (413, codes),
                _ => (400, codes),
            })?)
        }
        (None, _) => What::Statistics,
    };
    Ok(Asked {
        rules,
        cycles,
        what: asked,
    })
}

fn refusal(code: &'static str) -> Refusal {
    match code {
        "impossible-position" => (422, &["impossible-position"]),
        _ => (400, &["bad-position"]),
    }
}

/// Decodes the value of a parameter.
fn decoded(value: &str) -> Option<Vec<u8>> {
    let spaces = value.replace('+', " ");
    let mut parts = spaces.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    Some(bytes)
}

impl Asked {
    /// Panics if the answer is another one.
    fn is_answered(&self, document: &Value) {
        assert_eq!(document["unit"], "seeds");
        assert_eq!(document["rules"], self.rules.name());
        let cycles = self.cycles.unwrap_or(Cycles::Split);
        assert_eq!(document["cycles"], cycles.name());
        match &self.what {
            What::Position(text) => {
                self.is_worth(&text.position(), document);
                let has_stores = document["situation"].is_object();
                assert_eq!(has_stores, text.situation().is_some());
                assert!(document["moves"].is_array());
            }
            What::Batch(entries) => {
                let answers = document["answers"].as_array().unwrap();
                assert_eq!(answers.len(), entries.len());
                for (answer, entry) in answers.iter().zip(entries) {
                    match entry {
                        Ok(position) => self.is_worth(position, answer),
                        Err(code) => {
                            assert_eq!(answer.as_object().unwrap().len(), 1);
                            assert_eq!(answers::code(&answer["error"]), *code);
                        }
                    }
                }
            }
            What::Statistics => assert!(document["layers"].is_array()),
        }
    }

    /// Panics if the document does not have the worth of the position.
    fn is_worth(&self, position: &Position, found: &Value) {
        assert_eq!(found["position"], json!(position.houses()));
        assert_eq!(found["seeds"], position.seeds());
        let is_split = self.cycles.unwrap_or(Cycles::Split) == Cycles::Split;
        let worth = &found[if is_split { "value" } else { "low" }];
        assert!(worth.is_null() || worth.is_i64());
        assert_eq!(worth.is_null(), found["reason"].is_string());
        let known = sample::value(position).filter(|_| is_split && self.rules == Ruleset::Abapa);
        assert!(known.is_none_or(|known| *worth == known), "{found}");
    }
}
