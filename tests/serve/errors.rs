//! Errors: each has a status, a code and a hint.

use crate::schema::OPENAPI;
use crate::server::Server;

#[test]
fn every_error_has_its_status_and_code() {
    let server = Server::sample();
    for case in [
        "400 bad-parameter abapa/position",
        "400 bad-parameter abapa/position?",
        "400 bad-parameter abapa/position?q=1",
        "400 bad-parameter abapa/position?p=0&p=0",
        "400 bad-parameter abapa/position?p=%zz",
        "400 bad-parameter abapa/position?p=%",
        "400 bad-parameter abapa/position?p=%ff%fe",
        "400 bad-parameter abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0&cycles=%ff",
        "400 bad-parameter abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0&cycle=split",
        "400 bad-parameter abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0&cycles=halves",
        "400 bad-parameter abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0&cycles=",
        "400 bad-position abapa/position?p=",
        "400 bad-position abapa/position?p",
        "400 bad-position abapa/position?p=one",
        "400 bad-position abapa/position?p=0,0,0,0,0,1,2,0,0,0,0",
        "400 bad-position abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0,0",
        "400 bad-position abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,-1",
        "400 bad-position abapa/position?p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-X",
        "400 bad-position abapa/position?p=%00",
        "422 impossible-position abapa/position?p=4,4,4,4,4,4,4,4,4,4,4,5",
        "422 impossible-position abapa/position?p=99,4,4,4,4,4,4,4,4,4,4,5",
        "422 impossible-position abapa/position?p=4-4-4-4-4-4-4-4-4-4-4-4-1-0-S",
        "422 impossible-position abapa/position?p=0-4-4-4-4-4-4-4-4-4-4-4-1-0-N",
        "404 unknown-ruleset kalah/position?p=0,0,0,0,0,1,2,0,0,0,0,0",
        "404 unknown-ruleset Abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0",
        "404 unknown-ruleset /position?p=0,0,0,0,0,1,2,0,0,0,0,0",
        "404 unknown-ruleset ../position?p=0,0,0,0,0,1,2,0,0,0,0,0",
        "400 bad-parameter abapa/line",
        "400 bad-position abapa/line?p=one",
        "422 impossible-position abapa/line?p=48,1,0,0,0,0,0,0,0,0,0,0",
        "404 unknown-ruleset kalah/line?p=48,0,0,0,0,0,0,0,0,0,0,0",
        "400 bad-parameter abapa/stats?p=1",
        "404 unknown-ruleset kalah/stats",
    ] {
        let words: Vec<&str> = case.split(' ').collect();
        let [status, code, target] = words[..] else {
            panic!("{case}");
        };
        let status: u16 = status.parse().unwrap();
        let answer = server.get(&format!("/api/v1/{target}"));
        answer.assert_error(status, code);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let has_place = answer.json()["error"]["at"].is_u64();
        assert_eq!(has_place, code.ends_with("-position"), "{target}");
    }
    let long = format!("/api/v1/abapa/position?p={}", "0,".repeat(501));
    server.get(&long).assert_error(400, "bad-position");
    server.assert_well();
}

#[test]
fn the_place_of_an_error_is_told_in_characters() {
    let server = Server::sample();
    let answer = server.get("/api/v1/abapa/position?p=%C3%A9+0+one");
    assert_eq!(answer.json()["error"]["at"], 0);
    let answer = server.get("/api/v1/abapa/position?p=1+0+%C3%A9+one");
    assert_eq!(answer.json()["error"]["at"], 4);
}

#[test]
fn batches_that_are_refused() {
    let server = Server::sample();
    let many = format!("[{}\"\"]", "\"\",".repeat(10_000));
    let most = format!("[{}\"\"]", "\"\",".repeat(9_999));
    let long = format!("[\"{}\"]", " ".repeat(1 << 20));
    let longer = " ".repeat(3 << 20);
    let longest = " ".repeat(20 << 20);
    let deep = "[".repeat(10_000);
    let objects = format!("[{}", "{\"\":".repeat(200_000));
    for (body, status, code) in [
        ("", 400, "bad-json"),
        ("{}", 400, "bad-json"),
        ("[", 400, "bad-json"),
        ("[\"0\",]", 400, "bad-json"),
        ("null", 400, "bad-json"),
        ("\"0 0 0 0 0 1 2 0 0 0 0 0\"", 400, "bad-json"),
        ("[] []", 400, "bad-json"),
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
    let answer = server.post("/api/v1/kalah/batch", b"[]");
    answer.assert_error(404, "unknown-ruleset");
    let answer = server.post("/api/v1/abapa/batch?p=1", b"[]");
    answer.assert_error(400, "bad-parameter");
    server.assert_well();
}

#[test]
fn what_is_not_there_is_not_found() {
    let server = Server::sample();
    let targets = "/x /index.html/ /api /api/v1 /api/v1/ /api/v1/tables/ /api/v1/abapa \
        /api/v1/abapa/ /api/v1/abapa/moves /api/v1/abapa/position/ /api/v1/position /api/v1/a/b/position /api/v2/tables // \
        /../Cargo.toml /web/index.html /%69ndex.html /..%2f..%2fetc/passwd /....//etc/passwd \
        /etc/passwd /healthz/";
    for target in targets.split(' ').filter(|target| !target.is_empty()) {
        for method in ["GET", "POST", "DELETE"] {
            let answer = server.ask(method, target, &[], b"");
            answer.assert_error(404, "not-found");
        }
    }
}

#[test]
fn methods_that_cannot_be_used() {
    let server = Server::sample();
    for (method, target, allow) in [
        ("GET", "/api/v1/abapa/batch", "POST, OPTIONS"),
        ("HEAD", "/api/v1/abapa/batch", "POST, OPTIONS"),
        ("PUT", "/api/v1/abapa/batch", "POST, OPTIONS"),
        ("GET", "/api/v1/abapa/judge", "POST, OPTIONS"),
        ("POST", "/api/v1/tables", "GET, HEAD, OPTIONS"),
        ("DELETE", "/", "GET, HEAD, OPTIONS"),
        ("BREW", "/healthz", "GET, HEAD, OPTIONS"),
        ("CONNECT", "/healthz", "GET, HEAD, OPTIONS"),
    ] {
        let answer = server.ask(method, target, &[], b"");
        assert_eq!(answer.status, 405, "{method} {target}");
        assert_eq!(answer.header("allow"), Some(allow));
        if method != "HEAD" {
            answer.assert_error(405, "method-not-allowed");
        }
    }
}

#[test]
fn both_descriptions_have_the_same_codes() {
    let text = include_str!("../../docs/http-api.md");
    let codes = &OPENAPI["components"]["schemas"]["Error"]["properties"]["error"];
    let codes = codes["properties"]["code"]["enum"].as_array().unwrap();
    assert_eq!(codes.len(), 19);
    for code in codes {
        let code = code.as_str().unwrap();
        assert!(text.contains(&format!("`{code}`")), "{code}");
    }
}
