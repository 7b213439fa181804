//! Games that are judged over HTTP.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::server::{Answer, Server, eventually, granero};

fn judge(server: &Server, query: &str, question: &Json) -> Answer {
    let target = format!("/api/v1/abapa/judge{query}");
    server.post(&target, question.to_string().as_bytes())
}

const GAME: &str = "[South \"Ama\"]\n[FEN \"0-2-0-1-1-0-1-0-2-0-1-0-20-20-S\"]\n35. B a 36. D c";

#[test]
fn a_game_is_judged_as_the_command_judges_it() {
    // Enough time for a search on a busy machine.
    let mut server = Server::with(&["--prove", "20s"]);
    let both = format!("[Round \"1\"] 1. F f *\n{GAME}");
    let answer = judge(&server, "", &json!({ "text": both, "game": 2 }));
    assert_eq!(answer.status, 200);
    let json = answer.json();
    assert_eq!(json["games"], 2);
    assert_eq!(json["game"], "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S BaDc");
    assert_eq!(json["first"], 35);
    assert_eq!(json["second"], false);
    assert_eq!(json["south"]["name"], "Ama");
    let classes = json["moves"].as_array().unwrap().iter();
    let classes: Vec<&str> = classes
        .map(|judged| judged["class"].as_str().unwrap())
        .collect();
    assert_eq!(classes, ["changed-winner", "best", "gave-away", "best"]);
    // Moves beyond the tables count as in the command, with the same budget.
    let game = "0-2-2-0-2-1-0-0-0-0-2-1-19-19-S Bf";
    let ask = |server: &Server, query: &str| judge(server, query, &json!({ "text": game })).json();
    let served = ask(&server, "");
    assert_eq!([&served["beyond"], &served["searched"]], [2, 0]);
    assert_eq!(served["to_search"], 3);
    assert_eq!(served["moves"], json!([]));
    let settled = "granero_searches_total{ended=\"settled\"}";
    let mut searched = Json::Null;
    // On a busy machine a search may need more than its second.
    eventually("all three searches are settled", || {
        server = Server::with(&["--prove", "20s"]);
        searched = loop {
            let json = ask(&server, "?time=20s");
            if json["to_search"] == 0 {
                break json;
            }
        };
        Server::counter(&mut server.client(), settled) == 3
    });
    // Before the first move and after each of the two, all beyond the tables.
    let estimates = served["estimates"].as_array().unwrap();
    assert_eq!(estimates.len(), 3);
    assert!(
        estimates
            .iter()
            .all(|seeds| (19..=29).contains(&seeds.as_u64().unwrap()))
    );
    // What is proven is known at once from now on.
    assert_eq!(ask(&server, ""), searched);
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("game"), game).unwrap();
    for (mut served, cycles, more) in [
        (served, "split", "off"),
        (searched, "split", "1h"),
        (ask(&server, "?cycles=own-side"), "own-side", "off"),
    ] {
        let arguments = [
            "judge", "game", "--json", "--prove", more, "--cycles", cycles,
        ];
        let said = granero(&arguments, place.path(), "").stdout;
        let mut said: BTreeMap<String, Json> = serde_json::from_slice(&said).unwrap();
        said.remove("version");
        // Only the command estimates moves.
        assert_eq!(said.remove("estimated").is_some(), more == "off");
        for (field, mut value) in said {
            for moves in [&mut value, &mut served[&field]] {
                for judged in moves.as_array_mut().into_iter().flatten() {
                    judged["search"] = Json::Null;
                }
            }
            assert_eq!(served[&field], value, "{field}");
        }
    }
    let server = Server::with(&["--prove", "off"]);
    let json = judge(&server, "?time=1s", &json!({ "text": game })).json();
    assert_eq!(json["searched"], 0);
    assert_eq!(json["to_search"], 0);
    let server = Server::sample();
    // The game up to the first impossible move.
    let json = judge(&server, "", &json!({ "text": format!("{GAME} F") })).json();
    assert!(json["error"].is_null(), "{json}");
    let json = judge(&server, "", &json!({ "text": format!("{GAME} A") })).json();
    assert_eq!(json["error"]["number"], 5);
    assert_eq!(json["game"], "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S BaDc");
}

#[test]
fn bodies_without_a_game_are_refused() {
    let server = Server::sample();
    let text = |text: &str| json!({ "text": text });
    let long = judge(&server, "", &text(&"Ff".repeat(501)));
    long.assert_error(413, "too-many-moves");
    // Just too large, and larger than a batch may be.
    for bytes in [1 << 16, 2 << 20] {
        let answer = judge(&server, "", &text(&" ".repeat(bytes)));
        answer.assert_error(413, "body-too-large");
        let error = &answer.json()["error"];
        assert_eq!(error["message"], "the body has more than 65536 bytes");
        assert_eq!(error["hint"], "send fewer games at a time");
    }
}
