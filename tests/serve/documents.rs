//! Requests in the documents are answered as the documents show.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::server::Server;

const HTTP_API: &str = include_str!("../../docs/http-api.md");
const README: &str = include_str!("../../README.md");

/// Returns the pieces of code in a language.
fn pieces(document: &str, language: &str) -> Vec<String> {
    let begin = format!("\n```{language}\n");
    let behind = document.split(&begin).skip(1);
    behind
        .map(|text| text.split("\n```").next().unwrap().to_string())
        .collect()
}

/// Reads JSON in which `…` stands for more fields, more elements, or more of a text.
fn read(shown: &str) -> Json {
    let fields = shown
        .replace("{…,", r#"{"…":0,"#)
        .replace(",…}", r#","…":0}"#);
    let elements = fields.replace("[…]", r#"["…"]"#).replace(",…]", r#","…"]"#);
    serde_json::from_str(&elements).unwrap_or_else(|error| panic!("{error}: {shown}"))
}

fn assert_shows(shown: &Json, answer: &Json) {
    match (shown, answer) {
        (Json::Object(some), Json::Object(all)) => {
            for (name, value) in some.iter().filter(|(name, _)| *name != "…") {
                assert_shows(value, &all[name]);
            }
            assert!(
                some.contains_key("…") || some.len() == all.len(),
                "{answer}"
            );
        }
        (Json::Array(some), Json::Array(all)) => {
            let more = some.last().is_some_and(|last| last == "…");
            let some = &some[..some.len() - usize::from(more)];
            assert!(more || some.len() == all.len(), "{answer}");
            for (shown, element) in some.iter().zip(all) {
                assert_shows(shown, element);
            }
        }
        (Json::String(some), Json::String(all)) => match some.strip_suffix('…') {
            Some(begin) => assert!(all.starts_with(begin), "{all}"),
            None => assert_eq!(some, all),
        },
        _ => assert_eq!(shown, answer),
    }
}

#[test]
fn answers_are_those_of_the_document() {
    let server = Server::with(&["--prove", "20s"]);
    let json = pieces(HTTP_API, "json");
    let [
        position,
        beyond,
        over,
        bounds,
        proven,
        line,
        positions,
        batch,
        error,
    ] = &json[..]
    else {
        panic!("another number of examples: {}", json.len());
    };
    let api = "/api/v1/abapa";
    let text = pieces(HTTP_API, "text");
    let requests = text.iter().filter_map(|text| text.strip_prefix("GET "));
    let [request, search] = &requests.collect::<Vec<&str>>()[..] else {
        panic!("another number of requests");
    };
    for (shown, target) in [
        (position, request.to_string()),
        // With enough time for a slow machine.
        (proven, search.replace("time=1s", "time=20s")),
        (beyond, format!("{api}/position?p=4,4,4,4,4,4,4,4,4,4,4,4")),
        (over, format!("{api}/position?p=5,0,0,0,0,0,0,0,0,0,0,0")),
        (
            bounds,
            format!("{api}/position?p=0,0,0,3,0,1,0,0,0,0,0,2&cycles=own-side"),
        ),
        (
            line,
            format!("{api}/line?p=0-0-0-0-0-5-1-0-0-0-0-0-20-22-N"),
        ),
        (error, format!("{api}/position?p=0+0+0+one")),
    ] {
        assert_shows(&read(shown), &server.json(&target));
    }
    let answer = server.post(&format!("{api}/batch"), positions.as_bytes());
    assert_shows(&read(batch), &answer.json());
}

/// Sends the requests that `curl` would send.
#[test]
fn requests_in_the_documents_are_answered() {
    let server = Server::sample();
    let shells = [pieces(README, "sh"), pieces(HTTP_API, "sh")].concat();
    let lines = shells.iter().flat_map(|shell| shell.lines());
    let mut count = 0;
    for line in lines.filter(|line| line.starts_with("curl ")) {
        let words = shlex::split(line).unwrap();
        let target = words.last().unwrap();
        let target = target.strip_prefix("http://127.0.0.1:7475").unwrap();
        let answer = match &words[1..] {
            [_] => server.get(target),
            [option, body, _] if option == "--json" => server.post(target, body.as_bytes()),
            [header, kind, file, _, method, post, _]
                if [header, file, method, post] == ["-H", "-T", "-X", "POST"] =>
            {
                let body = b"0 0 0 0 0 1 2 0 0 0 0 0";
                let answer = server.ask("POST", target, &[kind], body);
                assert_eq!(answer.body, b"0 0 0 0 0 1 2 0 0 0 0 0\t-3\n");
                answer
            }
            _ => panic!("{line}"),
        };
        assert_eq!(answer.status, 200, "{line}");
        count += 1;
    }
    assert_eq!(count, 4);
}

/// Returns the endpoints of the document for people, such as `GET /healthz`.
pub(crate) fn endpoints() -> BTreeSet<&'static str> {
    let rows = HTTP_API.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.filter_map(|row| row.split(['`', '?']).next());
    rows.filter(|row| row.contains(" /")).collect()
}
