//! The layout `awari` against its documentation.

use granero::Ruleset;
use granero::export::{Layout, awari};
use granero::index::Layer;

use crate::support::exported::{awari_in_order, written};
use crate::support::solved::solve_values;

#[test]
fn the_awari_layout_is_the_documented_one() {
    let layers = solve_values(Ruleset::Awari, 10, 2);
    for (layer, values) in Layer::all().zip(&layers) {
        let expected: Vec<u8> = awari_in_order(layer)
            .iter()
            .map(|position| values[layer.index(position) as usize] as u8)
            .collect();
        assert!(written(Layout::Awari, layer, values) == expected);
    }
}

/// Every position has its own place: where values hide mistakes, numbers do not.
#[test]
fn the_awari_layout_permutes() {
    let layer = Layer::new(9).unwrap();
    for shift in [0, 8, 16] {
        let numbers: Vec<i8> = (0..layer.len())
            .map(|index| (index >> shift) as i8)
            .collect();
        let expected: Vec<u8> = awari_in_order(layer)
            .iter()
            .map(|position| (layer.index(position) >> shift) as u8)
            .collect();
        assert!(written(Layout::Awari, layer, &numbers) == expected);
    }
}

/// Published: 889,063,398,406 positions can occur with at most 48 seeds, no layer 47, and
/// the start position is counted although all its houses are occupied.
#[test]
fn the_database_holds_as_many_positions_as_published() {
    let layers = Layer::all().filter(|layer| layer.seeds() != 47);
    let positions: u64 = layers.map(awari::len).sum();
    assert_eq!(positions + 1, 889_063_398_406);
}
