//! `granero get`: tables from hosts that are slow, cut off answers, or lie. It needs the feature `get`:
//! `.ci/get` runs this.

mod host;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use granero::table::{Manifest, TableWriter};
use granero::{Cycles, Ruleset, TableOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use host::{Host, Request, await_end, head, missing, send, without_body};
use support::command::{code, shows, stderr, stdout, success, tells};
use support::sealed::{resealed, sealed};
use support::tables::{self, files, tables_in};

/// The files of tables, by name.
type Files = Arc<BTreeMap<String, Vec<u8>>>;

const ALL: usize = usize::MAX;

/// Returns the sample tables of a convention.
fn sample(cycles: Cycles) -> Files {
    Arc::new(files(&tables::sample(cycles)))
}

/// Returns the tables that most tests need.
fn split() -> Files {
    sample(Cycles::Split)
}

/// Returns a host that sends some files well, except where `change` answers.
fn host_of(
    files: &Files,
    change: impl Fn(&Request, &[u8], &mut TcpStream) -> Option<io::Result<()>> + Send + Sync + 'static,
) -> Host {
    let files = Arc::clone(files);
    Host::new(move |request, stream| {
        let Some(file) = files.get(&request.name) else {
            return missing(stream);
        };
        change(request, file, stream).unwrap_or_else(|| send(stream, request.start, file, ALL))
    })
}

/// Returns a host of the tables that most tests need.
fn host(
    change: impl Fn(&Request, &[u8], &mut TcpStream) -> Option<io::Result<()>> + Send + Sync + 'static,
) -> Host {
    host_of(&split(), change)
}

/// Returns a host of these tables where `answer` sends one file.
fn host_except(
    name: &'static str,
    answer: impl Fn(&Request, &[u8], &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> Host {
    host(move |request, file, stream| (request.name == name).then(|| answer(request, file, stream)))
}

fn honest() -> Host {
    host(|_, _, _| None)
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
    refused_with(host, directory, &[], &[message]);
}

fn refused_with(host: &Host, directory: &Path, options: &[&str], messages: &[&str]) {
    let output = get(host, directory, options);
    for message in messages.iter().chain(&["help: "]) {
        tells(&output, 3, message);
    }
    let said = stderr(&output);
    assert!(!said.contains('\u{1b}'), "{said}");
}

/// Returns a directory for tables, which does not exist yet.
fn place() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("db");
    (place, directory)
}

fn last_layer(directory: &Path) -> Option<u8> {
    let text = fs::read_to_string(directory.join(Manifest::FILE)).unwrap();
    Manifest::from_text(&text)
        .unwrap()
        .finished()
        .checked_sub(1)
}

#[test]
fn tables_are_fetched_and_extended() {
    for cycles in Cycles::ALL {
        let files_there = sample(cycles);
        let host = host_of(&files_there, |_, _, _| None);
        let (_place, named) = place();
        let directory = tables_in(&named, cycles);
        // The manifest of the first layers is one that granero would have written.
        fetched(&host, &named, &["--seeds", "3", "--rate", "100M"]);
        assert_eq!(last_layer(&directory), Some(3));
        assert!(TableOptions::new().cycles(cycles).open(&named).is_ok());
        let before = files(&directory);
        fetched(&host, &named, &["--seeds", "2"]);
        assert_eq!(files(&directory), before);
        host.asked();
        let text = fetched(&host, &named, &[]);
        let reach = format!("holds abapa, endless play by {cycles}, full, up to 8 seeds");
        shows(&text, &reach);
        assert_eq!(files(&directory), *files_there);
        shows(&text, "Fetched 5 files, ");
        assert_eq!(host.asked().len(), 1 + 5);
        // Again, with nothing left to do.
        let output = get(&host, &named, &["--json", "--seeds", "48"]);
        let document: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert!(document["seconds"].is_f64());
        let expected = json!({
            "version": 1, "rules": "abapa", "cycles": cycles.name(), "url": host.url(),
            "db": named.to_str(), "seeds": 8, "files": 0, "bytes": 0,
            "seconds": document["seconds"],
        });
        assert_eq!(document, expected);
        let note = "note: the tables of the host reach up to 8 seeds";
        shows(stderr(&output), note);
        assert_eq!(host.asked(), [(Manifest::FILE.to_string(), None)]);
    }
}

#[test]
fn a_host_that_cuts_off_is_asked_for_the_rest() {
    let host = host(|request, file, stream| {
        (request.name != Manifest::FILE).then(|| send(stream, request.start, file, 1000))
    });
    let (_place, directory) = place();
    fetched(&host, &directory, &[]);
    assert_eq!(files(&directory), *split());
    let asked = host.asked();
    let of_last = asked.iter().filter(|(name, _)| name == "layer-08.granero");
    let starts: Vec<_> = of_last.map(|(_, start)| start.unwrap_or(0)).collect();
    // These are more attempts than for a host that sends nothing.
    assert!(
        starts
            .into_iter()
            .eq((0..=16).map(|thousand| thousand * 1000))
    );
}

/// Each mirror sends what it can; one is down, one cuts off, one lies about a file, one lacks a file.
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
    let lacks = host_except("layer-06.granero", |_, _, stream| missing(stream));
    let [second, third, fourth] = [&cuts, &lies, &lacks].map(Host::url);
    let mirrors = ["--mirror", &second, "--mirror", &third, "--mirror", &fourth];
    let (_place, directory) = place();
    let output = get(&down, &directory, &mirrors);
    let turns = "503 Service Unavailable; going on with the next mirror";
    tells(&output, 0, turns);
    assert_eq!(files(&directory), *split());
    // What one has begun another one continues.
    let starts = [&cuts, &lies, &lacks].map(|host| {
        let asked = host.asked().into_iter();
        asked
            .filter(|(name, start)| name == "layer-08.granero" && start.is_some())
            .count()
    });
    assert!(starts.iter().sum::<usize>() > 0, "{starts:?}");
    // All mirrors are given up.
    let (_other, none) = place();
    refused_with(
        &down,
        &none,
        &["--mirror", &down.url()],
        &["given up after 16 attempts"],
    );
    let without = [&lacks, &lacks].map(Host::url);
    refused_with(
        &lacks,
        &none,
        &["--mirror", &without[0]],
        &["layer-06.granero: the host does not have it"],
    );
}

/// A file is missing only if each mirror says so.
#[test]
fn a_mirror_may_have_what_another_lacks() {
    let lacks = Host::new(|_, stream| missing(stream));
    let later =
        host(|request, _, stream| (request.number < 2).then(|| without_body(stream, "503 Later")));
    let (_place, directory) = place();
    let output = get(
        &lacks,
        &directory,
        &["--json", "--seeds", "3", "--mirror", &later.url()],
    );
    let document: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(document["url"], later.url());
    // A mirror that lacks the manifest, and the contents of a site, is not asked again.
    assert_eq!(lacks.asked().len(), 2);
    let (_other, none) = place();
    let closed = Host::new(|_, stream| without_body(stream, "403 No"));
    for (first, second) in [(&lacks, &closed), (&closed, &lacks)] {
        let message = format!("{}/granero.json: the host answers 403", closed.url());
        refused_with(first, &none, &["--mirror", &second.url()], &[&message]);
    }
}

/// The address of a site leads to its tables.
#[test]
fn the_tables_of_a_site_are_found() {
    let own_side = sample(Cycles::OwnSide);
    let site = |places: Value| {
        let site = json!({"program": "granero", "places": places, "more": 1}).to_string();
        let (split, own_side) = (split(), Arc::clone(&own_side));
        Host::new(move |request, stream| {
            let folder = request.folder.as_str();
            let file = match (folder, request.name.as_str()) {
                ("tables", "site.json") => Some(site.as_bytes()),
                ("abapa-split", name) => split.get(name).map(Vec::as_slice),
                ("abapa-own-side", name) => own_side.get(name).map(Vec::as_slice),
                _ => None,
            };
            match file {
                Some(file) => send(stream, request.start, file, ALL),
                None => missing(stream),
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
    fetched(&host, &directory, &["--cycles", "own-side"]);
    assert_eq!(files(&directory.join("own-side")), *own_side);
    // A mirror has the same folders.
    let (_other, other) = place();
    let down = Host::new(|_, stream| without_body(stream, "503 Later"));
    fetched(
        &down,
        &other,
        &["--mirror", &host.url(), "--cycles", "own-side"],
    );
    let wrong = get(&host, &directory, &["--rules", "awari"]);
    let lists = "site.json lists these tables: abapa/own-side, abapa/split\n";
    tells(&wrong, 2, lists);
    let url = format!("{}/abapa-split", host.url());
    let wrong = command(&url, &directory, &["--rules", "awari"]).output();
    shows(stderr(&wrong.unwrap()), "are abapa/split");
    // The tables may be elsewhere; an address has no characters that control a terminal.
    let elsewhere = site(json!([place_of(
        "split",
        &format!("{}/abapa-split", host.url())
    )]));
    fetched(&elsewhere, &directory, &["--seeds", "4"]);
    assert_eq!(last_layer(&directory), Some(4));
    // Mirrors that name one address are one host.
    let nowhere = site(json!([place_of("split", "http://127.0.0.1:1/")]));
    let mirror = ["--mirror", &nowhere.url()];
    let message = "given up after 8 attempts";
    refused_with(&nowhere, &directory, &mirror, &[message]);
    let twice = site(json!([
        place_of("split", "tables/abapa-split/"),
        place_of("split", "tables/abapa-split/"),
    ]));
    let unknown = site(json!([{"rules": "of later", "cycles": "split", "at": ""}]));
    for (host, lists) in [
        (&twice, "lists these tables: abapa/split\n"),
        (&unknown, "lists no tables that this program knows\n"),
    ] {
        tells(&get(host, &directory, &[]), 2, lists);
    }
    let wild = site(json!([place_of("split", "tables/\u{1b}[0m")]));
    refused(&wild, &directory, "an address has no spaces and only ASCII");
    let unfinished = site(Value::Null);
    refused(
        &unfinished,
        &directory,
        "it does not list the tables of a site",
    );
}

/// The bytes that have arrived stay, and another host sends the rest.
#[test]
fn a_host_that_cuts_off_and_cannot_go_on_is_given_up() {
    let stubborn = host(|request, file, stream| {
        let is_last = request.name == "layer-08.granero";
        Some(send(stream, None, file, if is_last { 10_000 } else { ALL }))
    });
    let (_place, directory) = place();
    refused(
        &stubborn,
        &directory,
        "given up after 8 attempts: the host ended the connection",
    );
    assert_eq!(last_layer(&directory), Some(7));
    let part = directory.join("layer-08.granero.part");
    assert_eq!(fs::metadata(&part).unwrap().len(), 10_000);
    // A shorter part does not replace a longer one.
    let worse = host(|_, file, stream| Some(send(stream, None, file, 6_000)));
    refused(&worse, &directory, "given up after 8 attempts");
    assert_eq!(fs::metadata(&part).unwrap().len(), 10_000);
    let host = honest();
    let text = fetched(&host, &directory, &[]);
    shows(&text, "Fetched 1 file, 5.9 KiB, ");
    assert_eq!(
        host.asked()[1],
        ("layer-08.granero".to_string(), Some(10_000))
    );
    assert_eq!(files(&directory), *split());
}

#[test]
fn a_host_without_ranges_restarts_files() {
    let (_place, directory) = place();
    let cut = host(|request, file, stream| {
        // It ends once after half of the last file.
        let half = request.name == "layer-08.granero" && request.number == 9;
        Some(send(stream, None, file, if half { 8_000 } else { ALL }))
    });
    fetched(&cut, &directory, &[]);
    assert_eq!(cut.asked().len(), 11);
    assert_eq!(files(&directory), *split());
}

#[test]
fn a_slow_host_is_waited_for() {
    let slow = host(|_, file, stream| {
        let length = format!("Content-Length: {}\r\n", file.len());
        // Each piece is a packet.
        let mut pieces = file.chunks(100);
        Some(
            head(stream, "200 OK", &length)
                .and_then(|()| stream.set_nodelay(true))
                .and_then(|()| pieces.try_for_each(|piece| stream.write_all(piece))),
        )
    });
    let (_place, directory) = place();
    fetched(&slow, &directory, &[]);
    assert_eq!(files(&directory), *split());
    assert_eq!(slow.asked().len(), 10);
}

#[test]
fn troubles_of_a_host_pass_or_do_not() {
    let (_place, directory) = place();
    let odd = host(|request, _, stream| match request.number {
        0 => Some(stream.write_all(b"nonsense\r\n\r\n")),
        1 => Some(Ok(())),
        2 => Some(without_body(stream, "503 Later")),
        3 => Some(without_body(stream, "429 Slower")),
        _ => None,
    });
    let output = get(&odd, &directory, &["--seeds", "0"]);
    success(&output);
    assert_eq!(stderr(&output).matches("again in").count(), 4);
    let (_other, none) = place();
    let nonsense = Host::new(|_, stream| stream.write_all(b"nonsense\r\n\r\n"));
    refused(&nonsense, &none, "given up after 8 attempts");
    let forbidden = Host::new(|_, stream| without_body(stream, "403 Red"));
    refused(&forbidden, &none, "the host answers 403 Forbidden\n");
    assert_eq!(forbidden.asked().len(), 1);
    let nothing = Host::new(|_, stream| missing(stream));
    refused(&nothing, &none, "there is no http://");
    assert!(!none.exists());
    let without = host_except("layer-01.granero", |_, _, stream| missing(stream));
    refused(
        &without,
        &directory,
        "layer-01.granero: the host does not have it",
    );
    assert_eq!(last_layer(&directory), Some(0));
}

/// A whole file is not fetched again, although the manifest does not list it yet.
#[test]
fn a_file_that_is_whole_is_kept() {
    let files_there = sample(Cycles::OwnSide);
    let host = host_of(&files_there, |_, _, _| None);
    let (_place, directory) = place();
    fetched(&host, &directory, &["--seeds", "2"]);
    let own_side = directory.join("own-side");
    let [whole, torn] = ["layer-03.granero", "layer-04.granero"];
    fs::write(own_side.join(whole), &files_there[whole]).unwrap();
    fs::write(own_side.join(torn), "torn").unwrap();
    fetched(&host, &directory, &[]);
    let names: Vec<String> = host.asked().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[4..6], [Manifest::FILE, torn]);
    assert_eq!(files(&own_side), *files_there);
}

#[test]
fn a_host_that_lies_about_a_file_is_noticed() {
    let (_place, directory) = place();
    let liar = host_except("layer-05.granero", |request, file, stream| {
        let mut flipped = file.to_vec();
        flipped[file.len() / 2] ^= 1;
        send(stream, request.start, &flipped, ALL)
    });
    refused(
        &liar,
        &directory,
        "layer-05.granero: the file does not match the manifest of the host",
    );
    // The file was asked for twice.
    assert_eq!(liar.asked().len(), 1 + 5 + 2);
    assert_eq!(last_layer(&directory), Some(4));
    assert_eq!(files(&directory).len(), 1 + 5);
    // The host sends another length, or another part.
    let longer = host_except("layer-05.granero", |request, file, stream| {
        send(stream, request.start, &[file, b"."].concat(), ALL)
    });
    refused(
        &longer,
        &directory,
        "has 1,544 bytes, but the manifest says 1,543 bytes",
    );
    fs::write(directory.join("layer-05.granero.part"), [0; 100]).unwrap();
    let other_part = host(|request, file, stream| {
        let start = request.start.map(|start| start + 1);
        Some(send(stream, start, file, ALL))
    });
    refused(
        &other_part,
        &directory,
        "sends another part of the file than it was asked for",
    );
    let short = host(|request, _, stream| request.start.map(|_| without_body(stream, "416 No")));
    refused(
        &short,
        &directory,
        "the file of the host has no more than 100 bytes",
    );
    // The part was not of this file, which is fetched again as a whole.
    let host = honest();
    tells(&get(&host, &directory, &[]), 0, "; fetching it again");
    assert_eq!(files(&directory), *split());
    let asked = host.asked();
    assert_eq!([asked[1].1, asked[2].1], [Some(100), None]);
}

/// No byte beyond the promised length is written.
#[test]
fn an_answer_without_end_is_cut_off() {
    let (_place, directory) = place();
    let pour = |stream: &mut TcpStream| -> io::Result<()> {
        head(stream, "200 OK", "")?;
        loop {
            stream.write_all(&[b'{'; 4096])?;
        }
    };
    let endless = host_except("layer-02.granero", move |_, _, stream| pour(stream));
    refused(
        &endless,
        &directory,
        "the file does not match the manifest of the host",
    );
    assert_eq!(last_layer(&directory), Some(1));
    let (_place, none) = place();
    let endless = Host::new(move |_, stream| pour(stream));
    refused(&endless, &none, "it is too long");
    let empty = Host::new(|_, stream| head(stream, "200 OK", ""));
    refused(&empty, &none, "it is not a manifest of tables");
    let endless = Host::new(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        loop {
            stream.write_all(b"X-More: and more\r\n")?;
        }
    });
    refused(&endless, &none, "");
    assert!(!none.exists());
}

#[test]
fn a_host_that_drips_is_given_up() {
    // About 450 bytes a second.
    let dripping = host_except("layer-00.granero", |request, file, stream| {
        send(stream, request.start, file, 0)?;
        let left = &file[request.start.unwrap_or(0)..];
        left.iter().try_for_each(|&byte| {
            thread::sleep(Duration::from_millis(2));
            stream.write_all(&[byte])
        })
    });
    let (_place, directory) = place();
    let messages = [
        "layer-00.granero: given up after 8 attempts: the host sent only ",
        "less than --least-rate",
        "the same command continues",
    ];
    refused_with(&dripping, &directory, &["--patience", "100ms"], &messages);
    fetched(
        &dripping,
        &directory,
        &["--patience", "100ms", "--least-rate", "0"],
    );
    assert_eq!(files(&directory), *split());
}

#[test]
fn a_silent_or_missing_host_is_given_up() {
    let (_place, directory) = place();
    // This port has no listener.
    let output = command("http://127.0.0.1:1/", &directory, &[]).output();
    let problem = "http://127.0.0.1:1/granero.json: given up after 8 attempts: ";
    tells(&output.unwrap(), 3, problem);
    let silent = Host::new(|_, stream| await_end(stream));
    let (options, given_up) = (["--patience", "20ms"], "given up after 8 attempts");
    refused_with(&silent, &directory, &options, &[given_up, ": the host "]);
    let half = host(|request, file, stream| {
        Some(send(stream, request.start, file, 700).and_then(|()| await_end(stream)))
    });
    refused_with(&half, &directory, &options, &[given_up]);
    assert!(!directory.exists());
}

#[test]
fn a_hostile_manifest_is_refused() {
    let manifest = String::from_utf8(split()[Manifest::FILE].clone()).unwrap();
    let document: Value = serde_json::from_str(&manifest).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut document = document.clone();
        change(&mut document);
        sealed(document)
    };
    let with = |field: &str, value: Value| {
        changed(&|document| document["files"][3][field] = value.clone())
    };
    let entry = "its entry of layer 3 is wrong";
    let (place, directory) = place();
    for (text, message) in [
        (with("name", json!("../../layer-03.granero")), entry),
        (with("name", json!("/etc/passwd")), entry),
        (with("bytes", json!(u64::MAX)), entry),
        (with("sha256", json!("x")), "64 hexadecimal digits"),
        (
            changed(&|document| document["rules"] = "\u{1b}[31m".into()),
            "not a manifest of tables",
        ),
        (
            changed(&|document| document["files"].as_array_mut().unwrap().truncate(4)),
            "a file for each layer",
        ),
        (
            manifest.replacen("abapa", "awari", 1),
            "its checksum is wrong",
        ),
        (manifest.replacen("5", "9", 1), "format 9"),
        ("<html>".into(), "not a manifest of tables"),
        ("[".repeat(100_000), "not a manifest of tables"),
        (String::new(), "not a manifest of tables"),
    ] {
        let hostile =
            Host::new(move |request, stream| send(stream, request.start, text.as_bytes(), ALL));
        refused(&hostile, &directory, message);
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    // Other rules with right checksums: the files belong to another ruleset.
    let awari = resealed(&manifest.replacen("abapa", "awari", 1));
    let hostile = host_except(Manifest::FILE, move |request, _, stream| {
        send(stream, request.start, awari.as_bytes(), ALL)
    });
    refused(
        &hostile,
        &directory,
        "it holds another layer or other rules",
    );
    assert_eq!(last_layer(&directory), None);
}

#[test]
fn redirects_are_followed_to_an_end() {
    let moved = |to: &'static str| {
        move |request: &Request, _: &[u8], stream: &mut TcpStream| {
            let to = format!("Location: {to}{}\r\nContent-Length: 0\r\n", request.name);
            request
                .number
                .is_multiple_of(2)
                .then(|| head(stream, "302 Found", &to))
        }
    };
    let (_place, directory) = place();
    fetched(&host(moved("/elsewhere/")), &directory, &[]);
    assert_eq!(files(&directory), *split());
    let (_place, none) = place();
    let round = Host::new(|_, stream| {
        let headers = "Location: /granero.json\r\nContent-Length: 0\r\n";
        head(stream, "302 Found", headers)
    });
    refused(&round, &none, "too many redirects");
    // Bodies of errors are not read, so they may be endless.
    let endless = Host::new(|_, stream| {
        head(stream, "302 Found", "Location: granero.json\r\n")?;
        loop {
            stream.write_all(&[b'{'; 4096])?;
        }
    });
    refused(&endless, &none, "too many redirects");
    assert!(!none.exists());
}

#[test]
fn other_files_and_other_tables_stay() {
    let host = honest();
    let refused = |directory: &Path, expected: i32, message: &str| {
        let before = files(directory);
        tells(&get(&host, directory, &[]), expected, message);
        assert_eq!(files(directory), before);
    };
    let (_place, directory) = place();
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("letter.txt"), "Dear …").unwrap();
    refused(&directory, 2, "not empty, and not a directory of tables");
    let awari = tables::build(Ruleset::Awari, 2);
    refused(awari.path(), 2, "holds tables of the ruleset `awari`");
    // Local tables of the same rules that have more layers stay.
    let further = tables::build(Ruleset::Abapa, 9);
    refused(further.path(), 0, "");
    let writer = TableWriter::open(further.path(), (Ruleset::Abapa, Cycles::Split)).unwrap();
    refused(further.path(), 3, "another build is writing to");
    drop(writer);
    // The manifest of the host promises other values.
    let manifest = String::from_utf8(split()[Manifest::FILE].clone()).unwrap();
    let mut document: Value = serde_json::from_str(&manifest).unwrap();
    document["layers"][5]["sha256"] = document["layers"][4]["sha256"].clone();
    let other = sealed(document);
    let liar = Host::new(move |request, stream| send(stream, request.start, other.as_bytes(), ALL));
    let output = get(&liar, further.path(), &[]);
    tells(
        &output,
        2,
        "holds other values of the positions with 5 seeds",
    );
}

#[test]
fn what_cannot_be_meant() {
    let host = honest();
    let (_place, directory) = place();
    for options in [&["--seeds", "49"], &["--rate", "0"], &["--patience", "0s"]] {
        assert_eq!(code(&get(&host, &directory, options)), 2, "{options:?}");
    }
    let other = directory.with_extension("other");
    for (options, message) in [
        (
            ["--ca", "/dev/null"],
            "holds no readable certificates: there is none",
        ),
        (
            ["--db", other.to_str().unwrap()],
            "DIRECTORY cannot be combined with --db",
        ),
    ] {
        tells(&get(&host, &directory, &options), 2, message);
    }
    for url in [
        "file:///etc",
        "example.org/tables",
        "https://",
        "http://h/?",
    ] {
        let output = command(url, &directory, &[]).output().unwrap();
        assert_eq!(code(&output), 2, "{url}");
    }
    let output = command("http://[x/", &directory, &[]).output().unwrap();
    assert_eq!(code(&output), 3);
    assert!(host.asked().is_empty() && !directory.exists());
}

#[cfg(unix)]
#[test]
fn a_download_that_is_stopped_goes_on() {
    use rustix::process::{Pid, Signal, kill_process};

    let half = host_except("layer-07.granero", |request, file, stream| {
        send(stream, request.start, file, 5_000)?;
        await_end(stream)
    });
    let (_place, directory) = place();
    let mut command = command(&half.url(), &directory, &["--patience", "1h"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let part = directory.join("layer-07.granero.part");
    while fs::metadata(&part).map_or(0, |part| part.len()) < 5_000 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    tells(&output, 130, "Stopped: layer-07.granero: ");
    shows(stderr(&output), "The same command continues");
    let host = honest();
    fetched(&host, &directory, &[]);
    assert_eq!(
        host.asked()[1],
        ("layer-07.granero".to_string(), Some(5_000))
    );
    assert_eq!(files(&directory), *split());
}

/// The host is one of Python's standard library, if there is Python. Its certificate is from an
/// authority that is trusted only if told so.
#[test]
fn a_secure_host_has_to_prove_who_it_is() {
    use std::io::{BufRead, BufReader};

    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tls = package.join("../../tests/get/tls");
    let mut python = Command::new("python3");
    python.arg(tls.join("host.py"));
    python
        .arg(package.join("../table/sample"))
        .arg(tls.join("host.pem"));
    python.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut python = match python.spawn() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        python => python.unwrap(),
    };
    let mut port = String::new();
    BufReader::new(python.stdout.take().unwrap())
        .read_line(&mut port)
        .unwrap();
    let (_place, directory) = place();
    let get = |url: &str, trusted: bool| {
        let mut command = command(url, &directory, &[]);
        if trusted {
            command.arg("--ca").arg(tls.join("authority.pem"));
        }
        command.output().unwrap()
    };
    let url = |host: &str| format!("https://{host}:{}", port.trim());
    let unknown = get(&url("localhost"), false);
    let other_name = get(&url("127.0.0.1"), true);
    let downgraded = get(&(url("localhost") + "/plain"), true);
    let none = directory.exists();
    let well = get(&url("localhost"), true);
    python.kill().unwrap();
    python.wait().unwrap();
    for (output, message) in [
        (
            &unknown,
            "no secure connection: invalid peer certificate: UnknownIssuer",
        ),
        (
            &other_name,
            "no secure connection: invalid peer certificate: ",
        ),
        (&downgraded, "to an address that is not secure"),
    ] {
        tells(output, 3, message);
    }
    assert!(!none);
    success(&well);
    assert_eq!(files(&directory), *split());
}
