//! Checks of host and origin: a page of another site must not use the server through the browser of
//! a person who can reach it.

use crate::schema::{check, of_answer, openapi};
use crate::server::{Answer, Server};

const POSITION: &str = "/api/v1/abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0";
const BATCH: &str = "/api/v1/abapa/batch";

fn get(server: &Server, target: &str, host: &str) -> Answer {
    let host = format!("Host: {host}");
    server.client().ask("GET", target, &[&host], b"")
}

fn post(server: &Server, headers: &[&str]) -> Answer {
    server.client().ask("POST", BATCH, headers, b"[]")
}

#[test]
fn names_that_lead_here_but_were_not_given() {
    let server = Server::sample();
    let document = openapi();
    for (path, target) in [
        ("/api/v1/{rules}/position", POSITION),
        (
            "/api/v1/{rules}/line",
            "/api/v1/abapa/line?p=0,0,0,0,0,1,2,0,0,0,0,0",
        ),
        ("/api/v1/{rules}/stats", "/api/v1/abapa/stats"),
        ("/api/v1/tables", "/api/v1/tables"),
        ("/api/v1/openapi.json", "/api/v1/openapi.json"),
        ("/healthz", "/healthz"),
        ("/metrics", "/metrics"),
    ] {
        let answer = get(&server, target, "rebound.example:7475");
        assert_eq!(
            (answer.status, &*answer.code()),
            (403, "forbidden-host"),
            "{target}"
        );
        let schema = of_answer(&document, path, "get", 403).unwrap();
        assert_eq!(check(&document, schema, &answer.json()), Ok(()));
        assert_eq!(get(&server, target, &server.address).status, 200);
        assert_eq!(get(&server, target, "localhost").status, 200);
        assert_eq!(get(&server, target, "[::1]:7475").status, 200);
        assert_eq!(
            get(&server, target, "192.0.2.1").status,
            200,
            "forwarded to here"
        );
    }
    assert_eq!(get(&server, "/", "rebound.example").status, 403);
    for host in [
        "",
        "a b",
        "user@localhost",
        "localhost.rebound.example",
        "[::1].rebound.example",
    ] {
        assert_eq!(get(&server, POSITION, host).status, 403, "{host}");
    }
    // Each of several hosts must be right.
    let twice = ["Host: localhost", "Host: rebound.example"];
    assert_eq!(
        server.client().ask("GET", POSITION, &twice, b"").status,
        403
    );
    let whole = format!("http://rebound.example{POSITION}");
    assert_eq!(server.client().ask("GET", &whole, &[], b"").status, 403);
    // No browser sends a request without a host.
    let mut client = server.client();
    client.send(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(client.answer(false).unwrap().status, 200);
}

#[test]
fn names_that_were_given() {
    let names = ["--host", "oware.example.org", "--host", "Granero"];
    let server = Server::start(tempfile::tempdir().unwrap(), &names);
    for host in [
        "oware.example.org",
        "OWARE.example.org:8443",
        "granero:7475",
        "localhost",
    ] {
        assert_eq!(get(&server, POSITION, host).status, 200, "{host}");
    }
    assert_eq!(get(&server, POSITION, "www.oware.example.org").status, 403);
    // A proxy may listen on another port than the server.
    let host = "Host: oware.example.org";
    let origin = "Origin: https://oware.example.org:8443";
    assert_eq!(post(&server, &[host, origin]).status, 200);
    assert_eq!(
        post(&server, &[host, "Origin: https://example.org"]).status,
        403
    );
}

#[test]
fn batches_from_pages_elsewhere() {
    let server = Server::sample();
    let document = openapi();
    let own = [
        format!("Host: {}", server.address),
        format!("Origin: http://{}", server.address),
    ];
    assert_eq!(post(&server, &[&own[0], &own[1]]).status, 200);
    for origin in [
        "https://example.org",
        "null",
        "http://localhost",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
        "x",
        "",
    ] {
        let origin = format!("Origin: {origin}");
        // A form or a script can send the first without a preflight request.
        for kind in ["Content-Type: text/plain", "Content-Type: application/json"] {
            let answer = post(&server, &[&own[0], &origin, kind]);
            assert_eq!(
                (answer.status, &*answer.code()),
                (403, "forbidden-origin"),
                "{origin}"
            );
            let schema = of_answer(&document, "/api/v1/{rules}/batch", "post", 403).unwrap();
            assert_eq!(check(&document, schema, &answer.json()), Ok(()));
        }
    }
    for kind in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
    ] {
        let answer = post(&server, &[&format!("Content-Type: {kind}")]);
        assert_eq!(
            (answer.status, &*answer.code()),
            (415, "unsupported-media-type"),
            "{kind}"
        );
        let schema = of_answer(&document, "/api/v1/{rules}/batch", "post", 415).unwrap();
        assert_eq!(check(&document, schema, &answer.json()), Ok(()));
    }
    for kind in ["application/json", "Application/JSON; charset=utf-8"] {
        assert_eq!(
            post(&server, &[&format!("Content-Type: {kind}")]).status,
            200,
            "{kind}"
        );
    }
}

#[test]
fn pages_elsewhere_that_may_ask() {
    let server = Server::start(tempfile::tempdir().unwrap(), &["--cors"]);
    assert_eq!(post(&server, &["Origin: https://example.org"]).status, 200);
    assert_eq!(get(&server, POSITION, "rebound.example").status, 403);
    let preflight =
        server
            .client()
            .ask("OPTIONS", "/metrics", &["Origin: https://example.org"], b"");
    assert_eq!(preflight.header("access-control-allow-origin"), None);
}
