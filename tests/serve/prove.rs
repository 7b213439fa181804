//! Proven bounds beyond the tables: they hold, and searches stay within their limits, whatever clients
//! do. No test depends on the speed of a search.

use serde_json::Value as Json;

use crate::server::{Client, Server, eventually, granero};

/// The start of a game. No search settles it, so that it ends by time, or when it is stopped.
const START: &str = "4,4,4,4,4,4,4,4,4,4,4,4";

/// A position beyond the sample.
const BEYOND: &str = "1,0,2,0,0,2,0,1,2,0,1,0";

/// Options for searches that last as long as a test needs them.
const LONG: [&str; 4] = ["--prove", "20s", "--prove-memory", "8G"];

fn target(position: &str, more: &str) -> String {
    format!("/api/v1/abapa/prove?p={position}{more}")
}

/// Asks for a long search, and does not wait for the answer.
fn begin(mut client: Client) -> Client {
    let target = target(START, "&time=20s");
    let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.send(request.as_bytes()).unwrap();
    client
}

fn searches(client: &mut Client, state: &str) -> u64 {
    Server::counter(client, &format!("granero_searches{{state=\"{state}\"}}"))
}

/// Returns the number of searches that work or wait.
fn present(client: &mut Client) -> u64 {
    searches(client, "working") + searches(client, "waiting")
}

fn stopped(client: &mut Client) -> u64 {
    Server::counter(client, "granero_searches_total{ended=\"stopped\"}")
}

#[test]
fn a_search_that_settles_it_gives_the_value() {
    let server = Server::sample();
    let long = Server::with(&LONG);
    // This is enough time on any machine.
    let answer = long.get(&target(BEYOND, "&time=20s"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let answer = answer.json();
    assert_eq!(answer["proven"]["ended"], "settled");
    assert_eq!(answer["value"], answer["proven"]["low"]);
    assert_eq!(answer["proven"]["low"], answer["proven"]["high"]);
    assert_eq!(answer["moves"][0]["best"], true);
    // The command proves the same bounds.
    let arguments = ["query", "--json", "--prove", "1h", BEYOND];
    let output = granero(&arguments, server.place.path(), "");
    let query: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(query["value"], answer["value"]);
    // The tables answer what they have.
    let known = "1,0,2,0,0,0,0,1,2,0,1,0";
    let [proven, usual] =
        ["prove", "position"].map(|what| long.get(&format!("/api/v1/abapa/{what}?p={known}")));
    assert_eq!(proven.body, usual.body);
    assert_eq!(proven.header("etag"), usual.header("etag"));
    // The line takes the proven move.
    let line = long.get(&format!("/api/v1/abapa/line?p={BEYOND}&time=20s"));
    assert_eq!(line.header("cache-control"), Some("no-store"));
    assert_eq!(line.json()["value"], answer["value"]);
    let best = answer["moves"][0]["house"].as_str();
    assert_eq!(line.json()["moves"][0]["move"].as_str(), best);
    // No time, or hardly any, is also a budget.
    let answer = server.json(&target(START, "&time=0s"));
    assert_eq!(answer["proven"]["ended"], "time");
    assert_eq!(answer["value"], Json::Null);
    assert_eq!(answer["reason"], "the tables reach up to 8 seeds");
}

#[test]
fn without_searches_the_tables_answer_alone() {
    let server = Server::with(&["--prove", "off"]);
    let limits = &server.json("/api/v1/tables")["limits"];
    assert_eq!(limits["prove_seconds"], Json::Null);
    assert!(
        server.memory.trim().ends_with("searches 0"),
        "{}",
        server.memory
    );
    for more in ["", "&time=500ms"] {
        let answer = server.get(&target(BEYOND, more));
        let usual = server.get(&format!("/api/v1/abapa/position?p={BEYOND}"));
        assert_eq!((answer.status, &answer.body), (200, &usual.body));
        let line = server.get(&format!("/api/v1/abapa/line?p={BEYOND}{more}"));
        assert_eq!(line.json()["end"], Json::Null);
    }
    // A server that searches gives its limit.
    let server = Server::with(&["--prove", "1500ms"]);
    let limits = &server.json("/api/v1/tables")["limits"];
    assert_eq!(limits["prove_seconds"], 1.5);
}

#[test]
fn a_search_that_works_or_waits_goes_with_its_client() {
    let arguments = [&LONG[..], &["--prove-searches", "1"]].concat();
    let server = Server::with(&arguments);
    let mut other = server.client();
    let first = begin(server.client());
    eventually("it works", || searches(&mut other, "working") == 1);
    let second = begin(server.client());
    eventually("it waits", || searches(&mut other, "waiting") == 1);
    drop(second);
    eventually("it is gone", || searches(&mut other, "waiting") == 0);
    // The first search goes on.
    assert_eq!(searches(&mut other, "working"), 1);
    assert_eq!(stopped(&mut other), 0);
    drop(first);
    // It has twenty seconds: the counter shows that it was stopped.
    eventually("it has ended", || searches(&mut other, "working") == 0);
    assert_eq!(stopped(&mut other), 1);
    server.assert_well();
}

/// For each search that works, there are eight permits.
#[test]
fn the_queue_has_a_limit() {
    let arguments = [&LONG[..], &["--prove-searches", "1"]].concat();
    let server = Server::with(&arguments);
    let mut other = server.client();
    let mut searching = Vec::new();
    for number in 1..=8 {
        searching.push(begin(server.client()));
        eventually("it has a place", || present(&mut other) == number);
    }
    server.get(&target(START, "&time=0s")).assert_overloaded();
    // Requests that need no search are answered all the time, also at this path.
    server.assert_well();
    let within = server.get(&target("0,0,0,0,0,1,2,0,0,0,0,0", ""));
    assert_eq!(within.json()["value"], -3);
    drop(searching);
    eventually("all are gone", || present(&mut other) == 0);
    let answer = server.get(&target(START, "&time=0s"));
    assert_eq!(answer.json()["proven"]["ended"], "time");
    assert!(Server::counter(&mut other, "granero_overloaded_total") >= 1);
}

#[test]
fn a_full_memory_ends_a_search() {
    let arguments = ["--prove", "20s", "--prove-memory", "64K"];
    let server = Server::with(&arguments);
    let proven = server.json(&target(START, "&time=20s"))["proven"].clone();
    assert_eq!(proven["ended"], "memory");
    let mut client = server.client();
    let positions = Server::counter(&mut client, "granero_searched_positions_total");
    assert_eq!(proven["positions"], positions);
    let ended = "granero_searches_total{ended=\"memory\"}";
    assert_eq!(Server::counter(&mut client, ended), 1);
}
