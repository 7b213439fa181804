//! Start, growing tables, and end.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use granero::index::Layer;
use serde_json::json;

use crate::server::{
    Client, Server, batch_head, build, build_damaged, command, encoded, eventually, granero,
};
use crate::support::command::{shows, signal, stderr, tells};

#[test]
fn an_address_that_is_taken_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = granero(&["serve", "--listen", &address], place.path(), "");
    tells(&output, 3, &format!("cannot listen on {address}"));
    assert!(output.stdout.is_empty());
}

/// Replaces a file as a whole: half of it is another error.
fn replace(from: &Path, to: &Path) {
    let part = to.with_extension("part");
    fs::copy(from, &part).unwrap();
    fs::rename(part, to).unwrap();
}

/// The signal is the one of a terminal that goes away, and does not end the server.
#[test]
fn new_layers_are_there_after_a_signal() {
    let server = Server::built(3);
    let six = "/api/v1/abapa/position?p=1,1,1,1,1,1,0,0,0,0,0,0";
    let before = server.get(six);
    assert_eq!(before.json()["reason"], "the tables reach up to 3 seeds");
    build("abapa", 6, server.place.path(), "tables");
    assert_eq!(server.max_seeds(), 3);
    // A client asks all the time, and always gets an answer.
    thread::scope(|scope| {
        let opened = scope.spawn(|| server.open_again());
        let mut client = server.client();
        while !opened.is_finished() {
            assert_eq!(client.get(six).status, 200);
        }
        opened.join().unwrap();
    });
    assert_eq!(server.max_seeds(), 6);
    shows(&server.stdout(), "Opened again: abapa/split up to 6 seeds");
    let etag = format!("If-None-Match: {}", before.header("etag").unwrap());
    let after = server.ask("GET", six, &[&etag], b"");
    assert_eq!(after.status, 200);
    assert!(after.json()["value"].is_i64());
    assert_eq!(after.header("cache-control"), Some("public, max-age=86400"));
    let stats = server.json("/api/v1/abapa/stats");
    assert_eq!(stats["layers"].as_array().unwrap().len(), 7);
    server.assert_well();
    server.signal("TERM");
    assert_eq!(server.end(), (Some(0), String::new()));
}

#[test]
fn the_sample_gives_way_to_built_tables() {
    let server = Server::sample();
    build("awari", 4, server.place.path(), "granero-db");
    server.open_again();
    let json = server.json("/api/v1/tables");
    assert_eq!(json["tables"].as_array().unwrap().len(), 1);
    assert_eq!(json["tables"][0]["rules"], "awari");
    assert_eq!(json["default"]["rules"], "awari");
}

#[test]
fn of_several_directories_the_one_that_reaches_furthest_answers() {
    let place = tempfile::tempdir().unwrap();
    for (rules, seeds, db) in [("abapa", 3, "a"), ("abapa", 5, "b"), ("italian", 4, "c")] {
        build(rules, seeds, place.path(), db);
    }
    let server = Server::start(place, &["--db", "a", "--db", "b", "--db", "c"]);
    let json = server.json("/api/v1/tables");
    let seeds = |number: usize| &json["tables"][number]["max_seeds"];
    assert_eq!((seeds(0), seeds(1)), (&json!(5), &json!(4)));
    assert_eq!(json["tables"].as_array().unwrap().len(), 2);
    build("abapa", 6, server.place.path(), "a");
    server.open_again();
    assert_eq!(server.max_seeds(), 6);
}

#[test]
fn the_first_line_says_what_is_served() {
    let place = tempfile::tempdir().unwrap();
    let build = [
        "build", "--rules", "abapa", "--seeds", "3", "--db", "tables",
    ];
    granero(&[&build[..], &["--deciding"]].concat(), place.path(), "");
    let server = Server::start(place, &["--db", "tables"]);
    let expected = "Serving abapa/split up to 3 seeds as far as it decides the game at http://";
    assert!(server.line.starts_with(expected), "{}", server.line);
}

#[test]
fn tables_that_vanish_or_break_are_served_as_they_were() {
    let place = tempfile::tempdir().unwrap();
    build("abapa", 5, place.path(), "tables");
    build("abapa", 6, place.path(), "larger");
    let server = Server::start(place, &["--db", "tables"]);
    let position = "/api/v1/abapa/position?p=1,1,1,1,1,0,0,0,0,0,0,0";
    let value = server.json(position);
    let tables = server.place.path().join("tables");
    let larger = server.place.path().join("larger");
    let manifest = |from: &Path| replace(from, &tables.join("granero.json"));
    // Half of a copy, with the manifest first.
    manifest(&larger.join("granero.json"));
    server.signal("HUP");
    server.logs("layer-06.granero");
    let last = "layer-06.granero";
    replace(&larger.join(last), &tables.join(last));
    server.open_again();
    assert_eq!(server.max_seeds(), 6);
    let nonsense = server.place.path().join("nonsense");
    fs::write(&nonsense, "nonsense").unwrap();
    manifest(&nonsense);
    server.signal("HUP");
    server.logs("damaged");
    fs::remove_dir_all(&tables).unwrap();
    server.signal("HUP");
    server.logs("there is no directory");
    assert_eq!(server.max_seeds(), 6);
    assert_eq!(server.json(position), value);
    build("abapa", 7, server.place.path(), "tables");
    server.open_again();
    assert_eq!(server.max_seeds(), 7);
}

#[test]
fn a_damaged_file_is_an_error_and_the_log_says_which() {
    let server = Server::damaged();
    let mut client = server.client();
    // A search from seven seeds comes to the layer of five: a capture takes at least two seeds.
    for (what, seeds, step) in [("position", 5, 7), ("line", 5, 19), ("prove", 7, 300)] {
        let mut damaged = 0;
        for position in Layer::new(seeds).unwrap().positions().step_by(step) {
            let p = encoded(&position.to_string());
            let answer = client.get(&format!("/api/v1/abapa/{what}?p={p}"));
            if answer.status == 500 {
                answer.assert_error(500, "damaged-tables");
                assert_eq!(answer.header("cache-control"), Some("no-store"));
                assert!(!answer.json().to_string().contains("layer-05"));
                damaged += 1;
            } else {
                assert_eq!(answer.status, 200);
                let is_known = answer.json()["value"].is_i64();
                assert!(is_known || what == "prove", "{answer:?}");
            }
        }
        assert!(damaged > 0, "{what}");
    }
    let working = "granero_searches{state=\"working\"}";
    assert_eq!(Server::counter(&mut client, working), 0);
    let layer = Layer::new(5).unwrap();
    let positions = (0..layer.len()).map(|index| layer.position(index).unwrap().houses());
    let positions: serde_json::Value = positions.map(|houses| json!(houses)).collect();
    let answer = server.post("/api/v1/abapa/batch", positions.to_string().as_bytes());
    answer.assert_error(500, "damaged-tables");
    let said = server.stderr();
    shows(&said, "layer-05.granero is damaged");
    assert_eq!(said.lines().count(), 1, "one message says enough: {said}");
    server.assert_well();
}

#[test]
fn requests_are_logged_if_that_is_wanted() {
    let server = Server::with(&["--log"]);
    server.get("/healthz");
    server.get("/api/v1/abapa/position?p=one&x=%0a%1b");
    let method = "M".repeat(5000);
    server.ask(&method, "/healthz", &[], b"");
    eventually("three lines", || server.stdout().lines().count() == 3);
    let stdout = server.stdout();
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines.iter().all(|line| line.ends_with(" ms")), "{stdout}");
    for (line, method, target, status) in [
        (lines[0], "GET", "/healthz", 200),
        (
            lines[1],
            "GET",
            "/api/v1/abapa/position?p=one&x=%0a%1b",
            400,
        ),
        (lines[2], &method[..20], "/healthz", 405),
    ] {
        let begin = format!("127.0.0.1 {method} {target} {status} ");
        assert!(line.starts_with(&begin), "{stdout}");
    }
    let quiet = Server::sample();
    quiet.get("/healthz");
    assert_eq!(quiet.stdout(), "");
}

#[test]
fn requests_in_progress_are_finished_before_the_end() {
    for signal in ["TERM", "INT"] {
        eventually("the body comes in time", || {
            let server = Server::sample();
            let idle = server.connect();
            let mut client = server.client();
            let body = "[\"0 0 0 0 0 1 2 0 0 0 0 0\"]";
            begin_batch(&mut client, body.len());
            client.send(&body.as_bytes()[..9]).unwrap();
            server.signal(signal);
            accepts_no_more(&server);
            // It may be too late on a busy machine.
            let _ = client.send(&body.as_bytes()[9..]);
            let answer = client.answer(false).unwrap();
            assert_eq!(answer.header("connection"), Some("close"));
            assert_eq!(server.end(), (Some(0), String::new()));
            drop(idle);
            assert!([200, 408].contains(&answer.status));
            let value = &answer.json()["answers"][0]["value"];
            assert!(answer.status == 408 || *value == -3, "{value}");
            answer.status == 200
        });
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    // After the first signal alone the answer is a timeout, which may come first on a busy machine.
    eventually("a second signal comes in time", || {
        let server = Server::sample();
        let mut client = server.client();
        begin_batch(&mut client, 9);
        server.signal("TERM");
        accepts_no_more(&server);
        server.signal("TERM");
        assert_eq!(server.end().0, Some(0));
        client.answer(false).is_err()
    });
}

fn accepts_no_more(server: &Server) {
    eventually("no connection is accepted any more", || {
        TcpStream::connect(&server.address).is_err()
    });
}

/// Sends the head of a batch with a body of this length, and waits until the server wants the body.
fn begin_batch(client: &mut Client, bytes: usize) {
    let more = format!("Expect: 100-continue\r\nContent-Length: {bytes}");
    let head = batch_head("application/json", &more);
    client.send(head.as_bytes()).unwrap();
    assert_eq!(client.answer(false).unwrap().status, 100);
}

#[test]
fn a_batch_on_its_way_does_not_hold_up_new_tables() {
    let server = Server::built(1);
    // Until one is answered: a body may be too late on a busy machine.
    for seeds in 2..10 {
        let mut client = server.client();
        let mut position = [0; 12];
        position[5] = seeds;
        let body = json!([position]).to_string();
        begin_batch(&mut client, body.len());
        build("abapa", seeds, server.place.path(), "tables");
        server.open_again();
        assert_eq!(server.max_seeds(), seeds);
        let _ = client.send(body.as_bytes());
        let answer = client.answer(false).unwrap();
        if answer.status == 200 {
            assert!(answer.json()["answers"][0]["value"].is_i64(), "{answer:?}");
            return;
        }
        assert_eq!(answer.status, 408);
    }
    panic!("no body came in time");
}

/// Returns a full pipe, which blocks writers until it is read.
#[cfg(target_os = "linux")]
fn full_pipe() -> (std::os::fd::OwnedFd, std::os::fd::OwnedFd) {
    use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    fcntl_setpipe_size(&write, 4096).unwrap();
    assert_eq!(rustix::io::write(&write, &[b'x'; 4096]).unwrap(), 4096);
    (read, write)
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_is_not_read_delays_no_client() {
    let rounds = 2000;
    let place = tempfile::tempdir().unwrap();
    build_damaged(place.path());
    let address = free_address();
    for signals in [1, 2] {
        let (read_out, out) = full_pipe();
        let (read_errors, errors) = full_pipe();
        let mut child = command(
            &["serve", "--log", "--db", "tables", "--listen", &address],
            place.path(),
        )
        .stdout(out)
        .stderr(errors)
        .spawn()
        .unwrap();
        eventually("it listens", || TcpStream::connect(&address).is_ok());
        let mut client = Client::to(&address);
        let mut damaged = 0;
        for round in 0..rounds {
            let target = match round % 2 {
                0 => "/api/v1/abapa/position?p=1,0,1,0,1,0,1,0,1,0,0,0",
                _ => "/healthz",
            };
            damaged += u32::from(client.get(target).status == 500);
        }
        assert!(damaged >= rounds / 2, "{damaged}");
        assert_eq!(client.get("/healthz").status, 200);
        let dropped = |client: &mut Client, stream: &str| {
            let name = format!("granero_log_lines_dropped_total{{stream=\"{stream}\"}}");
            Server::counter(client, &name)
        };
        // Some lines wait.
        assert!(dropped(&mut client, "stdout") > u64::from(rounds) - 2000);
        // There was one error, which waits.
        assert_eq!(dropped(&mut client, "stderr"), 0);
        // The server waits for an unfinished request, but not for long.
        let mut half = Client::to(&address);
        if signals == 2 {
            begin_batch(&mut half, 9);
            half.send(b"[").unwrap();
        }
        for _ in 0..signals {
            assert!(child.try_wait().unwrap().is_none());
            signal(&child, "TERM");
            thread::sleep(Duration::from_millis(300));
        }
        assert_eq!(child.wait().unwrap().code(), Some(0));
        drop((half, read_out, read_errors));
    }
}

#[test]
fn a_log_that_may_not_grow_does_not_end_it() {
    let place = tempfile::tempdir().unwrap();
    let address = free_address();
    let script = "ulimit -f 1; exec \"$0\" serve --log --listen \"$1\" > log";
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_granero"), &address])
        .current_dir(place.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    eventually("it listens", || TcpStream::connect(&address).is_ok());
    let mut client = Client::to(&address);
    for _ in 0..100 {
        assert_eq!(client.get("/healthz").status, 200);
    }
    let dropped = "granero_log_lines_dropped_total{stream=\"stdout\"}";
    eventually("lines are dropped", || {
        Server::counter(&mut client, dropped) > 50
    });
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Returns an address without a listener.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[test]
fn a_signal_right_after_the_first_line_is_not_lost() {
    let place = tempfile::tempdir().unwrap();
    for number in 0..20 {
        let mut child = command(&["serve", "--port", "0"], place.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.starts_with("Serving "), "{line}");
        signal(&child, ["TERM", "INT"][number % 2]);
        eventually("it has ended", || child.try_wait().unwrap().is_some());
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_signal_at_the_start_ends_it_at_once() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("tables")).unwrap();
    // Opening it blocks until a writer comes, or fails.
    let made = Command::new("mkfifo")
        .arg(place.path().join("tables/granero.json"))
        .status();
    assert!(made.unwrap().success());
    let address = free_address();
    let mut child = command(
        &["serve", "--db", "tables", "--listen", &address],
        place.path(),
    )
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    thread::sleep(Duration::from_millis(500));
    if child.try_wait().unwrap().is_none() {
        signal(&child, "TERM");
    }
    let code = child.wait().unwrap().code();
    assert!([Some(0), Some(3)].contains(&code), "{code:?}");
}

#[test]
fn files_that_may_be_open() {
    let place = tempfile::tempdir().unwrap();
    let serve = |limits: &str, arguments: &str| {
        let program = env!("CARGO_BIN_EXE_granero");
        let script = format!("{limits}; exec {program} serve --listen 127.0.0.1:0 {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(place.path());
        command
    };
    // Too few in any case: the message has the number needed and a remedy.
    let output = serve("ulimit -n 1000", "").output().unwrap();
    tells(&output, 3, "the system allows 1000");
    let help = stderr(&output).split_once("serve with --connections ");
    let (_, help) = help.unwrap();
    let (number, _) = help.split_once(',').unwrap();
    // The remedy works. So does a limit that the server can raise.
    for (limits, arguments) in [
        ("ulimit -n 1000", format!("--connections {number}")),
        ("ulimit -Sn 100", String::new()),
    ] {
        let mut child = serve(limits, &arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        assert!(line.starts_with("Serving "), "{line}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn when_no_more_files_can_be_opened() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
    let server = Server::sample();
    let mut client = server.client();
    let errors = |client: &mut Client| Server::counter(client, "granero_accept_errors_total ");
    assert_eq!(errors(&mut client), 0);
    let process = Pid::from_raw(server.process() as i32);
    let maximum = getrlimit(Resource::Nofile).maximum;
    let limit = |new: Rlimit| prlimit(process, Resource::Nofile, new).unwrap();
    let former = limit(Rlimit {
        current: Some(3),
        maximum,
    });
    let mut waiting = server.client();
    eventually("it is tried", || errors(&mut client) >= 1);
    limit(former);
    assert_eq!(waiting.get("/healthz").status, 200);
    let said = server.stderr();
    assert_eq!(said.matches("cannot accept").count(), 1, "{said}");
}
