//! The verbs on tables of bounds: where endless play gives each player the seeds on their own
//! side.

use std::fs;
use std::path::Path;
use std::process::Output;

use granero::index::Layer;
use granero::{Cycles, Position, Ruleset, Tables, solver};
use serde_json::{Value, json};

use crate::program::{self, granero, json};
use crate::support::command::{code, shows, stderr, stdout, tells};
use crate::support::tables::{build_both, build_bounds};

/// A position with a range: South has to let an arbiter decide.
const RANGE: &str = "0-0-0-3-0-1-0-0-0-0-0-2-20-22-S";

#[test]
fn a_range_is_shown_with_a_sentence_that_says_what_it_means() {
    let db = build_bounds(Ruleset::Abapa, 6);
    let output = granero(&["query", RANGE], db.path());
    let text = stdout(&output);
    for part in [
        "endless play by own-side",
        "Between +2 and +6, depending on which position of an endless cycle counts:",
        "counts:\nSouth ends with 24 to 26 seeds.\n",
        "D            0     +2…+6  best",
        "F            0        -6",
    ] {
        shows(text, part);
    }
    // One number if it does not matter how a cycle is decided.
    let output = granero(&["query", "1 0 0 0 0 0 0 0 0 0 0 5"], db.path());
    let text = stdout(&output);
    shows(text, "Value +6: ");
    shows(text, "whichever position of an endless cycle counts");
}

#[test]
fn json_has_both_bounds_and_one_number() {
    let db = build_bounds(Ruleset::Abapa, 6);
    let found = json(&["query", RANGE, "--json"], db.path());
    let expected = json!({
        "version": 1,
        "rules": "abapa",
        "cycles": "own-side",
        "position": [0, 0, 0, 3, 0, 1, 0, 0, 0, 0, 0, 2],
        "seeds": 6,
        "over": null,
        "distance": null,
        "low": 2,
        "high": 6,
        "nominal": 2,
        "final": {
            "low": { "south": 24, "north": 24, "winner": null },
            "high": { "south": 26, "north": 22, "winner": "south" },
        },
        "moves": [
            {
                "house": "D", "captured": 0, "low": 2, "high": 6, "nominal": 2, "best": true,
                "position": [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 2],
            },
            {
                "house": "F", "captured": 0, "low": -6, "high": -6, "nominal": -6, "best": false,
                "position": [1, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0],
            },
        ],
    });
    assert_eq!(found, expected);
    let beyond = json(
        &[
            "query",
            "1 1 1 1 1 1 1 1 1 1 1 1",
            "--json",
            "--prove",
            "50ms",
        ],
        db.path(),
    );
    for field in ["low", "high", "nominal"] {
        assert_eq!(beyond[field], Value::Null);
    }
    assert!(beyond["reason"].is_string());
}

fn batch(file: &Path, format: &str, db: &Path) -> Output {
    let file = file.to_str().unwrap();
    granero(&["query", "--format", format, "--batch", file], db)
}

/// In every position the one number lies within the bounds, and so does the number of each move.
#[test]
fn the_nominal_value_is_within_the_bounds() {
    let db = build_bounds(Ruleset::Abapa, 5);
    let lines: Vec<String> = (0..=5)
        .flat_map(|seeds| Layer::new(seeds).unwrap().positions())
        .step_by(7)
        .map(|position| position.to_string())
        .collect();
    let file = db.path().join("positions.txt");
    fs::write(&file, lines.join("\n")).unwrap();
    let output = batch(&file, "json", db.path());
    assert_eq!(stdout(&output).lines().count(), lines.len());
    for line in stdout(&output).lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let moves = answer["moves"].as_array().unwrap();
        for worth in moves.iter().chain([&answer]) {
            let number = |field: &str| worth[field].as_i64().unwrap();
            assert!(
                (number("low")..=number("high")).contains(&number("nominal")),
                "{line}"
            );
        }
    }
}

#[test]
fn a_batch_has_the_bounds_as_two_columns() {
    let db = build_bounds(Ruleset::Awari, 5);
    let tables = Tables::open(db.path()).unwrap();
    let positions: Vec<Position> = (0..=5)
        .flat_map(|seeds| Layer::new(seeds).unwrap().positions())
        .step_by(5)
        .collect();
    let mut lines = String::new();
    let mut expected = String::new();
    for position in &positions {
        let bounds = tables.worth(position).unwrap().unwrap();
        let (low, high) = (bounds.low().seeds(), bounds.high().seeds());
        lines += &format!("{position}\n");
        expected += &format!("{position}\t{low}\t{high}\n");
    }
    lines += "2 2 2 2 2 2 2 2 2 2 2 2\nnonsense\n";
    expected += "2 2 2 2 2 2 2 2 2 2 2 2\t-\t-\nerror\t";
    let file = db.path().join("positions.txt");
    fs::write(&file, lines).unwrap();
    let output = batch(&file, "tsv", db.path());
    assert_eq!(code(&output), 2);
    assert!(stdout(&output).starts_with(&expected));
}

#[test]
fn a_directory_of_both_conventions_shows_both() {
    let db = build_both(Ruleset::Abapa, 6);
    let text = |arguments: &[&str]| stdout(&granero(arguments, db.path())).to_string();
    let both = text(&["query", RANGE]);
    shows(&both, "endless play by split and by own-side");
    assert!(
        both.contains("Value +2: ") && both.contains("Between +2 and +6"),
        "{both}"
    );
    shows(&both, "D            0     +2     +2…+6  best");
    assert!(!text(&["query", RANGE, "--cycles", "split"]).contains("Between"));
    assert!(!text(&["query", RANGE, "--cycles", "own-side"]).contains("by split"));

    let answer = json(&["query", RANGE, "--json"], db.path());
    assert_eq!(answer["value"], 2);
    assert_eq!(answer["cycles"], "split");
    let mut own_side = json(
        &["query", RANGE, "--json", "--cycles", "own-side"],
        db.path(),
    );
    // The whole document has one version.
    assert_eq!(
        own_side.as_object_mut().unwrap().remove("version"),
        Some(json!(1))
    );
    assert_eq!(answer["own_side"], own_side);
    let split = json(&["query", RANGE, "--json", "--cycles", "split"], db.path());
    assert_eq!(split["own_side"], Value::Null);

    let info = text(&["info"]);
    shows(&info, "granero info --cycles own-side");
    let info = json(&["info", "--json", "--cycles", "own-side"], db.path());
    let layer = &info["layers"][6];
    assert_eq!(layer["file"], "layer-06.granero");
    assert_ne!(layer["sha256"], layer["high_sha256"]);
}

#[test]
fn statistics_count_both_bounds_and_how_far_they_are_apart() {
    let db = build_bounds(Ruleset::Abapa, 6);
    let arguments = ["stats", "--layer", "6", "--json"];
    let found = json(&arguments, db.path());
    let layer = &found["layers"][0];
    let bounds = solver::solve_all((Ruleset::Abapa, Cycles::OwnSide), 6, 1).swap_remove(6);
    let granero::Measured::Bounds { low, high } = bounds else {
        panic!("bounds");
    };
    let count = |wanted: &dyn Fn(i8, i8) -> bool| {
        low.iter()
            .zip(&high)
            .filter(|&(&low, &high)| wanted(low, high))
            .count()
    };
    assert_eq!(layer["wins"], count(&|low, _| low > 0));
    assert_eq!(layer["losses"], count(&|_, high| high < 0));
    assert_eq!(layer["draws"], count(&|low, high| (low, high) == (0, 0)));
    assert_eq!(layer["exact"], 10_194);
    assert_eq!(
        layer["high"]["gaps"],
        json!([[0, 10_194], [2, 795], [4, 304], [6, 1083]])
    );
    let histogram = layer["high"]["histogram"].as_array().unwrap();
    for pair in histogram {
        let (value, number) = (pair[0].as_i64().unwrap(), &pair[1]);
        assert_eq!(*number, count(&|_, high| i64::from(high) == value));
    }
    let widest = &layer["widest"];
    assert_eq!(
        widest["high"].as_i64().unwrap() - widest["low"].as_i64().unwrap(),
        6
    );

    let text = granero(&["stats", "--layer", "6"], db.path());
    for part in ["undecided", "one value", "low  ", "high  ", "apart"] {
        shows(stdout(&text), part);
    }
    let plot = db.path().join("figure.svg");
    let output = granero(&["stats", "--plot", plot.to_str().unwrap()], db.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(fs::read_to_string(plot).unwrap().contains("undecided"));
}

#[test]
fn either_bound_can_be_exported_and_csv_has_both() {
    let db = build_bounds(Ruleset::Italian, 4);
    let bounds = solver::solve_all((Ruleset::Italian, Cycles::OwnSide), 4, 1).swap_remove(4);
    let export = |arguments: &[&str]| {
        let export = ["export", "--layer", "4"];
        granero(&[&export, arguments].concat(), db.path())
    };
    for bound in [granero::Measure::Low, granero::Measure::High] {
        let output = export(&["--bound", bound.name()]);
        let expected: Vec<u8> = bounds
            .get(bound.bound())
            .iter()
            .map(|&value| value as u8)
            .collect();
        assert!(output.stdout == expected, "{bound}");
        assert_eq!(
            code(&export(&["--bound", bound.name(), "--format", "awari"])),
            0
        );
    }
    let csv = export(&["--format", "csv"]);
    let mut lines = stdout(&csv).lines();
    assert_eq!(lines.next(), Some("A,B,C,D,E,F,a,b,c,d,e,f,low,high"));
    assert_eq!(lines.next(), Some("0,0,0,0,0,0,0,0,0,0,0,4,-4,-4"));
    assert_eq!(lines.count(), 1364);

    tells(&export(&[]), 2, "--bound low");
    let split = build_both(Ruleset::Italian, 4);
    let output = granero(&["export", "--layer", "4", "--bound", "low"], split.path());
    assert_eq!(code(&output), 2);
}

#[test]
fn the_sample_has_both_conventions() {
    let sample = Tables::sample_of(Cycles::OwnSide);
    assert_eq!(sample.max_seeds(), Some(8));
    let built = build_bounds(Ruleset::Abapa, 8);
    let again = Tables::open(built.path()).unwrap();
    assert_eq!(sample.manifest(), again.manifest());
    sample.verify_files(|_| {}).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = program::command();
    command.args(["query", RANGE, "--cycles", "own-side"]);
    let output = command.current_dir(elsewhere.path()).output().unwrap();
    shows(stdout(&output), "Between +2 and +6");
}
