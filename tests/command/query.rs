//! `granero query`: one position, several, and batches of them; and what is asked when
//! nothing has been built.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Output};

use granero::line::Distance;
use granero::notation::aalina;
use granero::{Measured, Position, Side, Situation, Tables};
use serde_json::{Value as Json, json};

use crate::program;
use crate::support::command::{code, piped, stderr, stdout, success, with_input};
use crate::support::random::positions;

/// Runs the command in an empty directory, so that it asks the sample: abapa, up to 8 seeds.
fn start<S: AsRef<OsStr>>(arguments: &[S], directory: &Path) -> Child {
    piped(program::command().args(arguments).current_dir(directory))
}

fn granero<S: AsRef<OsStr>>(arguments: &[S], input: &[u8]) -> Output {
    let place = tempfile::tempdir().unwrap();
    let mut command = program::command();
    with_input(command.args(arguments).current_dir(place.path()), input)
}

fn query(arguments: &[&str]) -> Output {
    granero(&[&["query"], arguments].concat(), b"")
}

fn batch(format: &str, input: &[u8]) -> Output {
    let arguments = ["query", "--batch", "-", "--format", format];
    granero(&arguments, input)
}

const NOTE: &str = "note: no tables in granero-db; using the sample of this program: \
                    abapa, up to 8 seeds. More: granero build\n";

/// The document that `docs/cli.md` describes, no more fields and no fewer.
fn expected(position: &Position, situation: Option<Situation>) -> Json {
    let tables = Tables::sample();
    let assessment = tables.assess(position).unwrap();
    let moves: Vec<Json> = assessment
        .moves
        .iter()
        .map(|assessed| {
            json!({
                "house": assessed.play.house.to_string(),
                "captured": assessed.play.captured,
                "value": assessed.value().map(|value| value.seeds()),
                "outcome": assessed.value().map(|value| {
                    let ahead = |situation: Situation| {
                        let side = situation.to_move();
                        let [own, others] = [side, side.other()].map(|side| situation.store(side));
                        i32::from(own) - i32::from(others)
                    };
                    let ahead = situation.map_or(0, ahead) + i32::from(value.seeds());
                    ["loss", "draw", "win"][(1 + ahead.signum()) as usize]
                }),
                "best": assessed.best,
                "position": assessed.play.position.houses(),
            })
        })
        .collect();
    let mut document = json!({
        "version": 1,
        "rules": "abapa",
        "cycles": "split",
        "position": position.houses(),
        "seeds": position.seeds(),
        "value": assessment.value().map(|value| value.seeds()),
        "over": null,
        "moves": moves,
    });
    if let Some(over) = assessment.over {
        document["over"] = json!({
            "reason": over.reason.name(),
            "text": over.reason.to_string(),
            "value": over.value.seeds(),
            "mover": position.own_seeds(),
            "opponent": position.opponents_seeds(),
        });
    }
    match (assessment.value(), situation) {
        (None, _) => document["reason"] = "the tables reach up to 8 seeds".into(),
        (Some(value), Some(situation)) => {
            let store = |side| i32::from(situation.store(side));
            let mover = situation.to_move();
            let seeds = i32::from(position.seeds());
            let value = i32::from(value.seeds());
            let halves = |side| {
                let value = if side == mover { value } else { -value };
                2 * store(side) + seeds + value
            };
            let number = |halves: i32| match halves % 2 {
                0 => json!(halves / 2),
                _ => json!(f64::from(halves) / 2.0),
            };
            let [south, north] = [Side::South, Side::North].map(halves);
            document["final"] = json!({
                "south": number(south),
                "north": number(north),
                "winner": match south - north {
                    0 => Json::Null,
                    1.. => json!("south"),
                    _ => json!("north"),
                },
            });
        }
        (Some(_), None) => {}
    }
    document
}

#[test]
fn json_of_positions_with_and_without_stores() {
    let positions = positions(2000, 10, 1);
    let mut lines = String::new();
    let mut documents = Vec::new();
    for (number, position) in positions.iter().enumerate() {
        let situation = (number % 2 == 0).then(|| {
            let side = [Side::South, Side::North][number / 2 % 2];
            let captured = 48 - position.seeds();
            let south = (number / 4 % (usize::from(captured) + 1)) as u8;
            Situation::new(*position, side, south, captured - south).unwrap()
        });
        lines += &match situation {
            Some(situation) => aalina::write(&situation),
            None => position.to_string(),
        };
        lines.push('\n');
        documents.push(expected(position, situation));
    }
    let output = batch("json", lines.as_bytes());
    let found: Vec<Json> = success(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(found, documents);
    // A single answer equals the answer among several, with the distance of the next capture.
    let few: Vec<&str> = lines.lines().take(20).collect();
    let several = query(&[&few[..], &["--json", "--prove", "off"]].concat());
    let one_by_one = few
        .iter()
        .map(|text| stdout(&query(&[text, "--json", "--prove", "off"])).to_string());
    assert_eq!(stdout(&several), one_by_one.collect::<String>());
    let alone = stdout(&several).lines().zip(&positions);
    let alone = alone.map(|(line, position)| {
        let mut document: Json = serde_json::from_str(line).unwrap();
        let distance = Distance::of(Tables::sample(), position, 200_000).unwrap();
        let found = document.as_object_mut().unwrap().remove("distance");
        assert_eq!(found, Some(json!(distance.moves())));
        // Estimates stand exactly where nothing is known.
        let take_estimate = |of: &mut Json| {
            let estimate = of.as_object_mut().unwrap().remove("estimate");
            let has_moves = of["moves"].as_array().is_none_or(|moves| !moves.is_empty());
            assert_eq!(
                estimate.is_some(),
                of["value"].is_null() && has_moves,
                "{of}"
            );
        };
        take_estimate(&mut document);
        document["moves"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(take_estimate);
        document
    });
    assert_eq!(alone.collect::<Vec<Json>>(), documents[..20]);
}

#[test]
fn values_of_a_batch_in_their_order() {
    // Several chunks of a megabyte.
    let positions = positions(100_000, 9, 1);
    let lines: String = positions
        .iter()
        .map(|position| format!("{position}\n"))
        .collect();
    assert!(lines.len() > 2 << 20);
    let worths = Tables::sample().worths(&positions).unwrap();
    let expected: String = positions
        .iter()
        .zip(worths)
        .map(|(position, worth)| {
            // Beyond the tables, but all moves may be within.
            let value = worth
                .map(Measured::low)
                .or(Tables::sample().assess(position).unwrap().value());
            let value = value.map_or("-".into(), |value| value.seeds().to_string());
            format!("{position}\t{value}\n")
        })
        .collect();
    let output = batch("tsv", lines.as_bytes());
    assert_eq!(code(&output), 0);
    assert_eq!(stderr(&output), NOTE);
    assert!(stdout(&output) == expected, "the values differ");
    // From a file, and without the end of the last line.
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("positions");
    fs::write(&file, lines.trim_end()).unwrap();
    let arguments = [
        "query",
        "--format",
        "tsv",
        "--batch",
        file.to_str().unwrap(),
    ];
    assert!(granero(&arguments, b"").stdout == output.stdout);
}

/// A typed position is answered before the next one.
#[test]
fn answers_come_line_by_line() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["query", "--batch", "-", "--format", "tsv"];
    let mut child = start(&arguments, place.path());
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for (line, expected) in [
        ("0 0 0 0 0 1 2 0 0 0 0 0\n", "0 0 0 0 0 1 2 0 0 0 0 0\t-3\n"),
        ("0 0 0 0 0 0 0 0 0 0 0 0\n", "0 0 0 0 0 0 0 0 0 0 0 0\t0\n"),
    ] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, expected);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
