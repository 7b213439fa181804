//! Proofs beyond the tables, as the verbs print them: never a wrong bound, and a clear answer to
//! every limit.

use std::fs;
#[cfg(target_os = "linux")]
use std::io::Read;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::{Child, Command};
use std::process::{Output, Stdio};

use granero::index::Layer;
use granero::prove::{Budget, Proof, Prover};
use granero::table::Manifest;
use granero::{Cycles, Measured, Position, Ruleset, Tables, Value};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::program::{self, document};
use crate::support::command::{code, shows, stderr, stdout, success};
use crate::support::tables;

fn granero(arguments: &[&str], directory: &Path, input: &str) -> Output {
    let mut command = program::command();
    program::with_input(
        command.args(arguments).current_dir(directory),
        input.as_bytes(),
    )
}

/// Asks the sample: abapa, up to 8 seeds.
fn query(arguments: &[&str]) -> Output {
    let place = tempfile::tempdir().unwrap();
    granero(&[&["query"], arguments].concat(), place.path(), "")
}

fn built(cycles: Cycles, seeds: u8) -> TempDir {
    tables::build_kind((Ruleset::Abapa, cycles), seeds)
}

/// Returns the library's proof with the sample.
fn proof(position: &str, nodes: u64) -> Proof {
    let position: Position = position.parse().unwrap();
    let prover = Prover::new(Tables::sample());
    let go_on = |_: &_| ControlFlow::Continue(());
    prover
        .prove(&position, Budget::nodes(nodes), go_on)
        .unwrap()
}

/// A position of 8 seeds and more in its two halves; the search settles it in a moment.
const SETTLED: &str = "2 0 1 1 0 1 1 1 0 0 2 1";

/// A position that takes more than a moment.
const HARD: &str = "2 1 3 1 0 1 1 1 0 3 2 1";

/// Replaces the time of a search, which varies.
fn without_time(text: &str) -> String {
    let words = text.split_inclusive([' ', '\n']).collect::<Vec<_>>();
    let mut kept = String::new();
    let mut skip = 0;
    for (number, word) in words.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| words[before]);
        let before_that = number.checked_sub(2).map(|before| words[before]);
        if before == Some("in ") && before_that.is_some_and(|word| word.starts_with("position")) {
            skip = 2;
        }
        if skip == 0 {
            kept += word;
            continue;
        }
        skip -= 1;
        if skip == 0 {
            let end = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            kept += &format!("TIME{end}");
        }
    }
    kept
}

/// Positions with one to three seeds more than the tables have; truth comes from larger tables.
fn positions(seeds: u8, count: u64) -> Vec<Position> {
    let layers = (seeds + 1..=seeds + 3).map(|seeds| Layer::new(seeds).unwrap());
    let positions = layers.flat_map(|layer| {
        let step = layer.len() / count;
        (0..count).map(move |number| layer.position(number * step).unwrap())
    });
    positions.collect()
}

fn seeds(json: &Json) -> i64 {
    json.as_i64().unwrap()
}

/// Returns true if a range holds the true value.
fn holds(range: &Json, worth: Measured<Value>) -> bool {
    let [low, high] = [worth.low(), worth.high()].map(|value| i64::from(value.seeds()));
    seeds(&range["low"]) <= low && high <= seeds(&range["high"])
}

/// Returns true if the exact worth, if there is one, is the true one.
fn is_exact(document: &Json, worth: Measured<Value>) -> bool {
    worth.iter().all(|(measure, value)| {
        let said = &document[measure.name()];
        said.is_null() || *said == value.seeds()
    })
}

#[test]
fn nothing_that_is_proven_is_wrong() {
    for cycles in Cycles::ALL {
        let place = built(cycles, 5);
        let truth = Tables::sample_of(cycles);
        let positions = positions(5, 70);
        let lines: String = positions
            .iter()
            .map(|position| format!("{position}\n"))
            .collect();
        let mut exact = [0, 0];
        for (number, nodes) in ["20", "3000"].into_iter().enumerate() {
            let ask = |format| {
                let batch = ["query", "--batch", "-", "--db", ".", "--format", format];
                let more = ["--prove-positions", nodes];
                let output = granero(&[&batch[..], &more].concat(), place.path(), &lines);
                assert_eq!(code(&output), 0, "{}", stderr(&output));
                stdout(&output).to_string()
            };
            let (documents, rows) = (ask("json"), ask("tsv"));
            assert_eq!(documents.lines().count(), positions.len());
            let answers = documents.lines().zip(rows.lines());
            for (position, (document, row)) in positions.iter().zip(answers) {
                let document: Json = serde_json::from_str(document).unwrap();
                let assessment = truth.assess(position).unwrap();
                let worth = assessment.worth.unwrap();
                let said = format!("{cycles}, {position}: {worth}, but {document}");
                assert!(is_exact(&document, worth), "{said}");
                let name = if cycles == Cycles::Split {
                    "value"
                } else {
                    "low"
                };
                let known = !document[name].is_null();
                assert_eq!(document["reason"].is_string(), !known, "{said}");
                let cells: Vec<&str> = row.split('\t').skip(1).collect();
                if known {
                    exact[number] += 1;
                    assert_eq!(cells[0], document[name].to_string(), "{row}, {said}");
                }
                let proven = &document["proven"];
                if proven.is_null() {
                    // The tables hold all of its moves.
                    assert!(known, "{said}");
                    continue;
                }
                assert!(holds(proven, worth), "{said}");
                let meet = proven["low"] == proven["high"];
                assert_eq!(known, meet, "{said}");
                if !meet {
                    let trivial = seeds(&proven["high"]) - seeds(&proven["low"])
                        == 2 * i64::from(position.seeds());
                    let range = if trivial {
                        "-".to_string()
                    } else {
                        format!("{}..{}", proven["low"], proven["high"])
                    };
                    assert!(cells.iter().all(|cell| **cell == range), "{row}, {said}");
                }
                let moves = document["moves"].as_array().unwrap();
                assert_eq!(moves.len(), assessment.moves.len());
                for found in moves {
                    let house = found["house"].as_str().unwrap();
                    let is_it = |assessed: &&granero::AssessedMove| {
                        assessed.play.house.to_string() == house
                    };
                    let assessed = assessment.moves.iter().find(is_it).unwrap();
                    let worth = assessed.worth.unwrap();
                    assert!(holds(&found["proven"], worth), "{house}, {said}");
                    assert!(is_exact(found, worth), "{house}, {said}");
                    assert!(found["best"] == false || assessed.best, "{house}, {said}");
                }
            }
        }
        // More effort proves more, and less effort does not prove everything.
        assert!(0 < exact[0] && exact[0] < exact[1], "{cycles}: {exact:?}");
    }
}

#[test]
fn positions_beyond_the_tables_are_proven_without_being_asked_for_it() {
    let value = proof(SETTLED, u64::MAX);
    assert_eq!(value.low, value.high);
    let output = query(&[SETTLED]);
    assert_eq!(code(&output), 0);
    let expected = format!(
        "Value {}, proven with {} positions in TIME: with best play South wins {} of these seeds \
         more than North.\n",
        value.low,
        value.nodes,
        value.low.seeds()
    );
    let text = without_time(stdout(&output));
    shows(&text, &expected);
    assert!(text.contains("  best\n") && !text.contains('?'), "{text}");
    let found = document(&query(&[SETTLED, "--json"]));
    assert_eq!(found["value"], value.low.seeds());
    assert_eq!(found["proven"]["ended"], "settled");
    assert_eq!(found["proven"]["positions"], value.nodes);
    assert!(found["proven"]["seconds"].is_f64());
    assert_eq!(found["moves"][0]["best"], true);
    let tsv = query(&[SETTLED, "--format", "tsv"]);
    assert_eq!(stdout(&tsv), format!("{SETTLED}\t{}\n", value.low.seeds()));
    // Not in a batch.
    let place = tempfile::tempdir().unwrap();
    for (more, expected) in [
        (&[][..], "-".to_string()),
        (&["--prove", "1h"], value.low.seeds().to_string()),
    ] {
        let batch = ["query", "--batch", "-", "--format", "tsv"];
        let output = granero(&[&batch[..], more].concat(), place.path(), SETTLED);
        assert_eq!(stdout(&output), format!("{SETTLED}\t{expected}\n"));
    }
}

#[test]
fn what_is_proven_in_words() {
    let nodes = "100000";
    let proven = proof(HARD, 100_000);
    let (low, high) = (proven.low, proven.high);
    assert!(low < high && low.seeds() < 0 && high.seeds() > 0);
    let output = query(&[HARD, "--prove-positions", nodes]);
    let text = without_time(success(&output));
    let words = format!("t least {low}; at most {high}; ");
    let more = proven.nodes - 100_000;
    let effort = format!("proven with 100,{more:03} positions in TIME");
    for part in [
        format!("A{words}{effort}:\n"),
        format!(
            ":\nSouth gets {} to {} of these seeds.\n",
            (16 + low.seeds()) / 2,
            (16 + high.seeds()) / 2
        ),
        "move  captures    bounds\n".to_string(),
        "  best known\n".to_string(),
    ] {
        shows(&text, &part);
    }
    for found in &proven.moves {
        let house = found.play.house;
        let range = format!("{}…{}", found.low, found.high.min(high));
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{house} ")));
        assert!(line.unwrap().contains(&range), "{range}: {text}");
    }
    let place = tempfile::tempdir().unwrap();
    let batch = ["query", "--batch", "-", "--prove-positions", nodes];
    let lines = format!("{HARD}\n{SETTLED}\n");
    let output = granero(&batch, place.path(), &lines);
    let text = without_time(stdout(&output));
    let best = document(&query(&[HARD, "--prove-positions", nodes, "--json"]));
    let best = best["proven"]["best_known"][0]
        .as_str()
        .unwrap()
        .to_string();
    let first = format!("{HARD}: a{words}best known {best}; {effort}\n");
    assert!(text.starts_with(&first), "{first}, but {text}");
    assert!(
        text.lines().nth(1).unwrap().contains("; proven with "),
        "{text}"
    );
}

#[test]
fn stores_give_final_scores_of_what_is_proven() {
    let proven = proof(HARD, 100_000);
    let text = "2-1-3-1-0-1-1-1-0-3-2-1-16-16-S";
    let output = query(&[text, "--prove-positions", "100000"]);
    let (low, high) = (proven.low.seeds(), proven.high.seeds());
    let expected = format!(
        ":\nSouth ends with {} to {} seeds.\n",
        24 + low / 2,
        24 + high / 2
    );
    shows(stdout(&output), &expected);
}

#[test]
fn bounds_by_own_side_hold_however_a_cycle_is_decided() {
    let output = query(&[HARD, "--cycles", "own-side", "--prove-positions", "30000"]);
    let text = success(&output);
    shows(text, "; proven with 30,00");
    shows(text, ",\nwhichever position of an endless cycle counts.\n");
    // Both conventions at once, each with a search of its own.
    let place = tables::build_both(Ruleset::Abapa, 5);
    let ask = |more: &[&str]| {
        let arguments = ["query", SETTLED, "--db", ".", "--prove-positions", "50"];
        granero(&[&arguments, more].concat(), place.path(), "")
    };
    let text = ask(&[]);
    assert_eq!(stdout(&text).matches("proven with ").count(), 2);
    let both = document(&ask(&["--json"]));
    assert!(both["proven"]["low"].is_i64() && both["own_side"]["proven"]["low"].is_i64());
}

#[test]
fn odd_limits_have_clear_answers() {
    let start = "4 4 4 4 4 4 4 4 4 4 4 4";
    let one_house = "0 0 0 0 0 48 0 0 0 0 0 0";
    for position in [start, one_house] {
        for limit in [
            ["--prove", "0s"],
            ["--prove", "1ms"],
            ["--prove-positions", "0"],
            ["--prove-positions", "1"],
        ] {
            let output = query(&[&[position][..], &limit].concat());
            shows(success(&output), "proven with ");
            let found = document(&query(&[&[position, "--json"][..], &limit].concat()));
            assert!(
                holds(&found["proven"], Measured::Value(Value::ZERO)),
                "{found}"
            );
        }
    }
    let text = without_time(stdout(&query(&[start, "--prove-positions", "0"])));
    let expected = "Value unknown: the tables reach up to 8 seeds, and this position has 48.\n\
                    Hardly anything is proven with 1 position in TIME.\n";
    shows(&text, expected);
    // The largest number, of which a search that settles the position uses little.
    for limit in [
        ["--prove", "1000000h"],
        ["--prove-positions", "18446744073709551615"],
    ] {
        let output = query(&[&[SETTLED][..], &limit].concat());
        shows(success(&output), "Value +");
    }
    // Without a search nothing changes.
    let off = document(&query(&[start, "--json", "--prove", "off"]));
    assert!(off.get("proven").is_none() && off["moves"][0].get("proven").is_none());
    assert_eq!(off["value"], json!(null));
    for bad in [
        &["--prove", "5"][..],
        &["--prove", "-1s"],
        &["--prove", "x"],
        &["--prove", "99999999999999999999h"],
        &["--prove-positions", "-1"],
        &["--prove", "1s", "--prove-positions", "5"],
    ] {
        let output = query(&[&[SETTLED], bad].concat());
        assert_eq!(code(&output), 2, "{bad:?}");
        assert_eq!(stdout(&output), "");
    }
}

/// A directory of tables without a layer: a search alone can prove something.
#[test]
fn tables_without_layers_leave_all_to_the_search() {
    for cycles in Cycles::ALL {
        let place = tempfile::tempdir().unwrap();
        let directory = match cycles {
            Cycles::Split => place.path().to_path_buf(),
            Cycles::OwnSide => place.path().join("own-side"),
        };
        fs::create_dir_all(&directory).unwrap();
        let manifest = Manifest::new((Ruleset::Abapa, cycles)).to_text();
        fs::write(directory.join(Manifest::FILE), manifest).unwrap();
        // Two hundred positions do not settle this one.
        let arguments = [
            "query",
            SETTLED,
            "--db",
            ".",
            "--prove-positions",
            "200",
            "--json",
        ];
        let found = document(&granero(&arguments, place.path(), ""));
        let reason = format!("no tables of abapa with {cycles} have been built");
        assert_eq!(found["reason"], reason);
    }
}

/// Damages all but the beginning of a file.
fn damage(place: &TempDir, name: &str) -> PathBuf {
    let file = place.path().join(name);
    let mut bytes = fs::read(&file).unwrap();
    let length = bytes.len();
    for byte in &mut bytes[length / 4..] {
        *byte ^= 0x55;
    }
    fs::write(&file, bytes).unwrap();
    file
}

/// No capture leads from 10 seeds to 9, so only loading the tables would meet the damage.
#[test]
fn an_easy_position_does_not_wait_for_tables_to_load() {
    let place = built(Cycles::Split, 9);
    damage(&place, "layer-09.granero");
    let output = granero(
        &["query", SETTLED, "--db", ".", "--prove", "5min"],
        place.path(),
        "",
    );
    shows(success(&output), "\nValue +4, proven with 711 positions");
}

#[test]
fn damaged_tables_in_the_middle_of_a_search_are_an_error() {
    for cycles in Cycles::ALL {
        let place = built(cycles, 7);
        let file = damage(
            &place,
            match cycles {
                Cycles::Split => "layer-07.granero",
                Cycles::OwnSide => "own-side/layer-07.granero",
            },
        );
        // The first may load all tables; the second has no time for that.
        for time in ["1min", "1ms"] {
            for format in ["text", "json", "tsv"] {
                let query = [
                    "query", SETTLED, "--db", ".", "--prove", time, "--format", format,
                ];
                let output = granero(&query, place.path(), "");
                assert_eq!(code(&output), 3, "{}", stdout(&output));
                assert_eq!(stdout(&output), "");
                let name = file.file_name().unwrap().to_str().unwrap();
                shows(stderr(&output), name);
            }
        }
        let batch = ["query", "--batch", "-", "--db", ".", "--prove", "1ms"];
        let lines = format!("0 0 0 0 0 1 2 0 0 0 0 0\n{SETTLED}\n");
        let output = granero(&batch, place.path(), &lines);
        assert_eq!(code(&output), 3);
        assert!(!stdout(&output).contains("proven"));
    }
}

#[test]
fn what_is_proven_of_a_game_in_words() {
    let place = tempfile::tempdir().unwrap();
    let game = "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S Ca";
    let judge = |more: &[&str], game: &str| {
        let output = granero(&[&["judge", "-"], more].concat(), place.path(), game);
        (code(&output), stdout(&output).to_string())
    };
    // This is enough time on any machine.
    let (code, text) = judge(&["--prove", "1h"], game);
    assert_eq!(code, 0);
    for part in [
        "Judged as far as it is proven: the first 2 moves; the tables reach up to 8 seeds.\n",
        "move    seeds  value  played  gives away  score  best\n",
        "  1. C     10     +4      -6           5  21-27  F\n",
        "  1… a     10     +6      -2           4  25-23  e f\n",
        "\n1. C gave away 5 seeds and changed who wins. South to move:\n   f  e  d  c  b  a\n",
        "\nWith F: South wins, 26 to 22.\nWith C: North wins, 27 to 21.\n",
        "\nWith e or f: North wins, 27 to 21.\nWith a: South wins, 25 to 23.\n",
        "South       1     0          5                 1         0  1. C, which gave away 5 seeds\n",
        "North       1     0          4                 1         0  1… a, which gave away 4 seeds\n",
    ] {
        shows(&text, part);
    }
    // Fewer proofs say less.
    let (_, text) = judge(&["--prove-positions", "60"], game);
    for part in [
        "  1. C     10  +4…+10             -6     at least 5        21-27  best known F\n",
        "  1… a     10      +6  not known yet  not known yet  at least 21  e f\n",
        "\n1. C gave away at least 5 seeds and changed who wins. South to move:\n",
        "\nWith F, best known: South ends with at least 26 seeds.\n",
        "South       1     0     at least 5                 1         0  1. C, which gave away at least 5 seeds\n",
        "North       0     0  not known yet     not known yet         0  -\n",
    ] {
        shows(&text, part);
    }
    let (_, record) = judge(&["--prove-positions", "60", "--format", "ogn"], game);
    let moves = "1. C?? { Gave away at least 5 seeds: North wins, 27 to 21; best known was F:\n\
                 South ends with at least 26 seeds } a\n";
    assert!(record.ends_with(moves), "{record}");
    // In the figure, too: two bars of four parts each, and a mark for the wrong move.
    let figure = place.path().join("game.svg");
    let plot = ["--plot", figure.to_str().unwrap()];
    judge(&[&["--prove-positions", "60"], &plot[..]].concat(), game);
    let drawn = fs::read_to_string(&figure).unwrap();
    judge(&[&["--prove", "off"], &plot[..]].concat(), game);
    let bare = fs::read_to_string(&figure).unwrap();
    let count = |text: &str| text.matches("<rect").count();
    assert_eq!(count(&drawn), count(&bare) + 9, "{drawn}");
    // For several games, the certain totals of each player.
    let (start, _) = game.split_once(' ').unwrap();
    let games = format!("[FEN \"{start}\"]\n1. C a *\n\n").repeat(2);
    let (_, text) = judge(&["--prove-positions", "60"], &games);
    let players = "Judged as far as it is proven: 4 moves; the tables reach up to 8 seeds.\n\n\
North\n\
                   game  side   judged  best      gave away  changed who wins  harmless  against\n   \
                   1  North       0     0  not known yet     not known yet         0  South\n   \
                   2  North       0     0  not known yet     not known yet         0  South\n \
                   all              0     0  not known yet     not known yet         0\n";
    shows(&text, players);
    for part in [
        "   2  South       1     0   at least 5                 1         0  North\n",
        " all              2     0  at least 10                 2         0\n",
    ] {
        shows(&text, part);
    }
    let (_, text) = judge(&["--prove", "off"], &games);
    shows(
        &text,
        "\nNot judged: 4 moves; the tables reach up to 8 seeds.\n",
    );
    let (_, text) = judge(&["--prove-positions", "0"], "Ff");
    assert!(
        text.ends_with("reach up to 8 seeds.\nNot known yet: 2 of them.\n"),
        "{text}"
    );
    // Where hardly anything can be proven, the search ends early.
    let (_, text) = judge(&["--prove", "8s", "--json"], "Ff");
    let found: Json = serde_json::from_str(&text).unwrap();
    for judged in found["moves"].as_array().unwrap() {
        assert!(
            judged["search"]["seconds"].as_f64().unwrap() < 4.0,
            "{text}"
        );
    }
    let (_, text) = judge(&["--prove", "off"], game);
    assert!(
        text.ends_with("Not judged: the first 2 moves; the tables reach up to 8 seeds.\n"),
        "{text}"
    );
    // A game that becomes impossible is judged up to there.
    let (code, text) = judge(&[], &format!("{game}Aa"));
    assert_eq!(code, 2);
    shows(&text, "  1… a     10");
}

#[test]
fn lines_follow_proofs_into_the_tables() {
    let place = tempfile::tempdir().unwrap();
    let line = |more: &[&str]| granero(&[&["line"], more].concat(), place.path(), "");
    let output = line(&[SETTLED]);
    let text = without_time(success(&output));
    for part in [
        "\nValue +4 for South, proven with 711 positions in TIME.\n",
        "\n  1. F          2      2      0             8\n",
        "\nOf the 10 seeds South gets 7 and North 3.\n",
    ] {
        shows(&text, part);
    }
    let found = document(&line(&[SETTLED, "--json"]));
    assert_eq!(found["value"], 4);
    assert_eq!(found["proven"]["low"], 4);
    assert_eq!(found["score"], json!({"south": 7, "north": 3, "left": 0}));
    // The game is judged to be without a mistake.
    let game = line(&[SETTLED, "--format", "moves"]);
    let judged = document(&granero(
        &["judge", "-", "--json"],
        place.path(),
        stdout(&game),
    ));
    for player in ["south", "north"] {
        assert_eq!(judged[player]["given_away"], 0);
    }
}

#[test]
fn lines_stop_where_no_move_is_proven() {
    let place = tempfile::tempdir().unwrap();
    let line = |more: &[&str]| granero(&[&["line"], more].concat(), place.path(), "");
    // Without a first move there is no line.
    for (more, message) in [
        (
            &["--prove-positions", "0"][..],
            "error: the position has 10 seeds, the tables reach up to 8 seeds, and no move is \
             proven to be best",
        ),
        (
            &["--prove", "off"],
            "error: the position has 10 seeds, and the tables reach up to 8 seeds\nhelp: `granero \
             build --seeds 10` builds them up to 10 seeds\n",
        ),
    ] {
        let output = line(&[&[SETTLED], more].concat());
        assert_eq!(code(&output), 3);
        assert_eq!(stdout(&output), "");
        shows(stderr(&output), message);
    }
    // The only move needs no proof, but the reply does.
    let forced = "0-0-0-0-0-1-4-2-4-3-2-2-15-15-S";
    let stopped = "The line stops here: no move of North's is proven to be best. A longer search may \
                   prove more, see --prove.";
    let output = line(&[forced, "--prove-positions", "0"]);
    let text = success(&output);
    shows(text, "\n  1. F ");
    assert!(text.ends_with(&format!("\n{stopped}\n")), "{text}");
    let ogn = line(&[forced, "--prove-positions", "0", "--format", "ogn"]);
    let comment = stdout(&ogn).replace('\n', " ");
    shows(&comment, stopped);
    for cycles in Cycles::ALL {
        let limit = [
            "--prove-positions",
            "0",
            "--json",
            "--cycles",
            cycles.name(),
        ];
        let found = document(&line(&[&[forced][..], &limit].concat()));
        assert_eq!(found["end"], json!({"reason": "unproven"}));
        assert_eq!(found["moves"].as_array().unwrap().len(), 1);
        assert_eq!(found["score"]["left"], 18);
        assert!(found["reason"].is_string() && found["proven"]["low"].is_i64());
        if cycles == Cycles::OwnSide {
            assert_eq!(found["lines"], json!([]));
        }
    }
}

/// Waits until a process handles Ctrl-C itself.
#[cfg(target_os = "linux")]
fn wait_for_handler(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        let text = fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        // Bit 1 is signal 2, SIGINT.
        if caught & 2 != 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Waits until a process has worked longer, since this call, than it takes to start or to answer from
/// tables: it has begun to search. Its processor time counts, not the time of the clock.
#[cfg(target_os = "linux")]
fn wait_for_work(child: &mut Child) {
    let stat = format!("/proc/{}/stat", child.id());
    // In ticks, a hundred a second: the user time is field 14. Field 2 may have spaces, in brackets.
    let ticks = || -> u64 {
        let text = fs::read_to_string(&stat).unwrap();
        let (_, fields) = text.rsplit_once(") ").unwrap();
        fields.split(' ').nth(11).unwrap().parse().unwrap()
    };
    let start = ticks();
    while ticks() < start + 30 {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
}

/// Runs a command, and interrupts it once it handles signals.
#[cfg(target_os = "linux")]
fn interrupted(arguments: &[&str], directory: &Path) -> Output {
    let mut command = program::command();
    command.args(arguments).current_dir(directory);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for_handler(&child);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    output
}

#[cfg(target_os = "linux")]
#[test]
fn a_search_that_is_stopped_prints_what_is_proven() {
    let place = tempfile::tempdir().unwrap();
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    for format in ["text", "json"] {
        let output = interrupted(
            &["query", start, HARD, "--prove", "1h", "--format", format],
            place.path(),
        );
        let text = stdout(&output);
        if format == "text" {
            // The second position is answered with the few proofs found at once.
            assert_eq!(text.matches("when it was stopped").count(), 2, "{text}");
        } else {
            for line in text.lines() {
                let document: Json = serde_json::from_str(line).unwrap();
                assert_eq!(document["proven"]["ended"], "stopped");
            }
            assert_eq!(text.lines().count(), 2);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_batch_that_is_stopped_ends_after_the_lines_in_progress() {
    let place = tempfile::tempdir().unwrap();
    let mut child = program::command()
        .args(["query", "--batch", "-", "--prove", "1h", "--format", "json"])
        .current_dir(place.path())
        .env("RAYON_NUM_THREADS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = format!("0 0 0 0 0 1 2 0 0 0 0 0\n{HARD}\n0 0 0 0 0 1 2 0 0 0 0 0\n");
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    // The answer to the first line comes before the search for the second, which alone takes long.
    let mut first = [0];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    wait_for_work(&mut child);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", stderr(&output));
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 2, "{text}");
    shows(text, "\"ended\":\"stopped\"");
}

#[cfg(target_os = "linux")]
#[test]
fn a_game_is_judged_by_what_is_proven_when_it_is_stopped() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("game"), "FfBeBc").unwrap();
    let output = interrupted(&["judge", "game", "--prove", "1h", "--json"], place.path());
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    for judged in document["moves"].as_array().unwrap() {
        assert_eq!(judged["search"]["ended"], "stopped");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_that_is_stopped_says_so() {
    let place = tempfile::tempdir().unwrap();
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    for (position, moves) in [("0-0-0-0-0-1-4-4-4-8-6-3-9-9-S", 1), (start, 0)] {
        let output = interrupted(&["line", position, "--prove", "1h"], place.path());
        let text = stdout(&output);
        assert_eq!(text.matches("\n  1. F ").count(), moves, "{text}");
        shows(text, "\nThe line stops here: the search was stopped. ");
    }
}
