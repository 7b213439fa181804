//! `granero export` and `granero verify --awari`: layers as files for other programs.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output};

use granero::export::{Layout, awari};
use granero::index::Layer;
use granero::{Ruleset, Tables};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_case::test_case;

use crate::program::granero;
use crate::support::command::{code, shows, stderr, stdout, success};
use crate::support::exported::{awari_in_order, written};
use crate::support::tables::{build, files};

/// The values of a layer.
fn values(db: &Path, seeds: u8) -> Vec<i8> {
    let tables = Tables::open(db).unwrap();
    tables.layer(seeds).unwrap().value().unwrap()
}

#[test]
fn an_export_is_the_same_on_stdout_and_in_a_file() {
    let db = build(Ruleset::SlamEnds, 5);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("layer");
    let name = file.to_str().unwrap();
    let values = values(db.path(), 5);
    for layout in Layout::ALL {
        let expected = written(layout, Layer::new(5).unwrap(), &values);
        let arguments = ["export", "--layer", "5", "--format", layout.name()];
        let output = granero(&arguments, db.path());
        assert_eq!(code(&output), 0);
        assert!(output.stdout == expected, "{}", layout.name());
        assert_eq!(stderr(&output), "");

        // The old file is replaced, and nothing else is left behind.
        let output = granero(&[&arguments[..], &["--out", name]].concat(), db.path());
        let wrote = format!("Wrote 4,368 positions with 5 seeds to {name}.\n");
        assert_eq!(success(&output), wrote);
        assert!(fs::read(&file).unwrap() == expected, "{}", layout.name());
        assert!(files(place.path()).into_keys().eq(["layer"]));
    }
    // Without --format it is the first.
    let output = granero(&["export", "--layer", "5"], db.path());
    assert!(output.stdout == written(Layout::Raw, Layer::new(5).unwrap(), &values));
}

#[test]
fn csv_has_a_line_for_each_position() {
    let db = build(Ruleset::Abapa, 4);
    let values = values(db.path(), 4);
    let output = granero(&["export", "--layer", "4", "--format", "csv"], db.path());
    let mut lines = stdout(&output).lines();
    assert_eq!(lines.next(), Some("A,B,C,D,E,F,a,b,c,d,e,f,value"));
    for (position, value) in Layer::new(4).unwrap().positions().zip(values) {
        let houses = position.houses().map(|seeds| seeds.to_string());
        let line = format!("{},{value}", houses.join(","));
        assert_eq!(lines.next(), Some(line.as_str()));
    }
    assert_eq!(lines.next(), None);
}

/// Files `scores.0` to `scores.N`, written by the command.
fn scores(db: &Path, max_seeds: u8) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for seeds in 0..=max_seeds {
        let file = place.path().join(format!("scores.{seeds}"));
        let layer = seeds.to_string();
        let arguments = ["export", "--format", "awari", "--layer", &layer, "--out"];
        let arguments = [&arguments[..], &[file.to_str().unwrap()]].concat();
        assert_eq!(code(&granero(&arguments, db)), 0);
    }
    place
}

fn compare(scores: &Path, db: &Path, arguments: &[&str]) -> Output {
    let first = ["verify", "--awari", scores.to_str().unwrap()];
    granero(&[&first[..], arguments].concat(), db)
}

#[test]
fn what_was_exported_compares_equal_and_a_planted_difference_is_named() {
    let db = build(Ruleset::Awari, 8);
    let scores = scores(db.path(), 8);
    let output = compare(scores.path(), db.path(), &[]);
    let all: u64 = Layer::all().take(9).map(awari::len).sum();
    assert_eq!(all, 125_879);
    let same = "\nAll 125,879 positions have the same value in both.\n";
    assert!(success(&output).ends_with(same), "{}", stdout(&output));

    // One value differs at each end and in the middle of a layer.
    for seeds in [1u8, 7, 8] {
        let layer = Layer::new(seeds).unwrap();
        let order = awari_in_order(layer);
        let file = scores.path().join(format!("scores.{}", layer.seeds()));
        let good = fs::read(&file).unwrap();
        for place in [0, order.len() / 2, order.len() - 1] {
            let mut bad = good.clone();
            bad[place] ^= 1;
            fs::write(&file, &bad).unwrap();
            let output = compare(scores.path(), db.path(), &["--json"]);
            assert_eq!(code(&output), 1);
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(document["positions"], all);
            assert_eq!(document["different"], 1);
            let found = &document["layers"][usize::from(seeds)];
            assert_eq!(
                *found,
                json!({
                    "seeds": seeds, "positions": order.len(), "different": 1,
                    "differences": [{
                        "position": order[place].houses(),
                        "ours": good[place] as i8,
                        "theirs": bad[place] as i8,
                    }],
                })
            );
            let output = compare(scores.path(), db.path(), &[]);
            assert_eq!(code(&output), 1);
            shows(stdout(&output), &order[place].to_string());
        }
        fs::write(&file, &good).unwrap();
    }

    // Of many, the first ten are shown.
    fs::write(scores.path().join("scores.2"), [7; 78]).unwrap();
    let output = compare(scores.path(), db.path(), &["--layer", "2,4-5"]);
    assert_eq!(code(&output), 1);
    shows(stdout(&output), "Different with 2 seeds, the first 10:");
    assert!(stdout(&output).ends_with("\n78 positions of 5,811 differ from the database.\n"));
}

/// `languages.py` calls the functions of the document. Where there is no Python, there is nothing to be tested.
#[test_case(5)]
#[test_case(7 => ignore["slow: .ci/run has it"] ())]
fn the_python_of_the_document_finds_positions(seeds: u8) {
    let document = fs::read_to_string("../../docs/languages.md").unwrap();
    let (_, document) = document
        .split_once("\n## Layers as files: Python\n")
        .unwrap();
    let pieces = document.split("```python\n").skip(1);
    let pieces: Vec<&str> = pieces
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert_eq!(pieces.len(), 3);
    let program = pieces[0].to_string() + include_str!("languages.py");
    let db = build(Ruleset::Abapa, seeds);
    let place = tempfile::tempdir().unwrap();
    for layer in Layer::all().take(usize::from(seeds) + 1) {
        let values = values(db.path(), layer.seeds());
        for layout in Layout::ALL {
            let name = format!("{}.{}", layout.name(), layer.seeds());
            let bytes = written(layout, layer, &values);
            fs::write(place.path().join(name), bytes).unwrap();
        }
    }
    let mut python = Command::new("python3");
    python
        .args(["-c", &program])
        .arg(place.path())
        .arg(seeds.to_string());
    match python.args(&pieces[1..]).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        output => {
            let output = output.unwrap();
            assert_eq!(stdout(&output), "done\n", "{}", stderr(&output));
        }
    }
}
