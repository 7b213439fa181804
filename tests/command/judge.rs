//! `granero judge`: its output for games and for other input.

use std::process::{Command, Output};

use granero::notation::ogn;
use granero::{Game, PlayedMove, Ruleset};

use crate::program;
use crate::support::command::{shows, stderr, success, tells};
use crate::support::tables::build;

fn granero(arguments: &[&str], input: &[u8]) -> Output {
    program::with_input(program::command().args(arguments), input)
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

#[test]
fn what_is_no_game_is_said() {
    for bad in [
        &b"\n"[..],
        b"FfG",
        b"Ff#",
        b"[South",
        b"1. F f 1-0-",
        b"\xff",
        b"4-4 F",
    ] {
        let output = granero(&["judge", "-"], bad);
        tells(&output, 2, "error: ");
        shows(stderr(&output), "help: ");
    }
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
    assert_eq!(ogn::write(&theirs, Ruleset::Abapa), Ok(record));
    let text = judge(&["--plot", figure.to_str().unwrap()]);
    assert!(text.ends_with("game.svg.\n"), "{text}");
    let drawn = std::fs::read_to_string(&figure).unwrap();
    for part in ["Ama (South) and Kofi (North)", ">35. B<", ">36… c<"] {
        shows(&drawn, part);
    }
}

/// Any input for a game: an endless device, a pipe, a file of another kind. Each is
/// judged or refused, and takes little memory.
#[test]
#[cfg(target_os = "linux")]
fn no_input_takes_much_memory() {
    const MIB: usize = 1 << 20;
    // A move is kept in few bytes, and a comment in few more than it has.
    assert!(size_of::<PlayedMove>() <= 4);
    let place = build(Ruleset::Abapa, 6);
    let file = |name: &str, text: &str| {
        let path = place.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let over_and_over = |text: &str, length: usize| text.repeat(length / text.len());
    let long_comment = format!("Ff {{{}}}", over_and_over("a comment ", MIB - 100));
    let inputs = [
        ("/dev/zero".into(), 2, "longer than 1 MiB"),
        ("/proc/self/mem".into(), 3, "cannot read"),
        (place.path().to_str().unwrap().into(), 3, "cannot read"),
        (
            file("10", &over_and_over("Ff", 10 * MIB)),
            2,
            "longer than 1 MiB",
        ),
        (
            file("moves", &over_and_over("Ff", MIB)),
            2,
            "the game has 1,048,576 moves",
        ),
        (
            file("comments", &over_and_over("F{a}f{b}", MIB)),
            2,
            "the game has 262,144 moves",
        ),
        (file("tags", &over_and_over("[a\"\"]", MIB)), 0, ""),
        (
            file("brackets", &over_and_over("(", MIB)),
            2,
            "a variation that ends",
        ),
        (file("comment", &format!("1. {long_comment}")), 0, ""),
        (
            file("lines", &over_and_over("\n", MIB)),
            2,
            "expected a game",
        ),
        (
            file("games", &over_and_over("[a\"\"]Ff*", MIB)),
            2,
            "more than 5,000 games or more than 100,000 moves",
        ),
    ];
    for (input, expected, message) in &inputs {
        // 60 MB of addresses, of which the program itself takes a third.
        // A search for proofs takes memory on purpose.
        let limited = "ulimit -v 60000; exec $0 judge $1 --db $2 --prove off";
        let output = Command::new("sh")
            .args(["-c", limited, &program::path(), input])
            .arg(place.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(*expected), "{input}: {text}");
        shows(&text, message);
        assert!(
            *expected == 0 || text.contains("\nhelp: "),
            "{input}: {text}"
        );
    }
    // A game may come through a pipe.
    let pipe = place.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let judge =
        "granero=$0; (printf Ff > $1/pipe) & exec $granero judge $1/pipe --db $1 --prove off";
    let output = Command::new("sh")
        .args(["-c", judge, &program::path()])
        .arg(place.path())
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"2 moves;"));
}
