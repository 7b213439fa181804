//! `granero judge`: its output for games and for other input.

use std::path::Path;
use std::process::{Command, Output};

use granero::notation::{aalina, ogn};
use granero::{Cycles, Game, PlayedMove, Position, Ruleset, Side, Situation};
use serde_json::{Value as Json, json};

use crate::program;
use crate::support::command::{shows, success};
use crate::support::tables::{build, build_kind};

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
fn an_error_is_said_to_be_of_its_kind() {
    let place = build_kind((Ruleset::Abapa, Cycles::OwnSide), 6);
    let db = place.path().to_str().unwrap();
    // The first has moves of all kinds; in the other one, the move that guarantees most is no
    // error although another one may get more.
    let first = [1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1];
    let other = [0, 0, 0, 2, 1, 2, 0, 0, 0, 0, 0, 1];
    for (position, house, bounds, played, given_away, given_up, class) in [
        (first, 'A', [0, 6], [0, 6], 0, 0, "best"),
        (first, 'E', [0, 6], [0, 2], 0, 4, "changed-winner"),
        (first, 'D', [0, 6], [-6, -6], 6, 0, "gave-away"),
        (other, 'D', [-2, 0], [-2, -2], 0, 0, "best"),
        (other, 'E', [-2, 0], [-6, 0], 4, 0, "gave-away"),
    ] {
        let start = Situation::new(Position::new(position).unwrap(), Side::South, 20, 22);
        let game = format!("{} {house}", start.unwrap());
        let judge = |more: &[&str]| {
            let arguments = [&["judge", "-", "--db", db], more].concat();
            let output = granero(&arguments, game.as_bytes());
            success(&output).to_string()
        };
        let document: Json = serde_json::from_str(&judge(&["--json"])).unwrap();
        // With 20 and 22 seeds captured, South needs all six or has lost.
        let ending = |value: i32| {
            let south = 23 + value / 2;
            let winner = match south {
                ..24 => json!("north"),
                24 => json!(null),
                _ => json!("south"),
            };
            json!({"south": south, "north": 48 - south, "winner": winner})
        };
        let is_best = class == "best";
        let expected = json!({
            "number": 1,
            "move": house.to_string(),
            "position": position,
            "seeds": 6,
            "low": bounds[0],
            "high": bounds[1],
            "best": [if position == first { "A" } else { "D" }],
            "played_low": played[0],
            "played_high": played[1],
            "best_known": [if position == first { "A" } else { "D" }],
            "given_away": given_away / 2,
            "difference_lost": given_away,
            "given_up": given_up / 2,
            "label": format!("1. {house}"),
            "stores": {"south": 20, "north": 22},
            "class": class,
            "class_at_least": class,
            "unknown": false,
            "decided": false,
            "final_low": ending(bounds[0]),
            "final_high": ending(bounds[1]),
            "final_played_low": ending(played[0]),
            "final_played_high": ending(played[1]),
        });
        assert_eq!(document["moves"], json!([expected]));
        let expected = json!({
            "judged": 1,
            "best": i32::from(is_best),
            "given_away": given_away / 2,
            "difference_lost": given_away,
            "given_up": given_up / 2,
            "worst": (!is_best).then_some(1),
            "changed_winner": i32::from(class == "changed-winner"),
            "gave_away": i32::from(class == "gave-away"),
            "harmless": 0,
        });
        assert_eq!(document["south"], expected);
        let text = judge(&[]);
        let words = match (given_away / 2, given_up / 2) {
            (0, 0) => "-".into(),
            (0, up) => format!("1. {house}, which gave up {up} seeds"),
            (away, _) => format!("1. {house}, which gave away {away} seeds"),
        };
        let south = text.lines().find(|line| line.starts_with("South"));
        assert!(south.unwrap().ends_with(&words), "{text}");
        let range = ["-2…0", "0…+6"][usize::from(position == first)];
        shows(&text, range);
        let legend = "how many less are possible after it, if it guarantees as much.";
        shows(&text, legend);
    }
}

const ENDGAME: &str = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N";

/// Returns the report on `a`, its first move.
const FIRST_MOVE: &str = "  1. a      6     +6      +6           0  20-28  a\n";

/// Judges a game with an error; returns the output, the error and the document.
fn refused(db: &Path, game: &str) -> (String, String, Json) {
    let db = db.to_str().unwrap();
    let output = granero(&["judge", "-", "--db", db], game.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let document = granero(&["judge", "-", "--db", db, "--json"], game.as_bytes());
    assert_eq!(document.status.code(), Some(2));
    assert_eq!(document.stderr, output.stderr);
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
        serde_json::from_slice(&document.stdout).unwrap(),
    )
}

#[test]
fn a_game_with_an_illegal_move_is_judged_up_to_there() {
    let place = build(Ruleset::Abapa, 6);
    let (stdout, stderr, document) = refused(place.path(), &format!("{ENDGAME} aEbC"));
    shows(&stdout, FIRST_MOVE);
    let expected = "error: move 1… E: the house cannot be played: it is empty; only F is legal\n";
    assert!(stderr.starts_with(expected), "{stderr}");
    assert_eq!(document["moves"].as_array().unwrap().len(), 1);
    let expected = json!({
        "number": 2,
        "label": "1… E",
        "move": "E",
        "reason": "the house cannot be played: it is empty; only F is legal",
        "legal": ["F"],
    });
    assert_eq!(document["error"], expected);
}

/// Two moves of the same player in a row, in both notations.
#[test]
fn a_game_in_which_the_wrong_side_moves_is_judged_up_to_there() {
    let place = build(Ruleset::Abapa, 6);
    let ogn = format!("[FEN \"{ENDGAME}\"]\n\n1. a b 2. F 20-28\n");
    for input in [format!("{ENDGAME} abF"), ogn] {
        let (stdout, stderr, document) = refused(place.path(), &input);
        shows(&stdout, FIRST_MOVE);
        let expected = "error: move 1… b: South is to move; only F is legal\n\
                        help: correct the record from this move on\n";
        assert_eq!(stderr, expected);
        assert_eq!(document["length"], 3);
        assert_eq!(document["moves"].as_array().unwrap().len(), 1);
        assert_eq!(document["north"]["judged"], 1);
        let expected = json!({
            "number": 2,
            "label": "1… b",
            "move": "b",
            "reason": "South is to move; only F is legal",
            "legal": ["F"],
        });
        assert_eq!(document["error"], expected);
    }
}

#[test]
fn games_come_from_files_in_both_notations() {
    let place = build(Ruleset::Abapa, 6);
    let db = place.path().to_str().unwrap();
    let game: Game = format!("{ENDGAME}\naF\n").parse().unwrap();
    let mut texts = Vec::new();
    for (name, text) in [
        ("game.txt", aalina::write_game(&game)),
        ("game.ogn", ogn::write(&game, Ruleset::Abapa).unwrap()),
    ] {
        let file = place.path().join(name);
        std::fs::write(&file, text).unwrap();
        let output = granero(&["judge", file.to_str().unwrap(), "--db", db], b"");
        texts.push(success(&output).to_string());
    }
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].starts_with("2 moves; rules abapa, endless play by split.\n\nmove"));
}

#[test]
fn what_cannot_be_judged_is_said() {
    let place = build(Ruleset::Abapa, 6);
    let db = place.path().to_str().unwrap();
    let judge = |input: &[u8]| {
        let output = granero(&["judge", "-", "--db", db, "--prove", "off"], input);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text)
    };
    let (code, text) = judge(b"FfBeBc\n");
    assert_eq!(code, Some(0));
    assert!(text.contains("Not judged: the first 6 moves; the tables reach up to 6 seeds."));
    let (code, text) = judge(b"[Variant \"Italian\"]\n\n1. F f *\n");
    assert_eq!(code, Some(0));
    shows(&text, "by the rules italian");
    let (code, text) = judge(b"\n");
    assert_eq!(code, Some(2));
    shows(&text, "not a game: at character 2: expected a game");
    for bad in [
        &b"FfG"[..],
        b"Ff#",
        b"[South",
        b"1. F f 1-0-",
        b"\xff",
        b"4-4 F",
    ] {
        let (code, text) = judge(bad);
        assert_eq!(code, Some(2), "{text}");
        assert!(
            text.contains("error: ") && text.contains("help: "),
            "{text}"
        );
    }
    let missing = granero(&["judge", "no/such/game", "--db", db], b"");
    assert_eq!(missing.status.code(), Some(3));
    let no_tables = granero(&["judge", "-", "--db", "no/such/tables"], b"Ff");
    assert_eq!(no_tables.status.code(), Some(3));
}

/// An error in a record shows the line, or the part of a long line around the place.
#[test]
fn a_mistake_in_a_record_is_shown_where_it_is() {
    let judge = |input: &str| {
        let output = granero(&["judge", "-"], input.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let text = judge("[South \"Ama\"]\n\n1. F f 2. 3 5\n");
    let expected = "error: not a game: line 3, column 11: expected a move, a letter `A` to `F` \
                    or `a` to `f`, or its number with a dot, found `3`\n  \
                    | 1. F f 2. 3 5\n  |           ^\n";
    assert!(text.starts_with(expected), "{text}");
    let text = judge(&format!(
        "[South \"Ama\"]\n{}3 5 {0}",
        "1. F f 2. B e ".repeat(30)
    ));
    let mut lines = text.lines().skip(1);
    let (shown, mark) = (lines.next().unwrap(), lines.next().unwrap());
    assert_eq!(mark.chars().count(), 4 + 1 + 40 + 1, "{text}");
    assert_eq!(
        shown.chars().nth(mark.chars().count() - 1),
        Some('3'),
        "{text}"
    );
    assert!(shown.chars().count() < 84 && shown.ends_with('…'), "{text}");
}

#[test]
fn all_games_of_a_file_are_judged() {
    let file =
        format!("[South \"Ama\"]\n[FEN \"{ENDGAME}\"]\n1. a F *\n\n[FEN \"{ENDGAME}\"]\n1. a b");
    let output = granero(&["judge", "-"], file.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    let tables: Vec<&str> = text.split("\n\n").collect();
    assert!(tables[0].starts_with("2 games; rules abapa"), "{text}");
    for (table, name, rows) in [(tables[1], "Ama", 1), (tables[2], "North", 3)] {
        assert!(table.starts_with(&format!("{name}\ngame  side")), "{text}");
        assert_eq!(table.lines().count(), 2 + rows, "{text}");
    }
    let error = String::from_utf8(output.stderr).unwrap();
    shows(&error, "error: game 2, move 1… b: South is to move");
    let output = granero(&["judge", "-", "--json"], file.as_bytes());
    let documents = String::from_utf8(output.stdout).unwrap();
    assert_eq!(documents.lines().count(), 2);
}

/// A game with a move of each class, as text, as a record and as a figure.
#[test]
fn a_game_is_reviewed_for_its_players() {
    let place = tempfile::tempdir().unwrap();
    let figure = place.path().join("game.svg");
    let position = |stores: &str| format!("[FEN \"0-2-0-1-1-0-1-0-2-0-1-0-{stores}-S\"]");
    let judge = |stores: &str, more: &[&str]| {
        let tags = "[South \"Ama\"]\n[North \"Kofi\"]\n";
        let game = format!("{tags}{}\n35. B {{why?}} a 36. D c!\n", position(stores));
        let output = granero(&[&["judge", "-"], more].concat(), game.as_bytes());
        success(&output).to_string()
    };
    let text = judge("20-20", &[]);
    for part in [
        "South: Ama, North: Kofi.\n4 moves;",
        "\n 35… a      8     +2      +2           0  23-25  a e\n",
        "\n35. B gave away 2 seeds and changed who wins. South to move:\n   f  e  d  c  b  a\n",
        "\nCaptured so far: South 20, North 20.\nWith E: South wins, 25 to 23.\n\
         With B: North wins, 25 to 23.\n",
        "\n36. D gave away 3 seeds. South to move:\n",
        "\nSouth       2     0          5                 1         0  36. D, which gave away 3 seeds\n",
    ] {
        shows(&text, part);
    }
    // A decided game needs no board.
    let text = judge("26-14", &[]);
    assert!(!text.contains("to move:"), "{text}");
    assert!(text.contains("\nSouth       2     0          5                 0         2  36. D"));
    let moves = "35. B?? { why? Gave away 2 seeds: North wins, 25 to 23; best was E: South wins,\n\
                 25 to 23 } a 36. D? { Gave away 3 seeds: North wins, 28 to 20; best was E:\n\
                 North wins, 25 to 23 } c!\n";
    let record = judge("20-20", &["--format", "ogn"]);
    assert!(record.ends_with(moves), "{record}");
    let theirs = judge("20-20", &["--format", "playstrategy"]);
    shows(&theirs, "35. b1d1?? {");
    let again: Game = theirs.parse().unwrap();
    assert_eq!(ogn::write(&again, Ruleset::Abapa), Ok(record));
    let text = judge("20-20", &["--plot", figure.to_str().unwrap()]);
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
