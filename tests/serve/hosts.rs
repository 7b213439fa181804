//! Checks of host and origin: a page of another site must not use the server through the browser of
//! a person who can reach it.

use crate::server::{Answer, KNOWN, Server};

const BATCH: &str = "/api/v1/abapa/batch";

fn get(server: &Server, target: &str, host: &str) -> Answer {
    let host = format!("Host: {host}");
    server.ask("GET", target, &[&host], b"")
}

fn post(server: &Server, headers: &[&str]) -> Answer {
    server.ask("POST", BATCH, headers, b"[]")
}

#[test]
fn names_that_lead_here_but_were_not_given() {
    let server = Server::sample();
    for target in [
        KNOWN,
        "/api/v1/abapa/line?p=0,0,0,0,0,1,2,0,0,0,0,0",
        "/api/v1/abapa/stats",
        "/api/v1/tables",
        "/api/v1/openapi.json",
        "/healthz",
        "/metrics",
    ] {
        let answer = get(&server, target, "rebound.example:7475");
        answer.assert_error(403, "forbidden-host");
        // The last is forwarded to here.
        for host in [&server.address, "localhost", "[::1]:7475", "192.0.2.1"] {
            assert_eq!(get(&server, target, host).status, 200, "{target} {host}");
        }
    }
    assert_eq!(get(&server, "/", "rebound.example").status, 403);
    assert_eq!(get(&server, KNOWN, "").status, 403);
    // Each of several hosts must be right.
    let twice = ["Host: localhost", "Host: rebound.example"];
    let answer = server.ask("GET", KNOWN, &twice, b"");
    answer.assert_error(403, "forbidden-host");
    let whole = format!("http://rebound.example{KNOWN}");
    assert_eq!(server.ask("GET", &whole, &[], b"").status, 403);
    // No browser sends a request without a host.
    let mut client = server.client();
    client.send(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(client.answer(false).unwrap().status, 200);
}

#[test]
fn names_that_were_given() {
    let names = ["--host", "oware.example.org", "--host", "Granero"];
    let server = Server::with(&names);
    for host in [
        "oware.example.org",
        "OWARE.example.org:8443",
        "granero:7475",
        "localhost",
    ] {
        assert_eq!(get(&server, KNOWN, host).status, 200, "{host}");
    }
    assert_eq!(get(&server, KNOWN, "www.oware.example.org").status, 403);
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
            answer.assert_error(403, "forbidden-origin");
        }
    }
    for kind in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
    ] {
        let answer = post(&server, &[&format!("Content-Type: {kind}")]);
        answer.assert_error(415, "unsupported-media-type");
    }
    for kind in ["application/json", "Application/JSON; charset=utf-8"] {
        let answer = post(&server, &[&format!("Content-Type: {kind}")]);
        assert_eq!(answer.status, 200, "{kind}");
    }
}
