//! Requests and their answers. Errors have a status, a code and a hint.

use std::mem;

use crate::server::{Server, granero};

/// Sends the requests of `requests.txt`.
#[test]
fn requests_have_their_answers() {
    let mut servers = Vec::new();
    let mut place = tempfile::tempdir().unwrap();
    let lines = include_str!("requests.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(arguments) = line.strip_prefix("granero ") {
            let arguments: Vec<&str> = arguments.split(' ').collect();
            if arguments[0] == "serve" {
                let place = mem::replace(&mut place, tempfile::tempdir().unwrap());
                servers.push(Server::start(place, &arguments[1..]));
            } else {
                let built = granero(&arguments, place.path(), "");
                assert!(built.status.success(), "{built:?}");
            }
            continue;
        }
        let server = servers.last().unwrap();
        let line = line.replace("ADDRESS", &server.address);
        let (request, expected) = line.split_once(" => ").unwrap();
        let (request, body) = request.split_once(" < ").unwrap_or((request, ""));
        let (request, headers) = request.split_once(" | ").unwrap_or((request, ""));
        let (method, target) = request.split_once(' ').unwrap();
        let headers = headers.split(" | ").filter(|header| !header.is_empty());
        let headers: Vec<&str> = headers.collect();
        let answer = server.ask(method, target, &headers, body.as_bytes());
        let mut expected = expected.split(" | ");
        let status = expected.next().unwrap();
        if let Some((status, code)) = status.split_once(' ') {
            answer.assert_error(status.parse().unwrap(), code);
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            let has_place = answer.json()["error"]["at"].is_u64();
            let is_of_text = code.ends_with("-position") || code == "bad-game";
            assert!(is_of_text || !has_place, "{line}");
            assert!(has_place || !code.ends_with("-position"), "{line}");
        } else {
            assert_eq!(answer.status.to_string(), status, "{line}");
            let is_json = answer.header("content-type") == Some("application/json");
            if is_json && !answer.body.is_empty() {
                answer.json();
            }
        }
        for part in expected {
            let (name, value) = part.split_once(':').unwrap_or(("", ""));
            if !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            {
                let value = Some(value.trim_start()).filter(|value| !value.is_empty());
                assert_eq!(answer.header(name), value, "{line}");
            } else {
                let body = String::from_utf8_lossy(&answer.body);
                assert!(body.contains(part), "{line}: {body}");
            }
        }
    }
    servers.iter().for_each(Server::assert_well);
}

#[test]
fn bodies_and_targets_that_are_refused() {
    let server = Server::sample();
    let many = format!("[{}\"\"]", "\"\",".repeat(10_000));
    let most = format!("[{}\"\"]", "\"\",".repeat(9_999));
    let long = format!("[\"{}\"]", " ".repeat(1 << 20));
    let longer = " ".repeat(3 << 20);
    let longest = " ".repeat(20 << 20);
    let deep = "[".repeat(10_000);
    let objects = format!("[{}", "{\"\":".repeat(200_000));
    for (body, status, code) in [
        (&objects, 400, "bad-json"),
        (&deep, 400, "bad-json"),
        (&many, 413, "too-many-positions"),
        (&long, 413, "body-too-large"),
        (&longer, 413, "body-too-large"),
        (&longest, 413, "body-too-large"),
    ] {
        let answer = server.post("/api/v1/abapa/batch", body.as_bytes());
        answer.assert_error(status, code);
    }
    let most = server.post("/api/v1/abapa/batch", most.as_bytes());
    assert_eq!(most.status, 200);
    let answer = server.post("/api/v1/abapa/batch", b"[\"\xff\"]");
    answer.assert_error(400, "bad-json");
    // A text as long as a body may be is not repeated.
    let text = format!("\"{}\"", "\u{7f}".repeat((1 << 20) - 2));
    let answer = server.post("/api/v1/abapa/batch", text.as_bytes());
    answer.assert_error(400, "bad-json");
    assert!(answer.body.len() < 1000);
    let long = format!("/api/v1/abapa/position?p={}", "0,".repeat(501));
    server.get(&long).assert_error(400, "bad-position");
    // No browser sends a request without a host.
    let mut client = server.client();
    client.send(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(client.answer(false).unwrap().status, 200);
    server.assert_well();
}
