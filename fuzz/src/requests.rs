//! Any bytes as the position of a request, as the body of a batch and as a game to judge. Slow twins, which follow
//! `docs/http-api.md`, predict the answers: the one of a batch first builds a tree of all values.

use std::str;
use std::sync::LazyLock;

use granero::notation::{self, ParseError, PositionText};
use granero::{Cycles, Game, Position, Ruleset};
use granero_answer::batch::LONGEST;
use granero_serve::fuzzing::Site;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answers::{self, Answer};
use super::sample;

static SITE: LazyLock<Site> = LazyLock::new(|| Site::new().unwrap());

/// The most positions of a batch.
const MOST: usize = 10_000;

/// The status of an error, and its code.
type Refusal = (u16, &'static str);

/// Panics if an answer is not the twin's.
pub fn run(bytes: &[u8]) {
    // A longer target is too long for a head.
    if bytes.len() < 2500 {
        let parameter: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
        let text = str::from_utf8(bytes).map_err(|_| (400, "bad-parameter"));
        let read = text.and_then(position);
        for (what, cycles) in [
            ("position", Cycles::Split),
            ("line", Cycles::OwnSide),
            ("prove", Cycles::Split),
        ] {
            let target = format!("{what}?p={parameter}&cycles={cycles}");
            let answer = ask("GET", &target, b"");
            let Some(document) = document(&answer, read.as_ref().err()) else {
                continue;
            };
            let text = read.as_ref().unwrap();
            is_worth(&text.position(), cycles, &document);
            let has_stores = document["situation"].is_object();
            assert_eq!(has_stores, text.situation().is_some());
            assert!(document["moves"].is_array());
        }
    }
    let entries = list(bytes);
    let answer = ask("POST", "batch", bytes);
    if let Some(document) = document(&answer, entries.as_ref().err()) {
        let (entries, answers) = (entries.unwrap(), document["answers"].as_array().unwrap());
        assert_eq!(answers.len(), entries.len());
        for (answer, entry) in answers.iter().zip(entries) {
            match entry {
                Ok(position) => is_worth(&position, Cycles::Split, answer),
                Err((_, code)) => {
                    assert_eq!(answer.as_object().unwrap().len(), 1);
                    assert_eq!(answers::code(&answer["error"]), code);
                }
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let number = usize::from(bytes.first().copied().unwrap_or(0)) % 4;
    let body = json!({ "text": text, "game": number }).to_string();
    is_judged(&text, number, &ask("POST", "judge", body.as_bytes()));
}

/// The answer to a request about `abapa`.
fn ask(method: &str, target: &str, body: &[u8]) -> Answer {
    let head = format!(
        "{method} /api/v1/abapa/{target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    let conversation = SITE.converse(&[head.as_bytes(), body].concat(), usize::MAX);
    let [answer] = answers::of(&conversation).try_into().expect("one answer");
    answer
}

/// The document of an answer that is not refused. Panics unless it is refused for this reason.
fn document(answer: &Answer, refusal: Option<&Refusal>) -> Option<Value> {
    let found = (answer.status, answer.code());
    let expected = refusal.map_or((200, None), |(status, code)| {
        (*status, Some(code.to_string()))
    });
    assert_eq!(found, expected);
    let document = refusal.is_none().then(|| answer.json())?;
    assert_eq!(
        (&document["unit"], &document["rules"]),
        (&json!("seeds"), &json!("abapa"))
    );
    Some(document)
}

/// Panics if a document does not have the worth of a position.
fn is_worth(position: &Position, cycles: Cycles, found: &Value) {
    assert_eq!(found["position"], json!(position.houses()));
    assert_eq!(found["seeds"], position.seeds());
    let is_split = cycles == Cycles::Split;
    let worth = &found[if is_split { "value" } else { "low" }];
    assert!(worth.is_null() || worth.is_i64());
    assert_eq!(worth.is_null(), found["reason"].is_string());
    let known = sample::value(position).filter(|_| is_split);
    assert!(known.is_none_or(|known| *worth == known), "{found}");
}

/// Panics unless a game of a text is judged, by its number from 1 on, or refused for a reason that it gives.
fn is_judged(text: &str, number: usize, answer: &Answer) {
    let games = notation::games(text).collect::<Result<Vec<_>, _>>();
    if answer.status == 200 {
        let games = games.unwrap();
        let document = answer.json();
        assert_eq!(document["games"], games.len());
        assert_eq!(document["length"], games[number - 1].moves.len());
        let played: Game = document["game"].as_str().unwrap().parse().unwrap();
        let rules: Ruleset = document["rules"].as_str().unwrap().parse().unwrap();
        let played_on = played.replay(rules);
        assert!(played_on.is_ok(), "{played_on:?}");
        return;
    }
    let code = answer.code().unwrap();
    let is_too_large = ["body-too-large", "too-many-moves"].contains(&code.as_str());
    assert!(
        code == "bad-game"
            || games.is_ok_and(|games| (1..=games.len()).contains(&number)) && is_too_large,
        "{code}"
    );
}

/// The position in a text.
fn position(text: &str) -> Result<PositionText, Refusal> {
    let bad = (400, "bad-position");
    if text.len() > LONGEST {
        return Err(bad);
    }
    text.parse().map_err(|error: ParseError| {
        if error.impossible {
            (422, "impossible-position")
        } else {
            bad
        }
    })
}

/// The entries of a list, each a position or the code of its error. An entry that is nested too deep, or has a text or
/// number that cannot be read, is not a position.
fn list(json: &[u8]) -> Result<Vec<Result<Position, Refusal>>, Refusal> {
    let list: Vec<Box<RawValue>> = serde_json::from_slice(json).map_err(|_| (400, "bad-json"))?;
    if list.len() > MOST {
        return Err((413, "too-many-positions"));
    }
    Ok(list.iter().map(|raw| entry(raw.get())).collect())
}

fn entry(raw: &str) -> Result<Position, Refusal> {
    match serde_json::from_str(raw) {
        Ok(Value::String(text)) => position(&text).map(|text| text.position()),
        Ok(Value::Array(houses)) => {
            let houses: Option<Vec<u64>> = houses.iter().map(Value::as_u64).collect();
            let houses: Option<[u64; 12]> = houses.and_then(|houses| houses.try_into().ok());
            let houses = houses.ok_or((400, "bad-position"))?;
            let houses = houses.map(|seeds| seeds.min(255) as u8);
            Position::new(houses).map_err(|_| (422, "impossible-position"))
        }
        _ => Err((400, "bad-position")),
    }
}
