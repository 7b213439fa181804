//! `granero judge`: its output for games and for other input.

use std::process::Output;

use granero::notation::ogn;
use granero::{Game, Ruleset};

use crate::program;
use crate::support::command::{shows, success, with_input};

fn granero(arguments: &[&str], input: &[u8]) -> Output {
    with_input(program::command().args(arguments), input)
}

/// Returns what a command writes to a terminal.
#[cfg(unix)]
fn on_a_terminal(arguments: &[&str]) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::io::Read;
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let end = std::fs::File::options()
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let mut command = program::command();
    command
        .args(arguments)
        .stdout(end.try_clone().unwrap())
        .stderr(end);
    let status = command.status().unwrap();
    drop(command);
    let mut text = Vec::new();
    // When the other end is closed, Linux reports an error there.
    let _ = std::fs::File::from(terminal).read_to_end(&mut text);
    format!("{status}: {}", String::from_utf8(text).unwrap())
}

#[cfg(unix)]
#[test]
fn texts_of_a_record_do_not_change_a_terminal() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("a\u{202e}b\u{1b}[31m");
    let file = file.to_str().unwrap();
    let missing = on_a_terminal(&["judge", file]);
    shows(&missing, r"a\u{202e}b\u{1b}[31m: ");
    let name = "a\u{202e}\u{1b}[31m\u{2028}b";
    std::fs::write(file, format!("[South \"{name}\"]\n{{{name}}} 1. F f")).unwrap();
    let db = concat!(env!("CARGO_MANIFEST_DIR"), "/../table/sample");
    let judge = ["judge", file, "--prove", "off", "--db", db];
    let shown = |format| on_a_terminal(&[&judge[..], &["--format", format]].concat());
    assert!(shown("text").contains("South: a\\u{202e}\\u{1b}[31m b"));
    let record = shown("ogn");
    let names = record.matches(r"a\u{202e}\u{1b}[31m");
    assert_eq!(names.count(), 2, "{record}");
    // A file gets the data, and JSON is JSON.
    let output = granero(&[&judge[..], &["--json"]].concat(), b"");
    assert_eq!(program::document(&output)["south"]["name"], name);
    let output = granero(&[&judge[..], &["--format", "ogn"]].concat(), b"");
    shows(success(&output), "[South \"a\u{202e}");
}

/// A game with a move of each class, as a record in two notations and as a figure.
#[test]
fn a_game_is_reviewed_for_its_players() {
    let place = tempfile::tempdir().unwrap();
    let figure = place.path().join("game.svg");
    let judge = |more: &[&str]| {
        let game = include_bytes!("../cmd/input/reviewed.ogn");
        let output = granero(&[&["judge", "-"], more].concat(), game);
        success(&output).to_string()
    };
    let theirs: Game = judge(&["--format", "playstrategy"]).parse().unwrap();
    let record = judge(&["--format", "ogn"]);
    assert_eq!(
        ogn::write(&theirs, Ruleset::Abapa, ogn::Dialect::Ogn),
        Ok(record)
    );
    let text = judge(&["--plot", figure.to_str().unwrap()]);
    assert!(text.ends_with("game.svg.\n"), "{text}");
    let drawn = std::fs::read_to_string(&figure).unwrap();
    for part in ["Ama (South) and Kofi (North)", ">35. B<", ">36… c<"] {
        shows(&drawn, part);
    }
}
