//! Batches of lines: the answers are those of `query --batch`, however the lines arrive, and no client
//! holds the server up or fills its memory.

use std::fs;
use std::io::Write;
use std::net::Shutdown;
use std::thread;
use std::time::{Duration, Instant};

use crate::server::{Answer, Client, Server, batch_head, build, command, eventually};
use crate::support::random::positions;

const TARGET: &str = "/api/v1/abapa/batch";

/// Returns what `query --batch` prints for some lines, run in the place of a server.
fn printed(server: &Server, lines: &[u8], more: &[&str]) -> Vec<u8> {
    fs::write(server.place.path().join("lines"), lines).unwrap();
    let arguments = [&["query", "--batch", "lines", "--format", "tsv"], more].concat();
    let output = command(&arguments, server.place.path()).output();
    output.unwrap().stdout
}

/// Returns a line for each of some positions, as most programs write them.
fn lines(number: usize, seeds: u8) -> String {
    let positions = positions(number, seeds, 5).into_iter();
    positions.map(|position| format!("{position}\n")).collect()
}

/// Returns the head of a batch whose body comes in parts.
fn head() -> String {
    batch_head("text/tab-separated-values", "Transfer-Encoding: chunked")
}

/// Returns a part of such a body; an empty one is its end.
fn part(bytes: &[u8]) -> Vec<u8> {
    let length = format!("{:x}\r\n", bytes.len()).into_bytes();
    [&length[..], bytes, b"\r\n"].concat()
}

/// Begins a batch, which has its permit until the client is dropped. Returns the status.
fn begin(client: &mut Client, text: &[u8]) -> u16 {
    // At once: a client that is refused and then waits for long may not send more.
    let request = [head().as_bytes(), &part(text)].concat();
    client.send(&request).unwrap();
    client.head().unwrap().status
}

/// Waits until there may be three batches at a time, the limit.
fn assert_permits_are_free(client: impl Fn() -> Client) {
    let text = lines(2000, 4);
    eventually("the permits are free again", || {
        let mut clients = [(); 3].map(|()| client());
        let statuses = clients.each_mut().map(|one| begin(one, text.as_bytes()));
        statuses == [200; 3]
    });
}

/// Reads parts of an answer until they make up the expected text.
fn assert_answered(client: &mut Client, expected: &[u8]) {
    let mut answer = Vec::new();
    while answer.len() < expected.len() {
        let part = client.part().unwrap();
        assert!(!part.is_empty(), "the answer ends early");
        answer.extend(part);
    }
    assert!(answer == expected);
}

fn ask(client: &mut Client, target: &str, lines: &[u8]) -> Answer {
    client.ask(
        "POST",
        target,
        &["Content-Type: text/tab-separated-values; charset=utf-8"],
        lines,
    )
}

#[test]
fn lines_are_answered_as_a_batch_of_query() {
    let server = Server::sample();
    let long = "0 ".repeat(501);
    let longest = format!("0{}0 0 0 0 0 0 0 0 0 1 2", " ".repeat(1000 - 23));
    let mut text = lines(2000, 9).into_bytes();
    for line in [
        "",
        "# a remark",
        "0,0,0,0,0,1,2,0,0,0,0,0",
        "0 0 0 0 0 2 / 0 0 0 0 0 1",
        "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N",
        "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1",
        "49 0 0 0 0 0 0 0 0 0 0 0",
        "0 0 0 0 0 1 2 0 0 0 0 0\r",
        "0 0 0 0 0 1 2",
        &long,
        &longest,
    ] {
        text.extend(line.as_bytes());
        text.push(b'\n');
    }
    text.extend(b"\xff\xfe\n\n0 0 0 0 0 1 2 0 0 0 0 0");
    let mut client = server.client();
    for (query, more) in [
        ("", &[][..]),
        ("?cycles=own-side", &["--cycles", "own-side"]),
    ] {
        let answer = ask(&mut client, &format!("{TARGET}{query}"), &text);
        assert_eq!(answer.status, 200);
        let kind = answer.header("content-type");
        assert_eq!(kind, Some("text/tab-separated-values"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let expected = printed(&server, &text, more);
        assert!(answer.body == expected, "{query}");
        let bad = expected.split(|&byte| byte == b'\n');
        assert_eq!(bad.filter(|line| line.starts_with(b"error\t")).count(), 7);
    }
    assert_eq!(ask(&mut client, TARGET, b"").body, b"");
    assert_eq!(
        ask(&mut client, TARGET, b"\n").body,
        printed(&server, b"\n", &[])
    );
    // Lines may be split anywhere.
    client.send(head().as_bytes()).unwrap();
    for piece in text.chunks(777) {
        client.send(&part(piece)).unwrap();
    }
    client.send(&part(b"")).unwrap();
    assert!(client.answer(false).unwrap().body == printed(&server, &text, &[]));
    let counted = Server::counter(&mut client, "granero_positions_total ");
    assert_eq!(counted, 3 * 2007);
}

/// While the batch goes on, the tables grow, and at last the server is told to end.
#[cfg(unix)]
#[test]
fn a_batch_goes_on_for_as_long_as_lines_come() {
    let place = tempfile::tempdir().unwrap();
    build("abapa", 4, place.path(), "tables");
    build("abapa", 6, place.path(), "grown");
    let server = Server::start(place, &["--db", "tables"]);
    let text = lines(2000, 7);
    let text = text.as_bytes();
    assert!(text.len() > 32 << 10);
    let [before, after] = ["tables", "grown"].map(|db| printed(&server, text, &["--db", db]));
    assert!(after != before);
    let mut client = server.client();
    assert_eq!(begin(&mut client, text), 200);
    assert_answered(&mut client, &before);
    for name in ["layer-05.granero", "layer-06.granero", "granero.json"] {
        let [grown, tables] = ["grown", "tables"].map(|db| server.place.path().join(db));
        fs::rename(grown.join(name), tables.join(name)).unwrap();
    }
    server.open_again();
    eventually("the new layers answer", || {
        client.send(&part(text)).unwrap();
        let mut answer = Vec::new();
        while answer.iter().filter(|&&byte| byte == b'\n').count() < 2000 {
            answer.extend(client.part().unwrap());
        }
        assert!(answer == before || answer == after);
        answer == after
    });
    client.send(&part(text)).unwrap();
    server.signal("TERM");
    assert_answered(&mut client, &after);
    client.send(&part(b"0 0 0 0 0 1 2 0 0 0 0 0")).unwrap();
    client.send(&part(b"")).unwrap();
    assert_answered(&mut client, b"0 0 0 0 0 1 2 0 0 0 0 0\t-3\n");
    assert_eq!(client.part().unwrap(), b"");
    assert_eq!(server.end(), (Some(0), String::new()));
}

#[test]
fn a_batch_without_end_takes_bounded_memory() {
    let server = Server::sample();
    // Few lines of many bytes, to keep the work for each small.
    let line = "0 ".repeat(1000) + "\n";
    let lines = part(line.repeat(100).as_bytes());
    let mut client = server.client();
    client.send(head().as_bytes()).unwrap();
    let mut sender = client.sender();
    let sending = thread::spawn(move || {
        let mut sent = 0;
        while sender.write_all(&lines).is_ok() {
            sent += lines.len();
        }
        sent
    });
    assert_eq!(client.head().unwrap().status, 200);
    // These are more than two chunks.
    let answer = "error\tthe line is longer than 1000 bytes\n".repeat((72 << 20) / line.len());
    let mut read = 0;
    while read < answer.len() {
        let part = client.part().unwrap();
        assert!(part.ends_with(b"\n") && answer.as_bytes().starts_with(&part));
        // No more than some lines are written ahead of the client.
        assert!(part.split(|&byte| byte == b'\n').count() <= 2048 + 1);
        read += part.len();
    }
    // Then the client leaves.
    client.sender().shutdown(Shutdown::Both).unwrap();
    assert!(sending.join().unwrap() > 72 << 20);
    server.assert_well();
    server.assert_memory(200 << 20);
    assert_eq!(ask(&mut server.client(), TARGET, b"\n").status, 200);
}

#[test]
fn bad_batches_of_lines_are_refused() {
    let server = Server::sample();
    let endless = "0 ".repeat((1 << 19) + 1);
    let answer = ask(&mut server.client(), TARGET, endless.as_bytes());
    answer.assert_error(413, "body-too-large");
}

/// There are three permits. A client loses its permit if it stops.
#[test]
fn clients_that_stop_in_the_middle_are_not_waited_for() {
    let server = Server::sample();
    let text = lines(2000, 8);
    let here = || server.client();
    // The answer is larger than what the system takes without a reader.
    let mut deaf = here();
    assert_eq!(begin(&mut deaf, text.as_bytes()), 200);
    deaf.send(&part(b"\n".repeat(200_000).as_slice())).unwrap();
    let mut silent = here();
    assert_eq!(begin(&mut silent, text.as_bytes()), 200);
    let mut half = here();
    let more = "Expect: 100-continue\r\nTransfer-Encoding: chunked";
    let head = batch_head("text/tab-separated-values", more);
    half.send(head.as_bytes()).unwrap();
    assert_eq!(half.answer(false).unwrap().status, 100, "it has its permit");
    half.send(&part(b"0 0 0 0")).unwrap();
    ask(&mut here(), TARGET, b"\n").assert_overloaded();
    let slow = half.answer(false).unwrap();
    slow.assert_error(408, "timeout");
    // The silent one gets answers to its lines, but not the end of the answer.
    assert_answered(&mut silent, &printed(&server, text.as_bytes(), &[]));
    assert!(silent.part().is_err());
    assert_permits_are_free(here);
    server.assert_well();
    drop(deaf);
}

/// What a client that leaves has asked for is finished, and keeps its permit until then.
#[test]
fn clients_that_leave_break_off_no_other_batch() {
    let server = Server::sample();
    let text = lines(2000, 8).into_bytes();
    let expected = printed(&server, &text, &[]);
    // A whole body of one chunk: the server sees at once that its client leaves.
    let many = [part(&text.repeat((1 << 20) / 2000)), part(b"")].concat();
    let mut judged = 0;
    // On a busy machine some rounds take too long.
    for _ in 0..30 {
        let mut honest = server.client();
        assert_eq!(begin(&mut honest, &text), 200);
        assert_answered(&mut honest, &expected);
        let answered = Instant::now();
        let mut leaving = server.client();
        leaving.send(head().as_bytes()).unwrap();
        let is_whole = leaving.send(&many).is_ok();
        thread::sleep(Duration::from_millis(200));
        drop(leaving);
        thread::sleep(Duration::from_millis(50));
        let others = [(); 2].map(|()| {
            let mut client = server.client();
            let request = [head().as_bytes(), &part(b"\n"), &part(b"")].concat();
            client.send(&request).unwrap();
            client
        });
        thread::sleep(Duration::from_millis(50));
        let sent = honest.send(&[part(&text), part(b"")].concat());
        // The server waits for lines for ten seconds, which may pass on a busy machine.
        if is_whole && answered.elapsed() < Duration::from_secs(5) {
            sent.unwrap();
            assert_answered(&mut honest, &expected);
            assert_eq!(honest.part().unwrap(), b"");
            judged += 1;
        }
        drop((honest, others));
        assert_permits_are_free(|| server.client());
        if judged == 3 {
            return;
        }
    }
    assert!(judged > 0, "all rounds took too long");
}

#[test]
fn an_answer_breaks_off_where_tables_are_damaged() {
    let server = Server::damaged();
    let [good, damaged] = [4, 5].map(|seeds| lines(2000, seeds).into_bytes());
    let expected = printed(&server, &good, &["--db", "tables"]);
    let mut client = server.client();
    assert_eq!(begin(&mut client, &good), 200);
    assert_answered(&mut client, &expected);
    client.send(&part(&damaged)).unwrap();
    assert!(client.part().is_err());
    server.logs("layer-05.granero is damaged");
    let answer = ask(&mut server.client(), TARGET, &damaged);
    answer.assert_error(500, "damaged-tables");
    assert_permits_are_free(|| server.client());
}
