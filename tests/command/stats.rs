//! `granero stats`: statistics of layers.

use std::fs;
use std::path::Path;
use std::process::Output;

use granero::captures::{LayerCaptures, LongestCapture};
use granero::index::Layer;
use granero::{Ruleset, Tables};
use serde_json::{Value, json};

use crate::program::{self, document};
use crate::support::command::{code, shows, stderr, stdout};
use crate::support::tables::build;

fn stats(db: &Path, arguments: &[&str]) -> Output {
    let mut command = program::command();
    command.arg("stats").args(arguments).arg("--db").arg(db);
    command.output().unwrap()
}

/// Computes all but two of the fields documented in `docs/cli.md` from the values and captures of the layer,
/// which `tests/library/captures.rs` compares with each position.
fn expected_layer(ruleset: Ruleset, layer: Layer, values: &[i8], chosen: bool) -> Value {
    let how_many = |wanted: &dyn Fn(i8) -> bool| values.iter().filter(|v| wanted(**v)).count();
    let example = |value: i8| {
        let index = values.iter().position(|v| *v == value).unwrap();
        json!({
            "value": value,
            "position": layer.position(index as u64).unwrap().houses(),
        })
    };
    let (lowest, highest) = (values.iter().min().unwrap(), values.iter().max().unwrap());
    let histogram: Vec<(i8, usize)> = (*lowest..=*highest)
        .map(|value| (value, how_many(&|v| v == value)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let captures = LayerCaptures::of(ruleset, layer);
    let longest = captures
        .longest
        .map(|LongestCapture { captured, position }| {
            let moves = ruleset.moves(&position);
            let play = moves.iter().find(|play| play.captured == captured).unwrap();
            json!({
                "captured": captured,
                "position": position.houses(),
                "house": play.house.to_string(),
            })
        });
    json!({
        "seeds": layer.seeds(),
        "positions": values.len(),
        "wins": how_many(&|v| v > 0),
        "draws": how_many(&|v| v == 0),
        "losses": how_many(&|v| v < 0),
        "histogram": histogram,
        "capturing": captures.capturing,
        "longest_capture": longest,
        "lowest": chosen.then(|| example(*lowest)),
        "highest": chosen.then(|| example(*highest)),
    })
}

#[test]
fn json_of_all_layers_and_of_chosen_ones() {
    for ruleset in [Ruleset::Abapa, Ruleset::SlamEnds, Ruleset::Awari] {
        let db = build(ruleset, 7);
        let layers = Tables::open(db.path()).unwrap();
        for (arguments, seeds) in [
            (&["--json"] as &[&str], &[0u8, 1, 2, 3, 4, 5, 6, 7] as &[u8]),
            (&["--json", "--layer", "0-1,6-7,7"], &[0, 1, 6, 7]),
            (&["--json", "--layer", "5", "--layer", "3"], &[3, 5]),
        ] {
            let output = stats(db.path(), arguments);
            let mut document = document(&output);
            let entries = document["layers"].as_array_mut().unwrap();
            assert_eq!(entries.len(), seeds.len());
            for (entry, &seeds) in entries.iter_mut().zip(seeds) {
                let layer = Layer::new(seeds).unwrap();
                let values = layers.layer(seeds).unwrap().value().unwrap();
                // JSON may lose the last digit of a fraction.
                let mean = entry.as_object_mut().unwrap().remove("mean").unwrap();
                let sum: i64 = values.iter().map(|value| i64::from(*value)).sum();
                let expected = sum as f64 / values.len() as f64;
                assert!((mean.as_f64().unwrap() - expected).abs() < 1e-12);
                let hash = entry.as_object_mut().unwrap().remove("sha256");
                let listed = &layers.manifest().layers[usize::from(seeds)];
                assert_eq!(
                    hash,
                    Some(json!(listed.statistics.values.as_ref().low().sha256))
                );
                let chosen = arguments.len() > 1;
                assert_eq!(*entry, expected_layer(ruleset, layer, &values, chosen));
            }
            document["layers"] = json!([]);
            let rest = json!({
                "version": 1, "rules": ruleset.name(), "cycles": "split", "layers": [], "plot": null,
            });
            assert_eq!(document, rest);
        }
    }
}

#[test]
fn a_figure_as_svg_shows_all_values_and_all_layers() {
    let db = build(Ruleset::Italian, 6);
    let place = tempfile::tempdir().unwrap();
    let layers = Tables::open(db.path()).unwrap();
    for (layer, seeds) in [("0", 0), ("1", 1), ("3-4", 4), ("0-6", 6)] {
        let file = place.path().join("figure.svg");
        let name = file.to_str().unwrap();
        let output = stats(db.path(), &["--layer", layer, "--plot", name]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let said = format!("\nThe figure is in {name}.\n");
        assert!(stdout(&output).ends_with(&said));

        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(text.ends_with("</svg>\n"));
        assert!(text.contains(">Oware endgames, rules italian, endless play by split<"));
        shows(&text, ">0 to 6 seeds: 18,564 positions<");
        // The ground, three boxes of the legend, a bar per value, three per layer.
        let values = layers.manifest().layers[seeds]
            .statistics
            .values
            .as_ref()
            .low()
            .histogram
            .len();
        assert_eq!(text.matches("<rect").count(), 1 + 3 + values + 3 * 7);
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}

/// In the histogram of bounds, each colour has the share that the manifest says.
#[test]
fn a_figure_of_bounds_shows_what_is_certain() {
    let db = crate::support::tables::build_bounds(Ruleset::Abapa, 6);
    let file = db.path().join("figure.svg");
    let output = stats(db.path(), &["--plot", file.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = fs::read_to_string(&file).unwrap();
    let tables = Tables::open(db.path()).unwrap();
    let layer = &tables.manifest().layers[6].statistics;
    let undecided = layer.positions - layer.wins() - layer.draws - layer.losses();
    let height = |colour: &str| {
        let bars = text
            .split("<rect ")
            .skip(1)
            .filter(|bar| bar.contains(colour));
        // The legend is above, and the other panel to the right.
        let field = |bar: &str, name: &str| -> Option<f64> {
            let (_, rest) = bar.split_once(&format!("{name}=\""))?;
            rest.split_once('"')?.0.parse().ok()
        };
        let bars = bars.filter(|bar| field(bar, " y").or(field(bar, "y")) > Some(40.0));
        let bars = bars.filter(|bar| field(bar, "x") < Some(500.0));
        bars.map(|bar| field(bar, "height").unwrap()).sum::<f64>()
    };
    let heights = ["#0072b2", "#d4d4d4", "#787878", "#e69f00"].map(height);
    let counts = [layer.wins(), layer.draws, undecided, layer.losses()];
    let (all, positions) = (heights.iter().sum::<f64>(), layer.positions as f64);
    for (height, count) in heights.into_iter().zip(counts) {
        assert!(
            (height / all - count as f64 / positions).abs() < 0.01,
            "{heights:?}, {counts:?}"
        );
    }
}
