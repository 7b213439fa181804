//! Beginning, going on while tables grow, and ending.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use granero::index::Layer;
use serde_json::json;

use crate::server::{Server, build, granero};

/// Waits until something is so.
fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "never: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_cannot_be_served() {
    let place = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    fs::create_dir(place.path().join("broken")).unwrap();
    fs::write(place.path().join("broken/granero.json"), "{}").unwrap();
    for (arguments, code, message) in [
        (
            &["--db", "nowhere"] as &[&str],
            3,
            "nowhere holds no tables",
        ),
        (&["--db", "broken"], 3, "damaged"),
        (&["--listen", &taken], 3, "cannot listen on 127.0.0.1:"),
        (&["--listen", "here"], 2, "an address with a port is needed"),
        (
            &["--listen", "127.0.0.1:99999"],
            2,
            "an address with a port is needed",
        ),
        (&["--cache", "much"], 2, "a size is"),
    ] {
        let output = granero(&[&["serve"], arguments].concat(), place.path(), "");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(message), "{stderr}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn new_layers_are_noticed() {
    let place = tempfile::tempdir().unwrap();
    build("abapa", 3, place.path(), "tables");
    let server = Server::start(place, &["--db", "tables"]);
    let six = "/api/v1/abapa/position?p=1,1,1,1,1,1,0,0,0,0,0,0";
    let before = server.get(six);
    assert_eq!(before.json()["reason"], "the tables reach up to 3 seeds");
    // A client asks all the while, and never gets anything else than an answer.
    let seen = thread::scope(|scope| {
        let builder = scope.spawn(|| build("abapa", 6, server.place.path(), "tables"));
        let mut client = server.client();
        let mut seen = Vec::new();
        let end = Instant::now() + Duration::from_secs(60);
        while seen.last() != Some(&6) {
            assert!(Instant::now() < end);
            assert_eq!(client.get(six).status, 200);
            let seeds = client.get("/api/v1/tables").json()["tables"][0]["max_seeds"].as_u64();
            seen.extend(seeds);
        }
        builder.join().unwrap();
        seen
    });
    assert!(seen.is_sorted());
    let etag = format!("If-None-Match: {}", before.header("etag").unwrap());
    let after = server.client().ask("GET", six, &[&etag], b"");
    assert_eq!(after.status, 200);
    assert!(after.json()["value"].is_i64());
    assert_eq!(after.header("cache-control"), Some("public, max-age=86400"));
    let layers = server.get("/api/v1/abapa/stats").json()["layers"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(layers, 7);
    assert_eq!(server.stderr(), "");
}

#[test]
fn the_sample_gives_way_to_what_is_built() {
    let server = Server::sample();
    build("awari", 4, server.place.path(), "granero-db");
    eventually("the tables are there", || {
        let json = server.get("/api/v1/tables").json();
        let tables = json["tables"].as_array().unwrap();
        tables.len() == 1 && tables[0]["rules"] == "awari" && json["default"]["rules"] == "awari"
    });
}

#[test]
fn of_several_directories_the_one_that_reaches_furthest_answers() {
    let place = tempfile::tempdir().unwrap();
    for (rules, seeds, db) in [("abapa", 3, "a"), ("abapa", 5, "b"), ("italian", 4, "c")] {
        build(rules, seeds, place.path(), db);
    }
    let server = Server::start(place, &["--db", "a", "--db", "b", "--db", "c"]);
    let json = server.get("/api/v1/tables").json();
    let seeds = |number: usize| &json["tables"][number]["max_seeds"];
    assert_eq!((seeds(0), seeds(1)), (&json!(5), &json!(4)));
    assert_eq!(json["tables"].as_array().unwrap().len(), 2);
    build("abapa", 6, server.place.path(), "a");
    eventually("the other is larger now", || {
        server.get("/api/v1/tables").json()["tables"][0]["max_seeds"] == 6
    });
}

#[test]
fn tables_that_vanish_or_break_are_served_as_they_were() {
    let place = tempfile::tempdir().unwrap();
    build("abapa", 5, place.path(), "tables");
    let server = Server::start(place, &["--db", "tables"]);
    let position = "/api/v1/abapa/position?p=1,1,1,1,1,0,0,0,0,0,0,0";
    let value = server.get(position).json();
    let tables = server.place.path().join("tables");
    fs::write(tables.join("granero.json"), "nonsense").unwrap();
    eventually("it is said", || server.stderr().contains("damaged"));
    assert_eq!(server.get(position).json(), value);
    fs::remove_dir_all(&tables).unwrap();
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(server.get(position).json(), value);
    // Said once, and not every second.
    assert_eq!(server.stderr().lines().count(), 1, "{}", server.stderr());
    build("abapa", 6, server.place.path(), "tables");
    eventually("they are back", || {
        server.get("/api/v1/tables").json()["tables"][0]["max_seeds"] == 6
    });
}

#[test]
fn a_damaged_file_is_an_error_and_the_log_says_which() {
    let place = tempfile::tempdir().unwrap();
    build("abapa", 5, place.path(), "tables");
    let file = place.path().join("tables/layer-05.granero");
    let mut bytes = fs::read(&file).unwrap();
    for byte in &mut bytes[1000..1400] {
        *byte ^= 0x55;
    }
    fs::write(&file, bytes).unwrap();
    let server = Server::start(place, &["--db", "tables"]);
    let layer = Layer::new(5).unwrap();
    let mut client = server.client();
    let mut damaged = 0;
    for index in 0..layer.len() {
        let houses = layer.position(index).unwrap().houses();
        let houses = houses.map(|seeds| seeds.to_string()).join(",");
        let what = ["position", "line"][usize::from(index % 5 == 0)];
        let answer = client.get(&format!("/api/v1/abapa/{what}?p={houses}"));
        if answer.status == 500 {
            assert_eq!(answer.code(), "damaged-tables");
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            assert!(!answer.json().to_string().contains("layer-05"));
            damaged += 1;
        } else {
            assert!(answer.json()["value"].is_i64(), "{answer:?}");
        }
    }
    assert!(damaged > 0);
    let positions = (0..layer.len()).map(|index| layer.position(index).unwrap().houses());
    let positions: serde_json::Value = positions.map(|houses| json!(houses)).collect();
    let answer = server.post("/api/v1/abapa/batch", positions.to_string().as_bytes());
    assert_eq!((answer.status, &*answer.code()), (500, "damaged-tables"));
    assert!(server.stderr().contains("layer-05.granero is damaged"));
    server.assert_well();
}

#[test]
fn requests_are_logged_if_that_is_wanted() {
    let server = Server::start(tempfile::tempdir().unwrap(), &["--log"]);
    server.get("/healthz");
    server.get("/api/v1/abapa/position?p=one&x=%0a%1b");
    eventually("two lines", || server.stdout().lines().count() == 2);
    let stdout = server.stdout();
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(
        lines[0].starts_with("127.0.0.1 GET /healthz 200 "),
        "{stdout}"
    );
    assert!(lines[0].ends_with(" ms"));
    let target = "/api/v1/abapa/position?p=one&x=%0a%1b";
    assert!(
        lines[1].starts_with(&format!("127.0.0.1 GET {target} 400 ")),
        "{stdout}"
    );
    let quiet = Server::sample();
    quiet.get("/healthz");
    assert_eq!(quiet.stdout(), "");
}

#[cfg(unix)]
#[test]
fn what_was_begun_is_finished_before_the_end() {
    for signal in ["TERM", "INT"] {
        let server = Server::sample();
        let idle = server.connect();
        let mut client = server.client();
        let body = "[\"0 0 0 0 0 1 2 0 0 0 0 0\"]";
        let head = format!(
            "POST /api/v1/abapa/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        client.send(head.as_bytes()).unwrap();
        client.send(&body.as_bytes()[..9]).unwrap();
        // It has begun when it is counted.
        eventually("two connections and this one", || {
            let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
            metrics.contains("granero_connections 3\n")
        });
        thread::sleep(Duration::from_millis(200));
        server.signal(signal);
        eventually("nobody is let in any more", || {
            TcpStream::connect(&server.address).is_err()
        });
        thread::sleep(Duration::from_millis(200));
        client.send(&body.as_bytes()[9..]).unwrap();
        let answer = client.answer(false).unwrap();
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json()["answers"][0]["value"], -3);
        assert_eq!(answer.header("connection"), Some("close"));
        let begin = Instant::now();
        assert_eq!(server.end(), (Some(0), String::new()));
        assert!(begin.elapsed() < Duration::from_secs(20));
        drop(idle);
    }
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_it_at_once() {
    let mut server = Server::sample();
    let mut client = server.client();
    let head = "POST /api/v1/abapa/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[";
    client.send(head.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(300));
    server.signal("TERM");
    thread::sleep(Duration::from_millis(700));
    assert!(!server.has_ended());
    server.signal("TERM");
    let begin = Instant::now();
    assert_eq!(server.end().0, Some(0));
    assert!(begin.elapsed() < Duration::from_secs(10));
}
