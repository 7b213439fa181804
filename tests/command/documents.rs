//! `docs/cli.md` lists the fields of all JSON documents, no fewer and no more. `documents.txt` has the commands that
//! print them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use granero::{Cycles, Ruleset};
use serde_json::Value as Json;

use crate::program;
use crate::support::command::{stderr, stdout};
use crate::support::tables::{build, build_deciding};

/// The fields in the tables below a heading, with the rest of their rows. `.b` behind `a[].c` is `a[].b`.
fn documented(heading: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string("../../docs/cli.md").unwrap();
    let heading = format!("\n### `granero {heading} --json`\n");
    let (_, section) = text.split_once(&heading).expect("the heading");
    let section = section.split("\n### ").next().unwrap();
    let mut fields = BTreeMap::new();
    for row in section.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (names, rest) = row.split_once(" |").unwrap();
        let mut field = String::new();
        for name in names.split('`').step_by(2).filter(|name| !name.is_empty()) {
            if name.starts_with('.') {
                field.truncate(field.rfind('.').unwrap_or(0));
            } else {
                field.clear();
            }
            field += name;
            fields.insert(field.clone(), rest.to_string());
        }
    }
    fields
}

/// Looks for a row of a field, or for a row of a field above it that has its name or refers to another
/// table, "as for …".
fn has_row(rows: &BTreeMap<String, String>, field: &str) -> bool {
    let has_parts = rows.keys().any(|row| row.starts_with(&format!("{field}.")));
    let mut above = field;
    let mut is_described = false;
    while let Some((parent, name)) = above.rsplit_once('.') {
        above = parent.trim_end_matches("[]");
        is_described |= rows
            .get(above)
            .is_some_and(|row| row.contains(&format!("`{name}`")) || row.contains(" as "));
    }
    has_parts || is_described || rows.contains_key(field)
}

/// Collects the fields of a document, and of the values in it.
fn collect(value: &Json, path: &str, fields: &mut BTreeSet<String>) {
    if let Some(values) = value.as_array() {
        for value in values {
            collect(value, &format!("{path}[]"), fields);
        }
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let field = format!("{path}.{name}");
        collect(value, &field, fields);
        // Both players have the same fields, and so have both answers of a query.
        let field = field.replacen(".own_side.", ".", 1);
        fields.insert(field[1..].replacen("north.", "south.", 1));
    }
}

#[test]
fn every_field_is_documented_and_printed() {
    let place = tempfile::tempdir().unwrap();
    let cut = build_deciding(Ruleset::Abapa, Cycles::Split, 10, 8);
    let ends = build(Ruleset::SlamEnds, 11);
    fs::write(place.path().join("illegal"), "[South \"S\"]\n\n1. B A").unwrap();
    let decided = "0-0-3-3-3-3-0-0-2-2-2-2-28-0-S Ca";
    fs::write(place.path().join("decided"), decided).unwrap();
    let names = [
        ("DB", "HOME/docs/guide.in/granero-db"),
        ("HOME", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")),
        ("CUT", cut.path().to_str().unwrap()),
        ("ENDS", ends.path().to_str().unwrap()),
        ("NEW", place.path().to_str().unwrap()),
    ];
    let mut wrong = Vec::new();
    for commands in include_str!("documents.txt").split("\n# ").skip(1) {
        let (heading, commands) = commands.split_once('\n').unwrap();
        let mut printed = BTreeSet::new();
        for line in commands.lines() {
            let mut words = shlex::split(line).unwrap();
            for word in &mut words {
                for (name, path) in names {
                    *word = word.replace(name, path);
                }
            }
            let output = program::command().args(&words).arg("--json").output();
            let output = output.unwrap();
            match serde_json::from_str(stdout(&output)) {
                Ok(document) => collect(&document, "", &mut printed),
                Err(error) => wrong.push(format!("{line}: {error}: {}", stderr(&output))),
            }
        }
        let rows = documented(heading);
        for field in &printed {
            // These are described once for all documents.
            let is_general =
                ["version", "rules", "cycles", "extent", "decides"].contains(&&**field);
            if !is_general && !has_row(&rows, field) {
                wrong.push(format!("{heading}: not documented: {field}"));
            }
        }
        // No command prints faults, because none of these tables is damaged.
        let unseen = rows
            .keys()
            .filter(|row| !row.contains("faults[]") && !printed.contains(*row));
        wrong.extend(unseen.map(|field| format!("{heading}: not printed: {field}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
