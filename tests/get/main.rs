//! `granero get`: tables from hosts that are slow, cut off answers, or lie. It needs the feature `get`:
//! `.ci/get` runs this. What counts as a whole file is in the tests of copies.

#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

use granero::Cycles;
use granero::table::Manifest;
use serde_json::{Value, json};
use tempfile::TempDir;

use support::command::{code, shows, stderr, stdout, success, tells};
use support::sealed::resealed;
use support::tables::{self, files};

/// The files of the tables that hosts have, by name.
static FILES: LazyLock<BTreeMap<String, Vec<u8>>> =
    LazyLock::new(|| files(&tables::sample(Cycles::Split)));

/// A web host on a port of its own, which keeps each name that it was asked for, and the first byte.
struct Host {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<(String, usize)>>>,
}

impl Host {
    /// Answers each request by its name and first byte, and then ends the connection.
    fn new(
        answer: impl Fn(&str, usize, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Host {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let host = Host {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
        };
        let (answer, asked) = (Arc::new(answer), Arc::clone(&host.asked));
        // The threads end with the test program.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                thread::spawn(move || {
                    let mut stream = stream?;
                    let (name, start) = request(&stream)?;
                    asked.lock().unwrap().push((name.clone(), start));
                    answer(&name, start, &mut stream)
                });
            }
        });
        host
    }

    /// Has the tables, but for one file.
    fn except(
        other: &'static str,
        answer: impl Fn(&[u8], usize, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Host {
        Host::new(move |name, start, stream| match FILES.get(name) {
            Some(file) if name == other => answer(file, start, stream),
            Some(file) => send(stream, start, file, usize::MAX),
            None => empty(stream, "404 Not Found"),
        })
    }

    fn honest() -> Host {
        Host::except("", |_, _, _| Ok(()))
    }

    fn url(&self) -> String {
        format!("http://{}/tables", self.address)
    }

    /// Returns the requests since the last call.
    fn asked(&self) -> Vec<(String, usize)> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

/// Reads the last part of the path of a request, and the first byte.
fn request(stream: &TcpStream) -> io::Result<(String, usize)> {
    let lines = BufReader::new(stream).lines();
    let head: Vec<String> = lines
        .take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty()))
        .collect::<io::Result<_>>()?;
    let path = head[0].split(' ').nth(1).unwrap_or_default();
    let range = head.iter().find_map(|line| {
        let line = line.to_ascii_lowercase();
        let range = line.strip_prefix("range: bytes=")?;
        range.trim_end_matches('-').parse().ok()
    });
    let name = path.rsplit('/').next().unwrap_or_default();
    Ok((name.into(), range.unwrap_or(0)))
}

/// Sends the head of an answer.
fn head(stream: &mut TcpStream, status: &str, headers: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n"
    )
}

fn empty(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    head(stream, status, "Content-Length: 0\r\n")
}

/// Sends a file as hosts do: at most `most` bytes of it, from the byte that was asked for.
fn send(stream: &mut TcpStream, start: usize, file: &[u8], most: usize) -> io::Result<()> {
    let all = file.len();
    let length = format!("Content-Length: {}\r\n", all - start);
    let range = format!("Content-Range: bytes {start}-{}/{all}\r\n{length}", all - 1);
    match start {
        0 => head(stream, "200 OK", &length)?,
        _ => head(stream, "206 Partial Content", &range)?,
    }
    stream.write_all(&file[start..all.min(start.saturating_add(most))])
}

/// Sends bytes without end.
fn pour(stream: &mut TcpStream) -> io::Result<()> {
    head(stream, "200 OK", "")?;
    loop {
        stream.write_all(&[b'{'; 4096])?;
    }
}

/// Ends the connection after some bytes.
fn cut_off(file: &[u8], start: usize, stream: &mut TcpStream) -> io::Result<()> {
    send(stream, start, file, 1000)
}

/// Sends other bytes than those of the file.
fn lie(file: &[u8], start: usize, stream: &mut TcpStream) -> io::Result<()> {
    let flipped: Vec<u8> = file.iter().map(|byte| byte ^ 1).collect();
    send(stream, start, &flipped, usize::MAX)
}

fn command(url: &str, directory: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_granero"));
    command.args(["get", url]).arg(directory);
    command.args(["--pause", "0ms"]).args(options);
    for variable in ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "GRANERO_DB"] {
        command
            .env_remove(variable)
            .env_remove(variable.to_ascii_lowercase());
    }
    command
}

fn get(host: &Host, directory: &Path, options: &[&str]) -> Output {
    command(&host.url(), directory, options).output().unwrap()
}

/// Runs a download that must succeed, and returns its output.
fn fetched(host: &Host, directory: &Path, options: &[&str]) -> String {
    success(&get(host, directory, options)).into()
}

/// Runs a download that must fail with a message.
#[track_caller]
fn refused(host: &Host, directory: &Path, options: &[&str], message: &str) {
    let output = get(host, directory, options);
    tells(&output, 3, message);
    tells(&output, 3, "help: ");
    assert!(!stderr(&output).contains('\u{1b}'));
}

/// Returns a directory for tables, which does not exist yet.
fn place() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("db");
    (place, directory)
}

#[test]
fn tables_are_fetched_and_extended() {
    let host = Host::honest();
    let (_place, directory) = place();
    fetched(&host, &directory, &["--seeds", "3"]);
    let before = files(&directory);
    fetched(&host, &directory, &["--seeds", "2"]);
    assert_eq!(files(&directory), before);
    // A whole file is not fetched again, although the manifest does not list it yet.
    let [whole, torn] = ["layer-04.granero", "layer-05.granero"];
    fs::write(directory.join(whole), &FILES[whole]).unwrap();
    fs::write(directory.join(torn), "torn").unwrap();
    host.asked();
    let text = fetched(&host, &directory, &[]);
    shows(
        &text,
        "holds abapa, endless play by split, full, up to 8 seeds",
    );
    shows(&text, "Fetched 4 files, ");
    assert_eq!(host.asked().len(), 1 + 4);
    assert_eq!(files(&directory), *FILES);
    // Again, with nothing left to do.
    let output = get(&host, &directory, &["--json", "--seeds", "48"]);
    let document: Value = serde_json::from_str(stdout(&output)).unwrap();
    let expected = json!({
        "version": 1, "rules": "abapa", "cycles": "split", "url": host.url(),
        "db": directory.to_str(), "seeds": 8, "files": 0, "bytes": 0,
        "seconds": document["seconds"],
    });
    assert_eq!(document, expected);
    let reach = "note: the tables of the host reach up to 8 seeds";
    tells(&output, 0, reach);
    assert_eq!(host.asked(), [(Manifest::FILE.to_string(), 0)]);
}

/// Hosts that cut off are asked for the rest, as long as more comes. What has arrived stays.
#[test]
fn downloads_go_on_where_they_ended() {
    let last = "layer-08.granero";
    let cuts = Host::except(last, cut_off);
    let (_place, directory) = place();
    fetched(&cuts, &directory, &[]);
    assert_eq!(files(&directory), *FILES);
    let asked = cuts.asked().into_iter();
    let starts = asked.filter_map(|(name, start)| (name == last).then_some(start));
    assert!(starts.eq((0..FILES[last].len()).step_by(1000)));
    // A host that cannot send parts begins at 0 again.
    let (_other, directory) = place();
    let whole = Host::except(last, |file, _, stream| send(stream, 0, file, 10_000));
    refused(&whole, &directory, &[], "given up after 8 attempts");
    let host = Host::honest();
    let text = fetched(&host, &directory, &[]);
    shows(&text, "Fetched 1 file, 5.4 KiB, ");
    assert_eq!(host.asked()[1].1, 10_000);
    assert_eq!(files(&directory), *FILES);
}

/// One mirror is down, one cuts off, one lies about a file, one lacks a file.
#[test]
fn mirrors_take_turns() {
    let [down, cuts, lies, lacks] = [
        Host::new(|_, _, to| empty(to, "503 Later")),
        Host::except("layer-08.granero", cut_off),
        Host::except("layer-05.granero", lie),
        Host::except("layer-06.granero", |_, _, to| empty(to, "404 Not Found")),
    ];
    let [first, second, third, fourth] = [&down, &cuts, &lies, &lacks].map(Host::url);
    let mirrors = ["--mirror", &second, "--mirror", &third, "--mirror", &fourth];
    let (_place, directory) = place();
    let next = "503 Service Unavailable; going on with the next mirror";
    tells(&get(&down, &directory, &mirrors), 0, next);
    assert_eq!(files(&directory), *FILES);
    let (_other, none) = place();
    let given_up = "given up after 8 attempts: the host answers 503";
    refused(&down, &none, &["--mirror", &first], given_up);
    let lacking = "layer-06.granero: the host answers 404";
    refused(&lacks, &none, &["--mirror", &fourth], lacking);
}

/// Whatever hosts send, nothing but good files comes into the directory.
#[test]
fn hosts_that_lie_are_noticed() {
    let (_place, directory) = place();
    let (_other, none) = place();
    let fifth = "layer-05.granero";
    let mismatch = "the file does not match the manifest";
    refused(&Host::except(fifth, lie), &directory, &[], mismatch);
    assert_eq!(files(&directory).len(), 1 + 5);
    fs::write(directory.join("layer-05.granero.part"), [0; 100]).unwrap();
    let other_part = Host::except(fifth, |file, start, stream| {
        send(stream, start + 1, file, usize::MAX)
    });
    let other = "sends another part of the file";
    refused(&other_part, &directory, &[], other);
    // The part was not of this file, which is fetched again as a whole.
    let host = Host::honest();
    tells(&get(&host, &directory, &[]), 0, mismatch);
    assert_eq!(files(&directory), *FILES);
    let starts = host.asked().into_iter().map(|(_, start)| start);
    assert!(starts.take(3).eq([0, 100, 0]));
    // No byte beyond the promised length is written.
    let endless = Host::except("layer-00.granero", |_, _, stream| pour(stream));
    refused(&endless, &none, &[], mismatch);
    let endless = Host::new(|_, _, stream| pour(stream));
    refused(&endless, &none, &[], "it is too long");
    let location = "Location: /granero.json\r\nContent-Length: 0\r\n";
    let round = Host::new(move |_, _, stream| head(stream, "302 Found", location));
    refused(&round, &none, &[], "redirect");
    // Manifests with wrong paths, or of other rules.
    let manifest = String::from_utf8(FILES[Manifest::FILE].clone()).unwrap();
    let changed = |from: &str, to: &str| resealed(&manifest.replace(from, to));
    let other_path = changed("layer-03", "../layer-03");
    let other_rules = changed("abapa", "awari");
    for (text, message) in [
        (other_path, "its entry of layer 3 is wrong"),
        (other_rules, "it holds another layer or other rules"),
        ("[".repeat(100_000), "not a manifest of tables"),
    ] {
        let hostile = Host::except(Manifest::FILE, move |_, start, stream| {
            send(stream, start, text.as_bytes(), usize::MAX)
        });
        refused(&hostile, &none, &[], message);
        assert!(!none.join("layer-00.granero").exists());
    }
}

#[test]
fn silent_and_missing_hosts_are_given_up() {
    let (_place, directory) = place();
    // This port has no listener.
    let output = command("http://127.0.0.1:1/", &directory, &[]).output();
    let problem = "http://127.0.0.1:1/granero.json: given up after 8 attempts: ";
    tells(&output.unwrap(), 3, problem);
    let silent = Host::new(|_, _, stream| stream.read(&mut [0]).map(drop));
    let given_up = "given up after 8 attempts: the host ";
    refused(&silent, &directory, &["--patience", "20ms"], given_up);
    let forbidden = Host::new(|_, _, stream| empty(stream, "403 Red"));
    let answer = "granero.json: the host answers 403 Forbidden\n";
    refused(&forbidden, &directory, &[], answer);
    // Options that cannot be meant.
    for option in ["--seeds=49", "--patience=0s", "--ca=/dev/null", "--db=a"] {
        let output = get(&forbidden, &directory, &[option]);
        assert_eq!(code(&output), 2, "{option}");
    }
    assert!(!directory.exists());
}

/// The host is one of Python's standard library. Its certificate is from an authority that is
/// trusted only if told so.
#[test]
fn a_secure_host_has_to_prove_who_it_is() {
    let tls = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/get/tls");
    let mut python = Command::new("python3");
    python.arg(tls.join("host.py"));
    python.arg(tables::sample(Cycles::Split));
    python.arg(tls.join("host.pem"));
    python.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut python = python.spawn().unwrap();
    let mut port = String::new();
    let mut said = BufReader::new(python.stdout.take().unwrap());
    said.read_line(&mut port).unwrap();
    let (_place, directory) = place();
    let authority = tls.join("authority.pem");
    let trust = ["--ca", authority.to_str().unwrap()];
    let get = |host: &str, options: &[&str]| {
        let url = format!("https://{}", host.replace("PORT", port.trim()));
        command(&url, &directory, options).output().unwrap()
    };
    let bad = "no secure connection: invalid peer certificate: ";
    let unknown = format!("{bad}UnknownIssuer");
    tells(&get("localhost:PORT", &[]), 3, &unknown);
    tells(&get("127.0.0.1:PORT", &trust), 3, bad);
    tells(&get("localhost:PORT/plain", &trust), 3, "https");
    assert!(!directory.exists());
    success(&get("localhost:PORT", &trust));
    python.kill().unwrap();
    python.wait().unwrap();
    assert_eq!(files(&directory), *FILES);
}
