//! Hostile and broken clients: whatever they send, the server goes on serving other clients, and
//! nothing in it panics.
//!
//! The fuzz target `connections` sends random bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use crate::server::{Answer, Client, KNOWN, Server, batch_head, eventually};
use test_case::test_case;

/// Far more memory than the server takes with the sample, and far less than it would take in these
/// tests if it kept everything that is sent.
const MEMORY: u64 = 400 << 20;

fn assert_modest(server: &Server) {
    server.assert_well();
    // What it promises to take at most, in MiB.
    let mut words = server.memory.split_whitespace();
    let promised: u64 = words.find_map(|word| word.parse().ok()).unwrap();
    server.assert_memory(MEMORY.min(promised << 20));
}

/// Reads until the server closes the connection.
fn read_to_the_end(mut stream: TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    // A server that closes early may do so with a reset.
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    answer
}

#[test]
fn clients_that_send_nothing_or_a_byte_now_and_then() {
    let server = Server::sample();
    let silent: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    let mut slow: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: yes, very";
    for &byte in &request[..20] {
        for stream in &mut slow {
            // The server closes it at some point.
            let _ = stream.write_all(&[byte]);
        }
        // The server waits for a silent client for ten seconds, which may pass on a busy machine.
        eventually("one is answered before a silent one is closed", || {
            let silent = server.client();
            server.assert_well();
            !silent.has_answer()
        });
        thread::sleep(Duration::from_millis(50));
    }
    // The server waits for none of them without end.
    for stream in silent {
        assert_eq!(read_to_the_end(stream), b"");
    }
    for stream in slow {
        read_to_the_end(stream);
    }
    assert_modest(&server);
}

#[test]
fn clients_that_stop_reading_are_not_waited_for() {
    let server = Server::sample();
    let body = largest_batch("[0,0,0,0,0,1,2,0,0,0,0,0]");
    let request = batch_of(body.len()) + &body;
    let mut deaf = server.connect();
    deaf.set_write_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    // Until the system takes no more answers, and so the server takes no more requests.
    for _ in 0..100 {
        if deaf.write_all(request.as_bytes()).is_err() {
            break;
        }
    }
    let mut client = server.client();
    eventually("no other connection is open", || {
        Server::counter(&mut client, "granero_connections ") == 1
    });
    assert_modest(&server);
    drop(deaf);
}

#[test]
fn bodies_without_end() {
    let server = Server::sample();
    let mut stream = server.connect();
    let request = batch_head("application/json", "Transfer-Encoding: chunked");
    stream.write_all(request.as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let mut sent = 0;
    while stream.write_all(chunk.as_bytes()).is_ok() {
        sent += chunk.len();
        assert!(sent < 200 << 20, "it reads without end");
    }
    assert_modest(&server);
}

/// Returns the body of a batch with as many positions as are allowed.
fn largest_batch(position: &str) -> String {
    batch_with(10_000, position)
}

fn batch_with(number: usize, position: &str) -> String {
    format!("[{}]", vec![position; number].join(","))
}

/// Returns the head of a batch with a body of this length.
fn batch_of(bytes: usize) -> String {
    batch_head("application/json", &format!("Content-Length: {bytes}"))
}

#[test]
fn large_bodies_have_permits() {
    let server = Server::sample();
    let body = [&b"[\"0,0,0,0,0,1,2,0,0,0,0,0\"]"[..], &[b' '; 10_000]].concat();
    let begin = || {
        let mut client = server.client();
        client.send(batch_of(body.len()).as_bytes()).unwrap();
        client.send(&body[..9_000]).unwrap();
        client
    };
    // One more than there may be, so that one of them is refused. On a busy machine another may run
    // out of time before.
    let (mut slow, refused) = loop {
        let mut clients: Vec<_> = (0..33).map(|_| begin()).collect();
        let mut answered = None;
        eventually("one has an answer", || {
            answered = clients.iter().position(Client::has_answer);
            answered.is_some()
        });
        let answer = clients
            .swap_remove(answered.unwrap())
            .answer(false)
            .unwrap();
        if answer.status == 503 {
            break (clients, answer);
        }
        assert_eq!(answer.status, 408);
    };
    refused.assert_overloaded();
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    let ask = |body: &[u8]| server.post("/api/v1/abapa/batch", body).status;
    assert_eq!(ask(b"[]"), 200, "a small body takes no permit");
    for client in &mut slow {
        // It may be too late on a busy machine.
        let _ = client.send(&body[9_000..]);
        assert!([200, 408].contains(&client.answer(false).unwrap().status));
    }
    assert_eq!(ask(&body), 200, "the permits are free again");
}

/// Lets this program open as many files as the system allows, and returns that number.
#[cfg(target_os = "linux")]
fn raise_the_limit_of_files() -> u64 {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    limit.current.unwrap_or(u64::MAX)
}

/// More connections than there may be.
#[cfg(target_os = "linux")]
#[test_case(2500)]
#[test_case(5000 => ignore["slow: .ci/run has it"] ())]
fn many_connections_from_one_address_shut_no_client_out(most: u64) {
    // Other tests need open files, too.
    let number = (raise_the_limit_of_files() / 2).min(most) as usize;
    let server = Server::sample();
    let mut honest = server.client_from([127, 2, 2, 2]);
    let attack: Vec<_> = (0..number)
        .map(|place| {
            let Ok(mut stream) = server.connect_from([127, 1, 1, 1]) else {
                return None;
            };
            // Some send nothing, some do not finish, some stay open after the answer.
            let sent: &[u8] = match place % 4 {
                0 => b"",
                1 => b"GET /healthz HTTP/1.1\r\nHost: local",
                2 => b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                _ => &batch_of(100).into_bytes(),
            };
            // It may be closed already, to make room for others.
            let _ = stream.write_all(sent);
            if place % 25 == 0 {
                // On a busy machine it may have been idle for too long.
                if honest.has_answer() {
                    honest = server.client_from([127, 2, 2, 2]);
                }
                assert_eq!(honest.get(KNOWN).status, 200);
                assert_eq!(server.client_from([127, 2, 2, 3]).get(KNOWN).status, 200);
            }
            Some(stream)
        })
        .collect();
    let mut client = server.client_from([127, 2, 2, 2]);
    let open = Server::counter(&mut client, "granero_connections ");
    assert!(open <= 2048, "{open}");
    drop(attack);
    assert_modest(&server);
}

/// Whatever keeps a connection waiting for its client: another client gets its place.
#[test]
fn a_full_server_makes_room() {
    let batch = largest_batch("\"0 0 0 0 0 1 2 0 0 0 0 0\"");
    for waiting in [
        String::new(),
        "GET /healthz HTTP/1.1\r\nHost: local".into(),
        batch_of(100) + "[",
        // The answers are larger than what the system takes without a reader.
        (batch_of(batch.len()) + &batch).repeat(8),
        batch_head("text/tab-separated-values", "Content-Length: 2") + "0\n",
    ] {
        let server = Server::with(&["--connections", "3"]);
        let mut attack: Vec<_> = (0..3).map(|_| server.connect()).collect();
        let pause = Some(Duration::from_secs(1));
        for stream in &mut attack {
            stream.set_write_timeout(pause).unwrap();
            let _ = stream.write_all(waiting.as_bytes());
        }
        // Until they have the answers that they can get.
        thread::sleep(Duration::from_secs(1));
        let request = format!("GET {KNOWN} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        for _ in 0..8 {
            // Those that are being answered do not give way.
            eventually("there is room", || {
                let mut client = server.client();
                let _ = client.send(request.as_bytes());
                client
                    .answer(false)
                    .is_ok_and(|answer| answer.status == 200)
            });
        }
        // They did not only run out of time.
        let displaced = "granero_connections_displaced_total";
        assert!(
            Server::counter(&mut server.client(), displaced) > 0,
            "{waiting}"
        );
        assert_modest(&server);
    }
}

/// Requests that are not whole, not plain, or too long, and bodies that do not come or are not wanted.
#[test]
fn requests_that_end_the_connection() {
    let server = Server::sample();
    let batch = batch_of(4) + "[]  ";
    let coded = |coding: &str| {
        let chunks = "1\r\n[\r\n1\r\n]\r\n0\r\n\r\n";
        let coding = format!("Transfer-Encoding: {coding}");
        batch_head("application/json", &coding) + chunks
    };
    let length = |length: &str| batch_of(4).replace("Length: 4", &format!("Length: {length}"));
    let lines = batch.replace("application/json", "text/tab-separated-values");
    let old = lines.replace("HTTP/1.1", "HTTP/1.0");
    let get = |rest: &str| format!("GET /{rest}\r\n");
    let long = "a".repeat(1 << 20);
    let fields = |count| get(&format!(" HTTP/1.1\r\n{}", "X: a\r\n".repeat(count)));
    // The server may close before it has read all, and its answer be lost.
    let too_long = "400 414 431 none";
    // hyper does not know of such lengths.
    let too_large = "400 413 431";
    let mut cases = vec![
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), "none", ""),
        (get("healthz HTTP/1.1\r\n"), "400", "bad-request"),
        (coded("chunked, chunked"), "400", "bad-request"),
        (coded("gzip, chunked"), "400", "bad-request"),
        (
            coded("gzip\r\nTransfer-Encoding: chunked"),
            "400",
            "bad-request",
        ),
        (coded("Chunked"), "200", ""),
        (length("18446744073709551615"), too_large, ""),
        (length("18446744073709551614"), too_large, ""),
        (length("18446744073709551613"), "413", "body-too-large"),
        (length("18446744073709551616"), too_large, ""),
        (length("99999999999999999999"), too_large, ""),
        (length("99999999999") + "[", "413", ""),
        (batch[..batch.len() - 1].into(), "400", "bad-request"),
        (lines[..lines.len() - 1].into(), "400", "bad-request"),
        (old, "505", "old-http"),
        (get(&format!("{long} HTTP/1.1\r\n")), too_long, ""),
        (get(&format!(" HTTP/1.1\r\nX: {long}\r\n")), too_long, ""),
        (fields(100_000), too_long, ""),
        (fields(200), too_long, ""),
        // The clients of these and of the next wait.
        (batch_of(9) + "[", "408", "timeout"),
    ];
    let unwanted = "204 304 403 404 415";
    let with_bodies = with_unwanted_bodies().into_iter();
    cases.extend(with_bodies.map(|request| (request, unwanted, "")));
    let cut_off = [&batch, &lines].map(|whole| &whole[..whole.len() - 1]);
    for (request, statuses, code) in cases {
        let mut client = server.client();
        let _ = client.send(request.as_bytes());
        let waits = ["408", "413", unwanted].contains(&statuses);
        if cut_off.contains(&&*request) {
            client.sender().shutdown(Shutdown::Write).unwrap();
        }
        let Ok(answer) = client.answer(false) else {
            assert!(statuses.contains("none"), "{request:.200}");
            continue;
        };
        let status = answer.status.to_string();
        assert!(
            statuses.split(' ').any(|known| known == status),
            "{status}: {request:.200}"
        );
        if !code.is_empty() {
            answer.assert_error(answer.status, code);
            let text = String::from_utf8_lossy(&answer.body);
            assert!(code == "old-http" || !text.contains("JSON"), "{text}");
        }
        if status != "200" {
            let closes = answer.header("connection") == Some("close");
            assert!(closes || !waits, "{request:.200}");
            let _ = client.sender().shutdown(Shutdown::Write);
            assert!(client.answer(false).is_err(), "{request:.200}");
        }
    }
    assert_modest(&server);
}

#[test_case(1)]
#[test_case(4 => ignore["slow: .ci/run has it"] ())]
fn bodies_made_to_take_memory(rounds: usize) {
    let server = Server::with(&["--cache", "64M"]);
    let full = |entry: &str| {
        let number = ((1 << 20) - 4) / (entry.len() + 1);
        format!("[{}{entry}]", format!("{entry},").repeat(number.min(9_999)))
    };
    let list = |part: &str| {
        format!(
            "[[{}0]]",
            format!("{part},").repeat(((1 << 20) - 9) / (part.len() + 1))
        )
    };
    let bodies = [
        format!("[{}", "{\"\":".repeat(200_000)),
        format!("[{{{}\"\":0}}]", "\"\":[],".repeat(170_000)),
        list("{}"),
        list("[]"),
        list("0"),
        full("\"\""),
        full("[]"),
        full("{\"\":[{\"\":[]}]}"),
        full("\"4,4,4,4,4,4,4,4,4,4,4,4\""),
        full(&format!("\"{}\"", "\\u0001".repeat(16))),
        // The longest error messages.
        full(&format!("\"{}\"", "\u{10ffff}".repeat(20))),
    ];
    thread::scope(|scope| {
        for client in 0..11 {
            let (server, bodies) = (&server, &bodies);
            scope.spawn(move || {
                for round in 0..rounds {
                    let body = &bodies[(client + round) % bodies.len()];
                    let answer = server.post("/api/v1/abapa/batch", body.as_bytes());
                    let status = answer.status;
                    assert!([200, 400, 503].contains(&status), "{status}");
                }
            });
        }
    });
    assert_modest(&server);
}

#[test_case(2_500)]
#[test_case(10_000 => ignore["slow: .ci/run has it"] ())]
fn more_work_than_can_be_done(positions: usize) {
    let server = Server::sample();
    let body = batch_with(positions, "[0,0,0,0,1,1,1,1,0,0,0,0]");
    let answers: Vec<Answer> = thread::scope(|scope| {
        let clients: Vec<_> = (0..40)
            .map(|_| scope.spawn(|| server.post("/api/v1/abapa/batch", body.as_bytes())))
            .collect();
        // Positions are answered during all that.
        for _ in 0..20 {
            server.assert_well();
        }
        let answers = clients.into_iter().map(|client| client.join().unwrap());
        answers.collect()
    });
    let (answered, refused): (Vec<Answer>, Vec<Answer>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert!(!answered.is_empty());
    refused.iter().for_each(Answer::assert_overloaded);
    assert_modest(&server);
}

/// Writes this many bytes, or until the server takes no more, and does not read.
fn send_without_reading(server: &Server, request: &str, bytes: usize) {
    let mut stream = server.connect();
    let pause = Some(Duration::from_secs(2));
    stream.set_write_timeout(pause).unwrap();
    let many = request.repeat((64 << 10) / request.len());
    let mut sent = 0;
    while sent < bytes && stream.write_all(many.as_bytes()).is_ok() {
        sent += many.len();
    }
}

/// Requests with bodies that the server does not read.
fn with_unwanted_bodies() -> Vec<String> {
    let mut forms = Vec::new();
    for body in [
        "Content-Length: 1\r\n\r\nx",
        "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    ] {
        for head in [
            "OPTIONS /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n",
            "POST /api/v1/none-such/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
            "POST /api/v1/abapa/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n",
            "POST /healthz HTTP/1.1\r\nHost: elsewhere.example\r\n",
        ] {
            forms.push(format!("{head}{body}"));
        }
    }
    forms
}

/// Answers must not pile up for a client that does not read them.
#[test]
#[ignore = "slow: .ci/run has it"]
fn bodies_of_clients_that_do_not_read() {
    let server = Server::sample();
    let mut forms = with_unwanted_bodies();
    // Wanted ones.
    forms.push(batch_of(2) + "[]");
    let chunked = batch_head("application/json", "Transfer-Encoding: chunked");
    forms.push(chunked + "2\r\n[]\r\n0\r\n\r\n");
    for form in &forms {
        send_without_reading(&server, form, 30 << 20);
    }
    assert_modest(&server);
    server.assert_memory(60 << 20);
}
