//! Deciding tables: no verb shows a value that is cut off as if it were exact.

use std::fs;

use granero::index::Layer;
use granero::random::SplitMix64;
use granero::{Bound, Clamped, Cycles, Ruleset, Situation, TableOptions, Tables};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_case::test_case;

use crate::program::{json, printed};
use crate::support::command::shows;
use crate::support::solved::Solved;
use crate::support::tables::build_deciding;

/// Tables for a game of ten seeds: with eight on the board, values are cut off at 3, bounds at 4.
fn tables(cycles: Cycles) -> TempDir {
    build_deciding(Ruleset::Abapa, cycles, 10, 8)
}

/// Plays games of 12 seeds from their opening. Each situation of so many seeds or fewer is asked of tables that decide
/// this game, and who wins is compared with the full value.
#[test_case(9)]
#[test_case(12 => ignore["slow: .ci/run has it"] ())]
fn who_wins_a_game_of_12_seeds_is_who_wins_by_full_values(seeds: u8) {
    let opening = Situation::opening(12).unwrap();
    for (rules, cycles) in [
        (Ruleset::Awari, Cycles::Split),
        (Ruleset::Abapa, Cycles::OwnSide),
    ] {
        let db = build_deciding(rules, cycles, 12, seeds);
        let full = Solved::of(rules, cycles, seeds);
        let mut situations = vec![opening];
        let mut random = SplitMix64::new(1);
        for _ in 0..100 {
            let mut now = opening;
            for _ in 0..30 {
                let moves = rules.moves(&now.position());
                if moves.is_empty() {
                    break;
                }
                let play = moves[random.below(moves.len() as u64) as usize];
                (_, now) = now.play(rules, play.house).unwrap();
                situations.push(now);
            }
        }
        situations.retain(|now| now.position().seeds() <= seeds);
        let batch = db.path().join("situations");
        let lines: Vec<String> = situations.iter().map(ToString::to_string).collect();
        fs::write(&batch, lines.join("\n") + "\n").unwrap();
        let batch = batch.to_str().unwrap();
        let answers = printed(&["query", "--batch", batch, "--format", "json"], db.path());
        let (mut cut_off, mut won) = (0, 0);
        for (now, answer) in situations.iter().zip(answers.lines()) {
            let answer: Value = serde_json::from_str(answer).unwrap();
            let position = now.position();
            let values = full.value(&position).unwrap();
            let winners = [Bound::Low, Bound::High].map(|bound| {
                let value = values.get(bound).seeds();
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
        let batch = batch.to_str().unwrap();
        let answers = |format| printed(&["query", "--batch", batch, "--format", format], db.path());
        let [text, tsv, json] = ["text", "tsv", "json"].map(answers);
        let answers = text.lines().zip(tsv.lines()).zip(json.lines());
        let mut cut_off = 0;
        for (position, ((text, tsv), json)) in positions.iter().zip(answers) {
            let clamped = tables.clamped_value(position).unwrap().unwrap();
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
fn an_export_says_where_values_are_cut_off() {
    let db = tables(Cycles::Split);
    let out = db.path().join("out");
    let out = out.to_str().unwrap();
    let text = printed(&["export", "--layer", "8", "--out", out], db.path());
    shows(&text, "3 means 3 or more, -3 means -3 or less");
    let export = ["export", "--layer", "8", "--out", out, "--json"];
    let found = json(&export, db.path());
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
        let value = tables.clamped_value(&position).unwrap().unwrap();
        let expected = match value.low() {
            Clamped::Exactly(value) => value.seeds().to_string(),
            Clamped::AtLeast(value) => format!(">={}", value.seeds()),
            Clamped::AtMost(value) => format!("<={}", value.seeds()),
        };
        assert_eq!(written, expected, "{position}");
    }
}
