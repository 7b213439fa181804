//! `granero verify`: passes right tables, and reports errors.

use std::fs;
use std::path::Path;

use granero::index::Layer;
use granero::{Cycles, Position, Ruleset};
use serde_json::{Value, json};

use crate::program::granero;
use crate::support::command::{code, shows, stdout, tells};
use crate::support::sealed::sealed;
use crate::support::solved::Solved;

/// Returns the exit code and the text.
fn verify(db: &Path, arguments: &[&str]) -> (i32, String) {
    let output = granero(&[&["verify"], arguments].concat(), db);
    (code(&output), stdout(&output).to_string())
}

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Checks that a fault of a position with 4 seeds is reported in text, as JSON and in a sample.
fn assert_is_found(db: &Path, line: &str, fault: &Value) {
    for arguments in [&[][..], &["--sample", "2000"]] {
        let (code, text) = verify(db, arguments);
        assert_eq!(code, 1);
        shows(&text, line);
    }
    let (code, text) = verify(db, &["--json", "--layer", "4"]);
    assert_eq!(code, 1);
    let found = document(&text);
    assert_eq!(found["right"], json!(false));
    let faults = found["layers"][0]["faults"].as_array().unwrap();
    assert!(faults.contains(fault), "{text}");
}

#[test]
fn findings_are_told() {
    // Lost by all seeds: the game is over.
    let position: Position = "0 0 0 0 0 0 1 2 0 1 0 0".parse().unwrap();
    let number = Layer::of(&position).index(&position) as usize;
    for (cycles, at_most) in [(Cycles::OwnSide, "at most "), (Cycles::Split, "")] {
        let mut solved = Solved::of(Ruleset::Abapa, cycles, 5);
        solved.layers[4].as_mut().high()[number] = -2;
        let place = solved.write_changed().unwrap();
        let line = format!("{position} is worth {at_most}-2 by the tables, but -4 by its moves\n");
        let mut fault = json!({
            "position": position.houses(), "value": -2, "kind": "inconsistent", "best": -4
        });
        if cycles == Cycles::OwnSide {
            fault["measure"] = json!("high");
        }
        assert_is_found(place.path(), &line, &fault);
        // As files, they are as written.
        assert_eq!(verify(place.path(), &["--quick"]).0, 0);
    }

    // All wrong: it stops after ten.
    let mut solved = Solved::new(Ruleset::Abapa, 4);
    solved.values_mut(4).fill(-4);
    let place = solved.write();
    let (code, text) = verify(place.path(), &["--sample", "2000"]);
    assert_eq!(code, 1);
    assert_eq!(text.matches("by the tables").count(), 10, "{text}");
    shows(&text, "Stopped after 10");
}

/// Only the positions that were looked at are counted.
#[test]
fn what_ends_early_counts_what_was_examined() {
    let mut solved = Solved::new(Ruleset::Abapa, 6);
    // Fewer losses could be left: a win is not stored, and must follow from a loss.
    for value in solved.values_mut(5) {
        *value += i8::from(*value < -1);
    }
    let place = solved.write_changed().unwrap();
    let below: u64 = 1 + 12 + 78 + 364 + 1365;
    // The positions of the layer are compared together, or if drawn in portions; the
    // next layer is not looked at.
    for (arguments, examined) in [
        (&[][..], 4368),
        (&["--sample", "100000"], 4096),
        (&["--sample", "3000"], 3000),
    ] {
        let (code, text) = verify(place.path(), &[arguments, &["--json"]].concat());
        assert_eq!(code, 1);
        let found = document(&text);
        assert_eq!(found["layers"].as_array().unwrap().len(), 6);
        assert_eq!(found["layers"][5]["positions"], json!(examined));
        assert_eq!(found["layers"][5]["faults"].as_array().unwrap().len(), 10);
        assert_eq!(found["positions"], json!(below + examined));
        let (_, text) = verify(place.path(), arguments);
        let grouped = match below + examined {
            6188 => "6,188",
            5916 => "5,916",
            _ => "4,820",
        };
        let told = format!("values; {grouped} positions compared with their moves");
        shows(&text, &told);
    }
}

#[test]
fn a_wrong_histogram_is_found() {
    let place = Solved::new(Ruleset::Abapa, 4).write();
    let manifest = place.path().join("granero.json");
    let mut changed = document(&fs::read_to_string(&manifest).unwrap());
    let histogram = &mut changed["layers"][4]["histogram"];
    for (entry, more) in [(0, 1), (1, -1)] {
        histogram[entry][1] = json!(histogram[entry][1].as_i64().unwrap() + more);
    }
    fs::write(&manifest, sealed(changed)).unwrap();
    let (code, text) = verify(place.path(), &[]);
    assert_eq!(code, 1);
    let wrong = "the counts of values with 4 seeds in the manifest are wrong";
    shows(&text, wrong);
}

#[test]
fn quick_compares_files_with_all_checksums() {
    let place = Solved::new(Ruleset::Abapa, 5).write();
    let (code, text) = verify(place.path(), &["--quick", "--json"]);
    assert_eq!(code, 0);
    let bytes: u64 = (0..=5)
        .map(|seeds| place.path().join(format!("layer-{seeds:02}.granero")))
        .map(|path| fs::metadata(path).unwrap().len())
        .sum();
    let found = document(&text);
    assert_eq!(found["files"], 6);
    assert_eq!(found["bytes"], bytes);

    // The hash in the manifest.
    let manifest = place.path().join("granero.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let mut changed = document(&text);
    changed["files"][2]["sha256"] = changed["files"][3]["sha256"].clone();
    fs::write(&manifest, sealed(changed)).unwrap();
    let output = granero(&["verify", "--quick"], place.path());
    tells(&output, 3, "layer-02.granero is damaged: its SHA-256");
}
