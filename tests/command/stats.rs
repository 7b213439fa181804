//! `granero stats --plot`: figures of layers.

use std::fs;

use granero::{Ruleset, Tables};

use crate::program::printed;
use crate::support::command::shows;
use crate::support::tables::build;

#[test]
fn a_figure_as_svg_shows_all_values_and_all_layers() {
    let db = build(Ruleset::Italian, 6);
    let place = tempfile::tempdir().unwrap();
    let layers = Tables::open(db.path()).unwrap();
    for (layer, seeds) in [("0", 0), ("1", 1), ("3-4", 4), ("0-6", 6)] {
        let file = place.path().join("figure.svg");
        let name = file.to_str().unwrap();
        let printed = printed(&["stats", "--layer", layer, "--plot", name], db.path());
        assert!(printed.ends_with(&format!("\nThe figure is in {name}.\n")));

        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(text.ends_with("</svg>\n"));
        assert!(text.contains(">Oware endgames, rules italian, endless play by split<"));
        shows(&text, ">0 to 6 seeds: 18,564 positions<");
        // The ground, three boxes of the legend, a bar per value, three per layer.
        let statistics = &layers.manifest().layers[seeds].statistics;
        let values = statistics.values.as_ref().low().histogram.len();
        assert_eq!(text.matches("<rect").count(), 1 + 3 + values + 3 * 7);
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}
