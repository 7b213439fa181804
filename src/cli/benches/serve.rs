//! Measures how many positions per second `granero serve` answers, and the time of each answer, for
//! `docs/internals/performance.md`. Client and server share the machine.
//!
//! `tools/load` calls this. Without an address it builds tables up to 12 seeds, serves them,
//! and asks that server; with one, as in `tools/load 127.0.0.1:7475`, it asks a running server.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use granero::random::SplitMix64;

/// The most seeds of positions that are asked for.
const SEEDS: u64 = 12;

const CONNECTIONS: usize = 64;

const TIME: Duration = Duration::from_secs(5);

fn main() {
    // Cargo adds an option of its own.
    let address = env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    match address {
        Some(address) => measure(&address, None),
        None => {
            let place = tempfile::tempdir().expect("a place for tables");
            let tables = place.path().join("tables");
            let granero = env!("CARGO_BIN_EXE_granero");
            let built = Command::new(granero)
                .args(["build", "--quiet", "--seeds", &SEEDS.to_string(), "--db"])
                .arg(&tables)
                .output()
                .expect("tables can be built");
            assert!(built.status.success());
            let mut server = Command::new(granero)
                .args(["serve", "--listen", "127.0.0.1:0", "--db"])
                .arg(&tables)
                .stdout(Stdio::piped())
                .spawn()
                .expect("a server can be started");
            let address = address_of(&mut server);
            measure(&address, Some(server.id()));
            // It has nothing to lose.
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// Reads the address that a server prints.
fn address_of(server: &mut Child) -> String {
    let stdout: ChildStdout = server.stdout.take().expect("a pipe");
    let mut line = String::new();
    let read = BufReader::new(stdout).read_line(&mut line);
    read.expect("the server says where it is");
    let (_, address) = line.trim().split_once("http://").expect("an address");
    address.trim_end_matches('/').to_string()
}

fn measure(address: &str, server: Option<u32>) {
    println!("{CONNECTIONS} connections, {} s each", TIME.as_secs());
    println!("                       requests/s   median      99 %    slowest");
    let few = random_positions(100, 1);
    let many = random_positions(200_000, 2);
    // Once, so that all that fits is in memory.
    ask(address, &many, Duration::from_secs(2), false);
    for (name, positions, revalidate) in [
        ("a hundred positions", &few, false),
        ("positions at random", &many, false),
        ("known ones (304)", &few, true),
    ] {
        let mut times = ask(address, positions, TIME, revalidate);
        times.sort_unstable();
        let of_thousand = |share: usize| times[(times.len() - 1) * share / 1000] as f64 / 1000.0;
        println!(
            "{name:20}  {:>11.0}  {:>7.2} ms  {:>7.2} ms  {:>7.2} ms",
            times.len() as f64 / TIME.as_secs_f64(),
            of_thousand(500),
            of_thousand(990),
            of_thousand(1000),
        );
    }
    if let Some(memory) = server.and_then(peak_memory) {
        println!("most memory of the server: {memory}");
    }
}

/// The heads of requests.
fn random_positions(number: usize, seed: u64) -> Vec<String> {
    let mut random = SplitMix64::new(seed);
    let position = |_| {
        let mut houses = [0; 12];
        for _ in 0..=random.below(SEEDS) {
            houses[random.below(12) as usize] += 1;
        }
        let houses = houses.map(|seeds: u8| seeds.to_string()).join(",");
        format!("GET /api/v1/abapa/position?p={houses} HTTP/1.1\r\nHost: localhost\r\n")
    };
    (0..number).map(position).collect()
}

/// Asks on all connections for some time, one question at a time on each. Returns the
/// microseconds of each answer.
fn ask(address: &str, requests: &[String], time: Duration, revalidate: bool) -> Vec<u32> {
    let end = Instant::now() + time;
    thread::scope(|scope| {
        let connection = |number: usize| {
            scope.spawn(move || {
                let from = requests.len() / CONNECTIONS * number;
                let requests = requests.iter().cycle().skip(from);
                ask_one_by_one(address, requests, end, revalidate)
            })
        };
        let connections: Vec<_> = (0..CONNECTIONS).map(connection).collect();
        let times = connections.into_iter().map(|connection| connection.join());
        times
            .flat_map(|times| times.expect("a connection"))
            .collect()
    })
}

fn ask_one_by_one<'a>(
    address: &str,
    requests: impl Iterator<Item = &'a String>,
    end: Instant,
    revalidate: bool,
) -> Vec<u32> {
    let mut stream = TcpStream::connect(address).expect("the server can be reached");
    stream.set_nodelay(true).expect("small packets");
    let mut times = Vec::new();
    let mut answer = Vec::new();
    let mut etag = String::new();
    for request in requests {
        let begin = Instant::now();
        if begin >= end {
            break;
        }
        let known = if revalidate {
            format!("If-None-Match: {etag}\r\n")
        } else {
            String::new()
        };
        let request = format!("{request}{known}\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let status = read_answer(&mut stream, &mut answer, &mut etag);
        assert!(matches!(status, 200 | 304), "status {status}");
        times.push(begin.elapsed().as_micros() as u32);
    }
    times
}

/// Reads an answer to its end, and returns its status.
fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>, etag: &mut String) -> u16 {
    answer.clear();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).expect("an answer");
        assert!(read > 0, "the server closed the connection");
        answer.extend_from_slice(&buffer[..read]);
        let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = std::str::from_utf8(&answer[..end]).expect("a head");
        let field = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::trim)
        };
        let length = field("content-length:").map_or(0, |length| length.parse().expect("a length"));
        if answer.len() < end + 4 + length {
            continue;
        }
        if etag.is_empty() {
            etag.push_str(field("etag:").unwrap_or_default());
        }
        return head[9..12].parse().expect("a status");
    }
}

fn peak_memory(process: u32) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map(|memory| memory.trim().to_string())
}
