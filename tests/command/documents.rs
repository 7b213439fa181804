//! `docs/cli.md` lists the fields of all JSON documents, no fewer and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use granero::{Cycles, Ruleset};
use serde_json::Value as Json;

use crate::program;
use crate::support::command::{stderr, stdout};
use crate::support::tables::{build, build_deciding};

/// Commands below the headings of their documents. `DB` has tables of both conventions, `CUT` deciding
/// tables, `ENDS` tables of `slam-ends`; `HOME` is the repository, `NEW` an empty directory.
const COMMANDS: &str = "
# moves POSITION
moves '0 0 0 1 1 1 / 1 1 0 2 4 0' --rules slam-ends
moves 1 1 0 2 1 0 0 0 0 0 0 0
# rules
rules italian
# build
build --seeds 3 --quiet --db NEW/db
build --seeds 3 --quiet --db NEW/db --cycles own-side
build --seeds 16 --threads 1 --memory 46M --checkpoint off --quiet --db NEW/bands
# estimate
estimate --seeds 3
# query POSITION
query 0-2-0-1-1-0-1-0-2-0-1-0-20-20-S --db DB
query 1 0 2 0 0 2 0 1 2 0 1 0 --prove-positions 30 --db DB
query 1 1 0 2 1 0 0 0 0 0 0 0 --db DB
query '0 0 0 1 1 1 / 1 1 0 2 4 0' --db ENDS
query 0 0 0 0 0 1 0 0 0 0 0 7 --db CUT
query 0-0-0-0-0-1-0-0-0-0-0-7-20-20-S --db CUT
# line POSITION
line 0 0 0 1 0 1 0 0 0 0 0 1 --cycles split --db DB
line 0 0 0 1 0 1 0 0 0 0 0 1 --cycles own-side --db DB
line 2-0-1-1-0-1-1-1-0-0-2-1-19-19-S --prove-positions 2000 --db DB
line '0 0 0 1 1 1 / 1 1 0 2 4 0' --db ENDS
line 0 0 0 0 0 1 0 0 0 0 0 7 --db CUT
# judge FILE
judge HOME/docs/guide.in/game.txt --db DB
judge HOME/docs/guide.in/game.txt --cycles own-side --db DB
judge HOME/docs/guide.in/game.txt --cycles own-side --favours south --db DB
judge HOME/docs/guide.in/game.txt --db CUT
judge HOME/docs/guide.in/early.txt --prove-positions 60 --db DB
judge NEW/illegal --db DB
judge NEW/decided --prove-positions 10 --db DB
# stats
stats --layer 4 --db DB
stats --layer 4 --cycles own-side --db DB
stats --layer 8 --db CUT
# find --layer N
find --layer 4 --most distance --db DB
find --layer 4 --difficulty 1.. --db DB
find --layer 8 --most stake --db CUT
# export --out FILE
export --layer 2 --out NEW/layer --cycles own-side --bound low --db DB
export --layer 8 --out NEW/layer --db CUT
# referee
referee --engine 'sh HOME/tests/engine.sh first' --random 20 --movetime 1000 --db DB
referee --engine 'sh HOME/tests/engine.sh first' --random 2 --movetime 1000 --play --db DB
# info
info --db DB
info --cycles own-side --db DB
# cite
cite --db DB
cite --cycles own-side --db DB
# verify
verify --layer 0-4 --db DB
verify --quick --db DB";

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
    for commands in COMMANDS.split("\n# ").skip(1) {
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
