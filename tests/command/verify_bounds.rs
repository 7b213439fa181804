//! `granero verify` on tables of bounds: passes
//! right bounds, and reports errors.

use std::fs;

use granero::index::Layer;
use granero::{Cycles, Measured, Position, Ruleset};
use serde_json::{Value, json};

use crate::support::checked::Checked;
use crate::support::command::shows;
use crate::support::sealed::sealed;
use crate::support::solved::Solved;
use crate::verify::{assert_is_found, document, run};

#[test]
fn findings_are_told() {
    let mut solved = Solved::of(Ruleset::Abapa, Cycles::OwnSide, 4);
    // Lost by all seeds: the game is over.
    let position: Position = "0 0 0 0 0 0 1 2 0 1 0 0".parse().unwrap();
    let high = solved.layers[4].as_mut().high();
    let number = Layer::of(&position).index(&position) as usize;
    assert_eq!(high[number], -4);
    high[number] = -2;
    let place = solved.write_changed().unwrap();
    let line = format!("{position} is worth at most -2 by the tables, but -4 by its moves\n");
    let fault = json!({
        "position": position.houses(), "measure": "high", "value": -2,
        "kind": "inconsistent", "best": -4
    });
    assert_is_found(place.path(), &line, &fault);
    assert_is_found(place.path(), "wrong bound", &fault);
}

/// Bounds that fit each other are written like any others.
#[test]
fn bounds_that_no_play_achieves_are_reported() {
    let mut solved = Solved::of(Ruleset::Abapa, Cycles::OwnSide, 4);
    let checked = Checked::of((Ruleset::Abapa, Cycles::OwnSide), solved.layers.clone());
    let high = solved.layers[4].clone().high();
    let (low, layer) = (high.clone(), Layer::new(4).unwrap());
    solved.layers[4] = checked
        .settled(layer, Measured::Bounds { low, high })
        .unwrap();
    let place = solved.write();
    assert_eq!(run("verify", place.path(), &["--quick"]).0, 0);
    let (code, text, _) = run("verify", place.path(), &[]);
    assert_eq!(code, 1);
    shows(&text, "but no line of play realises it\n");
}

#[test]
fn wrong_statistics_are_found() {
    let place = Solved::of(Ruleset::Abapa, Cycles::OwnSide, 4).write();
    let manifest = place.path().join("own-side").join("granero.json");
    let right = fs::read_to_string(&manifest).unwrap();
    let more = |value: &mut Value, more: i64| *value = json!(value.as_i64().unwrap() + more);
    let changes: [&dyn Fn(&mut Value); 4] = [
        &|layer| {
            more(&mut layer["histogram"][0][1], 1);
            more(&mut layer["histogram"][1][1], -1);
        },
        &|layer| {
            more(&mut layer["high"]["histogram"][0][1], 1);
            more(&mut layer["high"]["histogram"][1][1], -1);
        },
        &|layer| {
            more(&mut layer["high"]["gaps"][0][1], 1);
            more(&mut layer["high"]["gaps"][1][1], -1);
        },
        &|layer| more(&mut layer["high"]["draws"], 1),
    ];
    for change in changes {
        let mut changed = document(&right);
        change(&mut changed["layers"][4]);
        fs::write(&manifest, sealed(changed)).unwrap();
        let (code, text, _) = run("verify", place.path(), &[]);
        assert_eq!(code, 1);
        let told = "the counts of bounds with 4 seeds in the manifest are wrong";
        shows(&text, told);
    }
}
