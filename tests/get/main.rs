//! `granero get`: tables from hosts that are slow, cut off answers, or lie. It needs the feature `get`:
//! `.ci/get` runs this.

mod host;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use granero::Cycles;
use granero::table::Manifest;
use serde_json::{Value, json};
use tempfile::TempDir;

use host::{Host, Request, await_end, head, send, without_body};
use support::command::{code, shows, stderr, stdout, success, tells};
use support::sealed::resealed;
use support::tables::{self, files, tables_in};

/// The files of tables, by name.
type Files = Arc<BTreeMap<String, Vec<u8>>>;

const ALL: usize = usize::MAX;

/// Returns the sample tables of a convention.
fn sample(cycles: Cycles) -> Files {
    Arc::new(files(&tables::sample(cycles)))
}

/// Returns a host of tables, which sends a file as `change` does, or well if that does nothing.
fn host_of(
    files: &Files,
    change: impl Fn(&Request, &[u8], &mut TcpStream) -> Option<io::Result<()>> + Send + Sync + 'static,
) -> Host {
    let files = Arc::clone(files);
    Host::new(move |request, stream| match files.get(&request.name) {
        None => without_body(stream, "404 Not Found"),
        Some(file) => {
            change(request, file, stream).unwrap_or_else(|| send(stream, request.start, file, ALL))
        }
    })
}

/// Returns a host of the tables that most tests need, where `answer` sends one file.
fn host_except(
    name: &'static str,
    answer: impl Fn(&Request, &[u8], &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> Host {
    host_of(&sample(Cycles::Split), move |request, file, stream| {
        (request.name == name).then(|| answer(request, file, stream))
    })
}

fn honest() -> Host {
    host_of(&sample(Cycles::Split), |_, _, _| None)
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
fn refused(host: &Host, directory: &Path, message: &str) {
    refused_with(host, directory, &[], message);
}

fn refused_with(host: &Host, directory: &Path, options: &[&str], message: &str) {
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

fn is_sample(directory: &Path) -> bool {
    files(directory) == *sample(Cycles::Split)
}

#[test]
fn tables_are_fetched_and_extended() {
    for cycles in Cycles::ALL {
        let there = sample(cycles);
        let host = host_of(&there, |_, _, _| None);
        let (_place, named) = place();
        let directory = tables_in(&named, cycles);
        fetched(&host, &named, &["--seeds", "3"]);
        let before = files(&directory);
        fetched(&host, &named, &["--seeds", "2"]);
        assert_eq!(files(&directory), before);
        // A whole file is not fetched again, although the manifest does not list it yet.
        let [whole, torn] = ["layer-04.granero", "layer-05.granero"];
        fs::write(directory.join(whole), &there[whole]).unwrap();
        fs::write(directory.join(torn), "torn").unwrap();
        host.asked();
        let text = fetched(&host, &named, &[]);
        let reach = format!("holds abapa, endless play by {cycles}, full, up to 8 seeds");
        shows(&text, &reach);
        shows(&text, "Fetched 4 files, ");
        assert_eq!(host.asked().len(), 1 + 4);
        assert_eq!(files(&directory), *there);
        // Again, with nothing left to do.
        let output = get(&host, &named, &["--json", "--seeds", "48"]);
        let document: Value = serde_json::from_str(stdout(&output)).unwrap();
        let expected = json!({
            "version": 1, "rules": "abapa", "cycles": cycles.name(), "url": host.url(),
            "db": named.to_str(), "seeds": 8, "files": 0, "bytes": 0,
            "seconds": document["seconds"],
        });
        assert_eq!(document, expected);
        shows(
            stderr(&output),
            "note: the tables of the host reach up to 8 seeds",
        );
        assert_eq!(host.asked(), [(Manifest::FILE.to_string(), None)]);
    }
}

/// Hosts that cut off are asked for the rest, as long as more comes. What has arrived stays.
#[test]
fn downloads_go_on_where_they_ended() {
    let cuts = host_except("layer-08.granero", |request, file, stream| {
        send(stream, request.start, file, 1000)
    });
    let (_place, directory) = place();
    fetched(&cuts, &directory, &[]);
    assert!(is_sample(&directory));
    let asked = cuts.asked().into_iter();
    let starts = asked.filter(|(name, _)| name == "layer-08.granero");
    let length = files(&directory)["layer-08.granero"].len();
    assert!(
        starts
            .map(|(_, start)| start.unwrap_or(0))
            .eq((0..length).step_by(1000))
    );
    // A host that cannot send parts begins at 0 again.
    let (_other, directory) = place();
    let whole = host_except("layer-08.granero", move |_, file, stream| {
        send(stream, None, file, 10_000)
    });
    refused(&whole, &directory, "given up after 8 attempts");
    let host = honest();
    let text = fetched(&host, &directory, &[]);
    shows(&text, "Fetched 1 file, 5.4 KiB, ");
    assert_eq!(host.asked()[1].1, Some(10_000));
    assert!(is_sample(&directory));
}

/// One mirror is down, one cuts off, one lies about a file, one lacks a file.
#[test]
fn mirrors_take_turns() {
    let down = Host::new(|_, stream| without_body(stream, "503 Later"));
    let cuts = host_except("layer-08.granero", |request, file, stream| {
        send(stream, request.start, file, 1000)
    });
    let lies = host_except("layer-05.granero", |request, file, stream| {
        let flipped: Vec<u8> = file.iter().map(|byte| byte ^ 1).collect();
        send(stream, request.start, &flipped, ALL)
    });
    let lacks = host_except("layer-06.granero", |_, _, stream| {
        without_body(stream, "404 Not Found")
    });
    let [second, third, fourth] = [&cuts, &lies, &lacks].map(Host::url);
    let mirrors = ["--mirror", &second, "--mirror", &third, "--mirror", &fourth];
    let (_place, directory) = place();
    let output = get(&down, &directory, &mirrors);
    let next = "503 Service Unavailable; going on with the next mirror";
    tells(&output, 0, next);
    assert!(is_sample(&directory));
    let (_other, none) = place();
    let both = ["--mirror", &down.url()];
    let given_up = "given up after 8 attempts: the host answers 503";
    refused_with(&down, &none, &both, given_up);
    let lacking = "layer-06.granero: the host answers 404";
    refused_with(&lacks, &none, &["--mirror", &fourth], lacking);
}

/// The address of a site leads to its tables.
#[test]
fn the_tables_of_a_site_are_found() {
    let own_side = sample(Cycles::OwnSide);
    let site = |places: Value| {
        let site = json!({"program": "granero", "places": places, "more": 1}).to_string();
        let (split, own_side) = (sample(Cycles::Split), Arc::clone(&own_side));
        Host::new(move |request, stream| {
            let file = match (request.folder.as_str(), request.name.as_str()) {
                ("tables", "site.json") => Some(site.as_bytes()),
                ("abapa-split", name) => split.get(name).map(Vec::as_slice),
                ("abapa-own-side", name) => own_side.get(name).map(Vec::as_slice),
                _ => None,
            };
            match file {
                Some(file) => send(stream, request.start, file, ALL),
                None => without_body(stream, "404 Not Found"),
            }
        })
    };
    let place_of = |cycles: &str, at: &str| json!({"rules": "abapa", "cycles": cycles, "at": at});
    let host = site(json!([
        place_of("own-side", "tables/abapa-own-side/"),
        place_of("split", "tables/abapa-split/"),
        {"rules": "of later", "cycles": "split", "at": "\u{1b}"},
    ]));
    let (_place, directory) = place();
    let output = get(&host, &directory, &["--json", "--seeds", "3"]);
    let document: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(
        document["url"],
        format!("{}/tables/abapa-split", host.url())
    );
    // A mirror has the same folders.
    let down = Host::new(|_, stream| without_body(stream, "503 Later"));
    fetched(
        &down,
        &directory,
        &["--mirror", &host.url(), "--cycles", "own-side"],
    );
    assert_eq!(files(&directory.join("own-side")), *own_side);
    // The tables may be elsewhere; an address has no characters that control a terminal.
    let elsewhere = format!("{}/abapa-split", host.url());
    fetched(
        &site(json!([place_of("split", &elsewhere)])),
        &directory,
        &[],
    );
    assert!(is_sample(&directory));
    let wild = site(json!([place_of("split", "tables/\u{1b}[0m")]));
    refused(&wild, &directory, "an address has no spaces and only ASCII");
    refused(
        &site(Value::Null),
        &directory,
        "it does not list the tables of a site",
    );
    let wrong = get(&host, &directory, &["--rules", "awari"]);
    tells(
        &wrong,
        2,
        "site.json lists these tables: abapa/own-side, abapa/split\n",
    );
    let wrong = command(&elsewhere, &directory, &["--rules", "awari"]).output();
    shows(stderr(&wrong.unwrap()), "are abapa/split");
}

/// Whatever hosts send, nothing but good files comes into the directory.
#[test]
fn hosts_that_lie_are_noticed() {
    let (_place, directory) = place();
    let flips = host_except("layer-05.granero", |request, file, stream| {
        let mut flipped = file.to_vec();
        flipped[file.len() / 2] ^= 1;
        send(stream, request.start, &flipped, ALL)
    });
    refused(
        &flips,
        &directory,
        "layer-05.granero: the file does not match the manifest",
    );
    assert_eq!(files(&directory).len(), 1 + 5);
    fs::write(directory.join("layer-05.granero.part"), [0; 100]).unwrap();
    let other_part = host_except("layer-05.granero", |request, file, stream| {
        send(stream, request.start.map(|start| start + 1), file, ALL)
    });
    refused(&other_part, &directory, "sends another part of the file");
    // The part was not of this file, which is fetched again as a whole.
    let host = honest();
    let again = get(&host, &directory, &[]);
    tells(&again, 0, "the file does not match the manifest");
    assert!(is_sample(&directory));
    assert_eq!([host.asked()[1].1, None], [Some(100), None]);
    // No byte beyond the promised length is written.
    let pour = |stream: &mut TcpStream| -> io::Result<()> {
        head(stream, "200 OK", "")?;
        loop {
            stream.write_all(&[b'{'; 4096])?;
        }
    };
    let (_other, none) = place();
    let endless = host_except("layer-00.granero", move |_, _, stream| pour(stream));
    refused(&endless, &none, "the file does not match the manifest");
    refused(
        &Host::new(move |_, stream| pour(stream)),
        &none,
        "it is too long",
    );
    // Manifests with wrong paths, or of other rules.
    let sample = sample(Cycles::Split);
    let manifest = String::from_utf8(sample[Manifest::FILE].clone()).unwrap();
    for (text, message) in [
        (
            resealed(&manifest.replace("layer-03", "../layer-03")),
            "its entry of layer 3 is wrong",
        ),
        (
            resealed(&manifest.replace("abapa", "awari")),
            "it holds another layer or other rules",
        ),
        ("[".repeat(100_000), "not a manifest of tables"),
    ] {
        let hostile = host_except(Manifest::FILE, move |request, _, stream| {
            send(stream, request.start, text.as_bytes(), ALL)
        });
        refused(&hostile, &none, message);
        assert!(!none.join("layer-00.granero").exists());
    }
    // Redirects that go round.
    let round = Host::new(|_, stream| {
        head(
            stream,
            "302 Found",
            "Location: /granero.json\r\nContent-Length: 0\r\n",
        )
    });
    refused(&round, &none, "redirect");
}

#[test]
fn silent_and_missing_hosts_are_given_up() {
    let (_place, directory) = place();
    // This port has no listener.
    let output = command("http://127.0.0.1:1/", &directory, &[]).output();
    let problem = "http://127.0.0.1:1/granero.json: given up after 8 attempts: ";
    tells(&output.unwrap(), 3, problem);
    let silent = Host::new(|_, stream| await_end(stream));
    refused_with(
        &silent,
        &directory,
        &["--patience", "20ms"],
        "given up after 8 attempts: the host ",
    );
    // Options that cannot be meant.
    let forbidden = Host::new(|_, stream| without_body(stream, "403 Red"));
    for options in [
        ["--seeds", "49"],
        ["--patience", "0s"],
        ["--ca", "/dev/null"],
        ["--db", "a"],
    ] {
        assert_eq!(
            code(&get(&forbidden, &directory, &options)),
            2,
            "{options:?}"
        );
    }
    refused(
        &forbidden,
        &directory,
        "granero.json: the host answers 403 Forbidden\n",
    );
    assert!(!directory.exists());
}

#[cfg(unix)]
#[test]
fn a_download_that_is_stopped_says_how_to_go_on() {
    use rustix::process::{Pid, Signal, kill_process};

    let half = host_except("layer-07.granero", |request, file, stream| {
        send(stream, request.start, file, 5_000)?;
        await_end(stream)
    });
    let (_place, directory) = place();
    let mut command = command(&half.url(), &directory, &["--patience", "1h"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let part = directory.join("layer-07.granero.part");
    while fs::metadata(&part).map_or(0, |part| part.len()) < 5_000 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    tells(&output, 130, "Stopped: layer-07.granero: ");
    shows(stderr(&output), "The same command continues");
}

/// The host is one of Python's standard library, if there is Python. Its certificate is from an
/// authority that is trusted only if told so.
#[test]
fn a_secure_host_has_to_prove_who_it_is() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tls = package.join("../../tests/get/tls");
    let mut python = Command::new("python3");
    python
        .arg(tls.join("host.py"))
        .arg(package.join("../table/sample"));
    python
        .arg(tls.join("host.pem"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut python = match python.spawn() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        python => python.unwrap(),
    };
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
    tells(
        &get("localhost:PORT", &[]),
        3,
        &format!("{bad}UnknownIssuer"),
    );
    tells(&get("127.0.0.1:PORT", &trust), 3, bad);
    tells(&get("localhost:PORT/plain", &trust), 3, "https");
    assert!(!directory.exists());
    success(&get("localhost:PORT", &trust));
    python.kill().unwrap();
    python.wait().unwrap();
    assert!(is_sample(&directory));
}
