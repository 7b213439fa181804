//! The captures of whole layers against the captures of each position.

use granero::Ruleset;
use granero::captures::{LayerCaptures, LongestCapture};
use granero::index::Layer;

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

#[test]
fn captures_are_those_of_all_positions() {
    for ruleset in Ruleset::ALL {
        for layer in Layer::all().take(10) {
            assert_right(ruleset, layer);
        }
    }
}

fn assert_right(ruleset: Ruleset, layer: Layer) {
    let expected = captures_one_by_one(ruleset, layer);
    let found = LayerCaptures::of(ruleset, layer);
    assert_eq!(found, expected, "{ruleset}, {layer:?}");
}

/// With this number of seeds, moves go around the board.
#[test]
#[ignore = "slow: .ci/run has it"]
fn captures_are_those_of_all_positions_with_15_seeds() {
    for ruleset in [Ruleset::Abapa, Ruleset::Awari] {
        assert_right(ruleset, Layer::new(15).unwrap());
    }
}
