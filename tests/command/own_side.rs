//! The verbs on tables of bounds: where endless play gives each player the seeds on their own
//! side.

use std::fs;
use std::path::Path;
use std::process::Output;

use granero::index::Layer;
use granero::{Cycles, Position, Ruleset, Tables, solver};
use serde_json::Value;

use crate::program::granero;
use crate::support::command::{code, stdout};
use crate::support::tables::build_bounds;

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
}
