//! `granero stats --plot`: figures of layers.

use std::fs;
use std::path::Path;
use std::process::Output;

use granero::{Ruleset, Tables};

use crate::program;
use crate::support::command::{code, shows, stderr, stdout};
use crate::support::tables::build;

fn stats(db: &Path, arguments: &[&str]) -> Output {
    let mut command = program::command();
    command.arg("stats").args(arguments).arg("--db").arg(db);
    command.output().unwrap()
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
