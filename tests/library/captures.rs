//! The captures of whole layers against the captures of each position.

use std::ops::Range;

use granero::Ruleset;
use granero::captures::{LayerCaptures, LongestCapture};
use granero::index::Layer;
use test_case::test_case;

/// The captures of a layer, position by position.
fn captures_one_by_one(ruleset: Ruleset, layer: Layer) -> LayerCaptures {
    let mut capturing = 0;
    let mut longest: Option<LongestCapture> = None;
    for position in layer.positions() {
        let moves = ruleset.moves(&position);
        let captured = moves.iter().map(|play| play.captured).max().unwrap_or(0);
        capturing += u64::from(captured > 0);
        if captured > longest.map_or(0, |longest| longest.captured) {
            longest = Some(LongestCapture { captured, position });
        }
    }
    LayerCaptures { capturing, longest }
}

#[test_case(&Ruleset::ALL, 0..10)]
// With this number of seeds, moves go around the board.
#[test_case(&[Ruleset::Abapa, Ruleset::Awari], 15..16 => ignore["slow: .ci/run has it"] ())]
fn captures_are_those_of_all_positions(rulesets: &[Ruleset], seeds: Range<u8>) {
    for &ruleset in rulesets {
        for layer in seeds.clone().filter_map(Layer::new) {
            let expected = captures_one_by_one(ruleset, layer);
            let found = LayerCaptures::of(ruleset, layer);
            assert_eq!(found, expected, "{ruleset}, {layer:?}");
        }
    }
}
