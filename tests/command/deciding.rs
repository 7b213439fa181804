//! Deciding tables: no verb shows a value that is cut off as if it were exact.

use std::fs;
use std::path::Path;

use granero::index::Layer;
use granero::{
    Bound, Clamped, Cycles, House, Position, Ruleset, Side, Situation, TableOptions, Tables,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{document, granero, json, printed};
use crate::support::command::{code, shows, stderr, stdout};
use crate::support::known;
use crate::support::tables::{build_deciding, files};
use crate::support::twin::{self, TwinMove, TwinTurn};

/// Tables for a game of ten seeds: with eight on the board, values are cut off at 3, bounds at 4.
fn tables(cycles: Cycles) -> TempDir {
    build_deciding(Ruleset::Abapa, cycles, 10, 8)
}

#[test]
fn a_game_with_fewer_seeds_is_built_to_its_last_seed() {
    let place = tempfile::tempdir().unwrap();
    let db = place.path().join("game");
    let build = |options: &[&str]| granero(&[&["build", "--quiet"], options].concat(), &db);
    let text = stdout(&build(&["--game", "9", "--seeds", "5"])).to_string();
    let extended = [
        "granero estimate --seeds 8 --game 9",
        "granero build --seeds 8 --game 9",
    ];
    assert!(
        extended.iter().all(|command| text.contains(command)),
        "{text}"
    );
    let found = document(&build(&["--game", "9", "--json"]));
    let layers = found["layers"].as_array().unwrap();
    assert_eq!((&found["seeds"], layers.len()), (&json!(9), 10));
    // The layers are all there: nothing suggests more of them.
    let text = stdout(&build(&["--game", "9"])).to_string();
    assert!(
        text.contains("granero query") && !text.contains("granero build"),
        "{text}"
    );
    let text = printed(&["info"], &db);
    shows(&text, "decide a game of 9 seeds");

    let before = files(&db);
    for (options, error, help) in [
        (
            &["--game", "9", "--seeds", "10"][..],
            "10 seeds are more than the 9 seeds",
            "--game",
        ),
        (
            &["--game", "10"],
            "holds deciding (9 seeds) tables, not",
            "add to them with --game 9",
        ),
        (
            &["--deciding", "--seeds", "5"],
            "holds deciding (9 seeds)",
            "add to them with --game 9",
        ),
        (
            &["--seeds", "5"],
            "not full ones",
            "add to them with --game 9",
        ),
        (&["--game", "0"], "expected a whole number from 1 to 48", ""),
        (
            &["--game", "49"],
            "expected a whole number from 1 to 48",
            "",
        ),
    ] {
        let output = build(options);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        let text = stderr(&output);
        assert!(text.contains(error) && text.contains(help), "{text}");
    }
    assert_eq!(files(&db), before);

    let estimate = |options: &[&str]| {
        granero(
            &[&["estimate", "--game", "10", "--json"], options].concat(),
            place.path(),
        )
    };
    assert_eq!(document(&estimate(&[]))["seeds"], 10);
    assert_eq!(code(&estimate(&["--seeds", "11"])), 2);
}

/// A player who moves at random, the same in every run.
fn drawn(number: usize, of: usize) -> usize {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % of
}

/// Plays games of 12 seeds from their opening, by the rules of the twin. Each situation is asked of tables that
/// decide this game, and who wins is compared with the full value.
#[test]
fn who_wins_a_game_of_12_seeds_is_who_wins_by_full_values() {
    let opening = Situation::opening(12).unwrap();
    for (rules, cycles) in [
        (Ruleset::Abapa, Cycles::Split),
        (Ruleset::Abapa, Cycles::OwnSide),
        (Ruleset::Awari, Cycles::Split),
    ] {
        let db = build_deciding(rules, cycles, 12, 12);
        let full = known::layers(rules, cycles, 12);
        let mut situations = vec![opening];
        for game in 0..40 {
            let mut now = opening;
            for number in 0..30 {
                let TwinTurn::Moves(moves) = twin::turn(rules.name(), now.position().houses())
                else {
                    break;
                };
                let TwinMove {
                    captured,
                    conceded,
                    after,
                    ..
                } = moves[drawn(game * 30 + number, moves.len())];
                let [mut south, mut north] = [Side::South, Side::North].map(|side| now.store(side));
                match now.to_move() {
                    Side::South => (south, north) = (south + captured, north + conceded),
                    Side::North => (south, north) = (south + conceded, north + captured),
                }
                let position = Position::new(after).unwrap();
                now = Situation::new(position, now.to_move().other(), south, north).unwrap();
                situations.push(now);
            }
        }
        let batch = db.path().join("situations");
        let lines: Vec<String> = situations.iter().map(ToString::to_string).collect();
        fs::write(&batch, lines.join("\n") + "\n").unwrap();
        let query = [
            "query",
            "--batch",
            batch.to_str().unwrap(),
            "--format",
            "json",
        ];
        let answers = printed(&query, db.path());
        let (mut cut_off, mut won) = (0, 0);
        for (now, answer) in situations.iter().zip(answers.lines()) {
            let answer: Value = serde_json::from_str(answer).unwrap();
            let position = now.position();
            let layer = Layer::new(position.seeds()).unwrap();
            let values = &full[usize::from(position.seeds())];
            let winners = [Bound::Low, Bound::High].map(|bound| {
                let value = values.get(bound)[layer.index(&position) as usize];
                let captured =
                    [now.to_move(), now.to_move().other()].map(|side| now.store(side) as i8);
                match captured[0] - captured[1] + value {
                    0 => Value::Null,
                    1.. => json!(now.to_move().to_string().to_lowercase()),
                    _ => json!(now.to_move().other().to_string().to_lowercase()),
                }
            });
            if answer.get("final").is_some() {
                let said = match cycles {
                    Cycles::Split => [&answer["final"]; 2],
                    Cycles::OwnSide => [&answer["final"]["low"], &answer["final"]["high"]],
                };
                assert_eq!(said.map(|said| said["winner"].clone()), winners, "{now}");
            } else {
                cut_off += 1;
                let one = winners[0] == winners[1];
                let expected = Some(&winners[0]).filter(|winner| one && !winner.is_null());
                assert_eq!(answer.get("winner"), expected, "{now}: {answer}");
                won += usize::from(expected.is_some());
            }
        }
        assert!(
            situations.len() > 500 && cut_off > 100 && won > 100,
            "{cut_off}, {won}"
        );
    }
}

#[test]
fn the_opening_of_a_smaller_game_has_an_answer() {
    let db = build_deciding(Ruleset::Abapa, Cycles::Split, 12, 12);
    let opening = Situation::opening(12).unwrap().to_string();
    let text = printed(&["query", &opening], db.path());
    assert!(text.contains("Final score: a draw, 6 to 6."), "{text}");
    let (_, lost) = Situation::opening(12)
        .unwrap()
        .play(Ruleset::Abapa, House::A)
        .unwrap();
    let losing = lost.to_string();
    let text = printed(&["query", &losing], db.path());
    assert!(
        text.contains("Value +1 or more: North wins a game of 12 seeds."),
        "{text}"
    );
    // With other stores, the seeds are those of a larger game, which these tables do not decide.
    let larger = losing.replace("-0-0-N", "-22-14-N");
    let text = printed(&["query", &larger], db.path());
    assert!(
        text.contains("these tables decide a game of 12 seeds, not one of 48"),
        "{text}"
    );
    assert!(!text.contains("best"), "{text}");
    let found = document(&granero(&["query", &larger, "--json"], db.path()));
    assert_eq!(found.get("winner"), None);
    assert!(
        found["moves"]
            .as_array()
            .unwrap()
            .iter()
            .all(|found| found["best"] == false)
    );
    // A lead that no value makes good decides it all the same.
    let text = printed(&["query", &losing.replace("-0-0-N", "-14-22-N")], db.path());
    assert!(text.contains("North wins a game of 48 seeds"), "{text}");

    let text = printed(
        &["query", "1 1 1 1 1 1 1 1 1 1 1 2", "--prove", "off"],
        db.path(),
    );
    assert!(
        text.contains("the tables are those of the game of 12 seeds"),
        "{text}"
    );
    let text = stderr(&granero(&["stats", "--layer", "13"], db.path())).to_string();
    assert!(
        text.contains("name tables of a game of more seeds with --db"),
        "{text}"
    );
    // The whole opening can be played, and the record judged.
    let line = document(&granero(&["line", &opening, "--json"], db.path()));
    let game = line["game"].as_str().unwrap();
    assert!(game.starts_with(&opening), "{game}");
    let file = db.path().join("game");
    fs::write(&file, game).unwrap();
    let judged = document(&granero(
        &["judge", file.to_str().unwrap(), "--json"],
        db.path(),
    ));
    let moves = judged["moves"].as_array().unwrap();
    assert!(moves.len() > 10 && moves.iter().all(|judged| judged["class"] == "best"));
    let is_even =
        |judged: &Value| judged["final"] == json!({"south": 6, "north": 6, "winner": null});
    assert!(moves.iter().all(is_even), "{judged}");
}

/// South wins eight seeds.
const WON: &str = "0 0 0 0 0 1 0 0 0 0 0 7";

/// The value is exact, and so is the low bound; the high bound is not.
const RANGE: &str = "0 0 0 0 0 1 0 0 0 4 3 0";

#[test]
fn a_build_says_what_it_builds_and_goes_on_with_it() {
    let place = tempfile::tempdir().unwrap();
    let full = place.path().join("full");
    let db = place.path().join("deciding");
    let build = |seeds, deciding: &[&str], db: &Path| {
        let arguments = ["build", "--quiet", "--seeds", seeds];
        granero(&[&arguments, deciding].concat(), db)
    };
    let output = build("3", &["--deciding"], &db);
    let text = stdout(&output).to_string();
    shows(
        &text,
        "now holds the value (as far as it decides the game) of every position",
    );
    shows(&text, "granero build --seeds 6 --deciding --db");
    let found = document(&build("5", &["--deciding", "--json"], &db));
    assert_eq!(found["extent"], "deciding");
    let info = json(&["info", "--json"], &db);
    assert_eq!(info["extent"], "deciding");
    assert_eq!(info["format"], 5);
    assert_eq!(info["layers"].as_array().unwrap().len(), 6);
    let text = printed(&["info"], &db);
    shows(&text, "decide a game of 48 seeds");
    shows(&text, "Up to 24 seeds nothing is cut off");

    // Full tables mention none of this.
    let found = document(&build("5", &["--json"], &full));
    assert_eq!(found.get("extent"), None);
    let info = json(&["info", "--json"], &full);
    assert_eq!((info.get("extent"), &info["format"]), (None, &json!(5)));
    assert!(!printed(&["info"], &full).contains("cut off"));

    // A directory is either full or deciding.
    let before = files(&db);
    for (db, deciding, holds, help) in [
        (
            &db,
            &[][..],
            "holds deciding tables, not full ones",
            "add to them with --deciding",
        ),
        (
            &full,
            &["--deciding"],
            "holds full tables, not deciding ones",
            "leave out --deciding",
        ),
    ] {
        for cycles in ["split", "own-side"] {
            let arguments = [deciding, &["--cycles", cycles]].concat();
            let output = build("6", &arguments, db);
            assert_eq!(code(&output), 2, "{}", stderr(&output));
            let text = stderr(&output);
            assert!(text.contains(holds) && text.contains(help), "{text}");
        }
    }
    assert_eq!(files(&db), before);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn an_estimate_knows_that_the_last_layers_are_smaller() {
    let place = tempfile::tempdir().unwrap();
    let estimate = |options: &[&str]| {
        let arguments = ["estimate", "--seeds", "48", "--json"];
        json(&[&arguments, options].concat(), place.path())
    };
    let (full, deciding) = (estimate(&[]), estimate(&["--deciding"]));
    for estimate in [&full, &deciding] {
        let [least, usual, most] = ["seconds_least", "seconds", "seconds_most"]
            .map(|field| estimate[field].as_f64().unwrap());
        assert!(0.0 < least && least <= usual && usual <= most);
    }
    assert_eq!(full.get("extent"), None);
    assert_eq!(deciding["extent"], "deciding");
    let disk =
        |estimate: &Value, seeds: usize| estimate["layers"][seeds]["disk_bytes"].as_u64().unwrap();
    for seeds in 0..=24 {
        assert_eq!(disk(&full, seeds), disk(&deciding, seeds));
    }
    assert!(disk(&deciding, 48) < disk(&full, 48) * 2 / 3);
    assert!((44..48).all(|seeds| disk(&deciding, seeds) < disk(&full, seeds)));
}

#[test]
fn a_query_says_where_the_value_is_cut_off() {
    let db = tables(Cycles::Split);
    let text = printed(&["query", WON], db.path());
    for part in [
        "Value +3 or more: South wins a game of 10 seeds.",
        "F            0   +3 or more  best",
    ] {
        shows(&text, part);
    }
    let found = json(&["query", WON, "--json"], db.path());
    assert_eq!(found["extent"], "deciding");
    assert_eq!(found["value"], Value::Null);
    assert_eq!(found["range"], json!({"low": 3, "high": 8}));
    assert_eq!(
        found["reason"],
        "the tables hold only what decides the game"
    );
    let first = &found["moves"][0];
    assert_eq!(first["value"], Value::Null);
    assert_eq!(first["range"], json!({"low": 3, "high": 8}));
    // Where nothing is cut off, the answers are the same.
    let found = json(&["query", RANGE, "--json"], db.path());
    assert_eq!(found["value"], -2);
    assert_eq!((found.get("range"), found.get("reason")), (None, None));

    let db = tables(Cycles::OwnSide);
    let text = printed(&["query", RANGE], db.path());
    shows(&text, "Bounds -2…≥+4: it depends on");
    let found = json(&["query", RANGE, "--json"], db.path());
    assert_eq!(found["high"], Value::Null);
    assert_eq!(found["range"], json!({"low": -2, "high": 8}));
}

/// All positions of a layer in all formats of a batch: values that are cut off are marked, and no others.
#[test]
fn no_line_of_a_batch_shows_a_value_that_is_cut_off_as_exact() {
    for cycles in Cycles::ALL {
        let db = tables(cycles);
        let tables = Tables::open(db.path()).unwrap();
        let layer = Layer::new(8).unwrap();
        let positions: Vec<_> = layer.positions().step_by(37).collect();
        let batch = db.path().join("positions");
        let lines: Vec<String> = positions.iter().map(ToString::to_string).collect();
        fs::write(&batch, lines.join("\n") + "\n").unwrap();
        let answers = |format| {
            let batch = batch.to_str().unwrap();
            let output = granero(&["query", "--batch", batch, "--format", format], db.path());
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            stdout(&output).to_string()
        };
        let [text, tsv, json] = ["text", "tsv", "json"].map(answers);
        let answers = text.lines().zip(tsv.lines()).zip(json.lines());
        let mut cut_off = 0;
        for (position, ((text, tsv), json)) in positions.iter().zip(answers) {
            let clamped = tables.clamped_worth(position).unwrap().unwrap();
            let shown = format!("{position}: {clamped}, ");
            assert!(text.starts_with(&shown), "{text}");
            let number = |clamped: &Clamped| match clamped.range(8).map(|end| end.seeds()) {
                [low, high] if low == high => low.to_string(),
                [low, high] => format!("{low}..{high}"),
            };
            let numbers: Vec<String> = clamped.iter().map(|(_, of)| number(of)).collect();
            assert_eq!(tsv, format!("{position}\t{}", numbers.join("\t")));
            let json: Value = serde_json::from_str(json).unwrap();
            let is_exact = clamped.exactly().is_some();
            let first = if cycles == Cycles::Split {
                "value"
            } else {
                "low"
            };
            assert_eq!(json[first].is_i64(), is_exact);
            assert_eq!(json.get("range").is_none(), is_exact);
            cut_off += usize::from(!is_exact);
        }
        assert!(cut_off > 500 && cut_off + 100 < positions.len());
    }
}

#[test]
fn statistics_say_where_values_are_cut_off() {
    let db = tables(Cycles::Split);
    let text = printed(&["stats", "--layer", "8"], db.path());
    for part in [
        "decide a game of 10 seeds",
        "\n-3 or less  ",
        "\n+3 or more  ",
        "\n        +2  ",
        "highest value    +3 or more  0 0 0",
    ] {
        shows(&text, part);
    }
    let found = json(&["stats", "--json"], db.path());
    let limits: Vec<Option<u64>> = found["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| layer.get("limit").and_then(Value::as_u64))
        .collect();
    let none = vec![None; 6];
    assert_eq!(limits, [none, vec![Some(5), Some(4), Some(3)]].concat());
}

#[test]
fn an_export_says_where_values_are_cut_off() {
    let db = tables(Cycles::Split);
    let out = db.path().join("out");
    let out = out.to_str().unwrap();
    let text = printed(&["export", "--layer", "8", "--out", out], db.path());
    shows(&text, "3 means 3 or more, -3 means -3 or less");
    let found = json(
        &["export", "--layer", "8", "--out", out, "--json"],
        db.path(),
    );
    assert_eq!(found["extent"], "deciding");
    assert_eq!(found["limit"], 3);
    let values = fs::read(out).unwrap();
    assert!(values.iter().all(|&value| (value as i8).abs() <= 3));
    // In text such a number is not taken for exact.
    let tables = TableOptions::new().open(db.path()).unwrap();
    let text = printed(&["export", "--layer", "8", "--format", "csv"], db.path());
    let lines = text.lines().skip(1).zip(Layer::new(8).unwrap().positions());
    for (line, position) in lines {
        let (_, written) = line.rsplit_once(',').unwrap();
        let worth = tables.clamped_worth(&position).unwrap().unwrap();
        let expected = match worth.low() {
            Clamped::Exactly(value) => value.seeds().to_string(),
            Clamped::AtLeast(value) => format!(">={}", value.seeds()),
            Clamped::AtMost(value) => format!("<={}", value.seeds()),
        };
        assert_eq!(written, expected, "{position}");
    }
}

#[test]
fn a_proof_says_how_far_it_goes() {
    for cycles in Cycles::ALL {
        let db = tables(cycles);
        for arguments in [
            &["verify"][..],
            &["verify", "--sample", "500"],
            &["verify", "--quick"],
        ] {
            let output = granero(arguments, db.path());
            assert_eq!(code(&output), 0, "{}", stderr(&output));
        }
        let text = printed(&["verify"], db.path());
        shows(&text, "up to where they are cut off");
        let found = json(&["verify", "--json"], db.path());
        assert_eq!(found["extent"], "deciding");
        assert_eq!(found["right"], true);
    }
}

#[test]
fn a_line_says_what_is_certain() {
    let db = tables(Cycles::Split);
    let text = printed(&["line", WON], db.path());
    shows(&text, "At least +3 for South, proven");
    let text = printed(&["line", WON, "--prove", "off"], db.path());
    shows(&text, "Worth +3 or more for South: each move keeps that");
    shows(&text, "  1. F          0 ");
    let found = json(&["line", WON, "--prove", "off", "--json"], db.path());
    assert_eq!(found["value"], Value::Null);
    assert_eq!(found["range"], json!({"low": 3, "high": 8}));
    assert!(!found["moves"].as_array().unwrap().is_empty());
    printed(&["line", RANGE], db.path());
    // A line keeps the bound that is asked for.
    let db = tables(Cycles::OwnSide);
    for (bound, kept) in [
        ("low", "Low bound -2 for"),
        ("high", "High bound +4 or more for"),
    ] {
        let line = ["line", RANGE, "--prove", "off", "--bound", bound];
        let text = printed(&line, db.path());
        shows(&text, kept);
    }
}

#[test]
fn what_is_found_is_no_more_than_what_is_known() {
    let db = tables(Cycles::Split);
    let find = |arguments: &[&str]| {
        let arguments = [&["find", "--layer", "8"], arguments].concat();
        printed(&arguments, db.path())
    };
    // The loss of a move is unknown if a value is cut off.
    let text = find(&["--most", "stake", "--show", "1"]);
    shows(&text, "; 6 seeds or more to lose\n");
    let text = find(&["--most", "stake", "--show", "1", "--json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let example = &found["examples"][0];
    assert_eq!(example["stake"], Value::Null);
    assert_eq!(example["stake_range"], json!({"low": 6, "high": 16}));
    assert!(find(&["--stake", "6..15", "--count"]).contains("\n0 positions"));
    // So is the number of best moves among several winning ones.
    let known = ["--value", "3..", "--best-moves", "2..", "--count"];
    assert!(find(&known).contains("\n0 positions"));
}

#[test]
fn moves_that_are_cut_off_are_not_judged() {
    let db = tables(Cycles::Split);
    let file = db.path().join("game");
    fs::write(&file, "0-0-0-0-0-1-0-0-0-0-0-7-20-20-S FaAbBcC").unwrap();
    let game = file.to_str().unwrap();
    let output = granero(&["judge", game, "--json"], db.path());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let judged = found["moves"].as_array().unwrap();
    assert!(found["cut_off"].as_u64().unwrap() >= 1, "{found}");
    assert!(judged.iter().all(|judged| judged["value"].is_i64()));
    let output = granero(&["judge", game], db.path());
    shows(
        stdout(&output),
        "whose values these deciding tables cut off",
    );
}

#[test]
fn what_needs_all_values_refuses_deciding_tables() {
    let db = build_deciding(Ruleset::Awari, Cycles::Split, 10, 8);
    let output = granero(&["compare", "--awari", "nowhere"], db.path());
    shows(stderr(&output), "holds deciding tables");
    let output = granero(&["referee", "--engine", "true"], db.path());
    shows(stderr(&output), "deciding tables cannot judge all moves");
}
