//! The statistics in `data/` fit tables that are built now.

use std::collections::BTreeMap;
use std::fs;

use granero::index::Layer;
use granero::table::LayerStatistics;
use granero::{Cycles, Extent, Kind, Ruleset};
use serde_json::Value;
use test_case::test_case;

use crate::support::solved::Solved;

fn committed(ruleset: Ruleset, cycles: Cycles, game: &str) -> Vec<LayerStatistics> {
    let path = format!("../../data/statistics/{ruleset}-{cycles}{game}.json");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let document: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{path}: {error}; data/README.md says how it is made"));
    assert_eq!(document["rules"], ruleset.name());
    assert_eq!(document["cycles"], cycles.name());
    let layers: Vec<LayerStatistics> = serde_json::from_value(document["layers"].clone()).unwrap();
    for (layer, entry) in layers.iter().zip(document["layers"].as_array().unwrap()) {
        assert_eq!(entry["wins"], layer.wins());
        assert_eq!(entry["draws"], layer.draws);
        assert_eq!(entry["losses"], layer.losses());
    }
    layers
}

// Here bounds take a second round.
#[test_case(Ruleset::Abapa, Cycles::OwnSide, 10)]
// Houses of twelve seeds and more go around the board.
#[test_case(Ruleset::Abapa, Cycles::Split, 13)]
#[test_case(Ruleset::Abapa, Cycles::Split, 20 => ignore["slow: .ci/long has it"] (); "at length")]
#[test_case(Ruleset::Awari, Cycles::Split, 20 => ignore["slow: .ci/long has it"] (); "at length")]
fn the_committed_statistics_hold_for(ruleset: Ruleset, cycles: Cycles, max_seeds: u8) {
    let committed = committed(ruleset, cycles, "");
    let layers = Solved::of(ruleset, cycles, max_seeds).layers;
    for ((layer, values), expected) in Layer::all().zip(&layers).zip(&committed) {
        assert_eq!(LayerStatistics::of(layer, values), *expected, "{ruleset}");
    }
    assert!(committed.len() >= layers.len());
}

#[test_case(8)]
#[test_case(12 => ignore["slow: .ci/run has it"] ())]
fn the_committed_statistics_hold_for_all_rulesets(seeds: u8) {
    for ruleset in Ruleset::ALL {
        for cycles in Cycles::ALL {
            the_committed_statistics_hold_for(ruleset, cycles, seeds);
        }
        let most = if [Ruleset::Abapa, Ruleset::Awari].contains(&ruleset) {
            24
        } else {
            18
        };
        assert!(committed(ruleset, Cycles::Split, "").len() > most);
    }
}

/// Games of 36 seeds were solved apart from the full tables, by `abapa` with little memory: their values are cut off.
#[test]
fn the_games_of_36_seeds_have_the_full_values_cut_off() {
    const GAME: u8 = 36;
    let histogram = |of: &LayerStatistics| of.values.as_ref().low().histogram.clone();
    for (ruleset, largest) in [(Ruleset::Abapa, 36), (Ruleset::Awari, 35)] {
        let kind = Kind::from((ruleset, Cycles::Split, Extent::deciding(GAME).unwrap()));
        let full = committed(ruleset, Cycles::Split, "");
        let game = committed(ruleset, Cycles::Split, "-game-36");
        assert_eq!([full.len(), game.len()], [largest + 1, 37]);
        for (full, game) in full.iter().zip(&game) {
            let mut cut = BTreeMap::new();
            for (value, count) in histogram(full) {
                *cut.entry(kind.cut(full.seeds, value)).or_default() += count;
            }
            assert!(cut.into_iter().eq(histogram(game)), "{}", full.seeds);
            let is_cut = kind.limit(full.seeds) < full.seeds as i8;
            assert_eq!(is_cut, full.values != game.values);
        }
    }
}
