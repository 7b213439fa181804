//! Games that are judged over HTTP.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::schema::{check, of_answer, openapi};
use crate::server::{Server, command};

const PATH: &str = "/api/v1/{rules}/judge";

/// Asks, and checks that the answer fits the document.
fn judge(server: &Server, target: &str, question: &str) -> (u16, Json) {
    let answer = server.post(target, question.as_bytes());
    let document = openapi();
    let schema = of_answer(&document, PATH, "post", answer.status).unwrap();
    let json = answer.json();
    assert_eq!(check(&document, schema, &json), Ok(()), "{question}");
    (answer.status, json)
}

const GAME: &str = "[South \"Ama\"]\n[FEN \"0-2-0-1-1-0-1-0-2-0-1-0-20-20-S\"]\n35. B a 36. D c";

#[test]
fn a_game_is_judged_as_the_command_judges_it() {
    let server = Server::sample();
    let both = format!("[Round \"1\"] 1. F f *\n{GAME}");
    let (status, json) = judge(
        &server,
        "/api/v1/abapa/judge",
        &json!({ "text": both, "game": 2 }).to_string(),
    );
    assert_eq!(status, 200);
    assert_eq!(json["games"], 2);
    assert_eq!(json["game"], "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S BaDc");
    assert_eq!(
        (&json["first"], &json["second"]),
        (&json!(35), &json!(false))
    );
    assert_eq!(json["south"]["name"], "Ama");
    let classes = json["moves"].as_array().unwrap().iter();
    let classes: Vec<&str> = classes
        .map(|judged| judged["class"].as_str().unwrap())
        .collect();
    assert_eq!(classes, ["changed-winner", "best", "gave-away", "best"]);
    // A move beyond the tables counts nowhere; all other moves count as in the command.
    let game = "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S FeDb";
    let question = json!({ "text": game }).to_string();
    for (target, cycles) in [("judge", "split"), ("judge?cycles=own-side", "own-side")] {
        let (_, served) = judge(&server, &format!("/api/v1/abapa/{target}"), &question);
        assert_eq!(
            (&served["length"], &served["beyond"]),
            (&json!(4), &json!(1))
        );
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("game"), game).unwrap();
        let arguments = [
            "judge", "game", "--json", "--prove", "off", "--cycles", cycles,
        ];
        let said = command(&arguments, place.path()).output().unwrap().stdout;
        let said: BTreeMap<String, Json> = serde_json::from_slice(&said).unwrap();
        for (field, value) in said.iter().filter(|(field, _)| *field != "version") {
            assert_eq!(served[field], *value, "{field}");
        }
    }
    // The game up to the first impossible move.
    let question = json!({ "text": format!("{GAME} F") }).to_string();
    let (status, json) = judge(&server, "/api/v1/abapa/judge", &question);
    assert_eq!((status, json["error"].is_null()), (200, true));
    let question = json!({ "text": format!("{GAME} A") }).to_string();
    let (status, json) = judge(&server, "/api/v1/abapa/judge", &question);
    assert_eq!((status, &json["error"]["number"]), (200, &json!(5)));
    assert_eq!(json["game"], "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S BaDc");
}

#[test]
fn bodies_without_a_game_are_refused() {
    let server = Server::sample();
    let text = |text: &str| json!({ "text": text }).to_string();
    for (question, status, code) in [
        (text("1. 3 5"), 400, "bad-game"),
        (text(""), 400, "bad-game"),
        (
            json!({"text": GAME, "game": 2}).to_string(),
            400,
            "bad-game",
        ),
        (
            json!({"text": GAME, "game": 0}).to_string(),
            400,
            "bad-game",
        ),
        ("[]".into(), 400, "bad-json"),
        ("{\"text\": 1}".into(), 400, "bad-json"),
        ("{\"text\": \"F\", \"more\": 1}".into(), 400, "bad-json"),
        ("{".into(), 400, "bad-json"),
        (text(&"Ff".repeat(501)), 413, "too-many-moves"),
        (text(&" ".repeat(1 << 16)), 413, "body-too-large"),
    ] {
        let (found, json) = judge(&server, "/api/v1/abapa/judge", &question);
        assert_eq!(
            (found, json["error"]["code"].as_str()),
            (status, Some(code))
        );
    }
    // Just too large, and larger than a batch may be.
    for bytes in [1 << 16, 2 << 20] {
        let (_, json) = judge(&server, "/api/v1/abapa/judge", &text(&" ".repeat(bytes)));
        let error = &json["error"];
        assert_eq!(error["message"], "the body has more than 65536 bytes");
        assert_eq!(error["hint"], "send fewer games at a time");
    }
    let (status, _) = judge(&server, "/api/v1/none/judge", &text("F"));
    assert_eq!(status, 404);
    let (_, json) = judge(&server, "/api/v1/abapa/judge", &text("[A \"b\"]\n1. F f 9"));
    let message = json["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("not a game: line 2, column 8: expected"),
        "{message}"
    );
    assert_eq!(json["error"]["at"], 15);
}
