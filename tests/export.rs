//! `granero export` and `granero compare`: layers as files for other programs.

use granero::export::{self, Layout, awari};
use granero::index::Layer;
use granero::{Position, Ruleset};

fn written(layout: Layout, layer: Layer, values: &[i8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut positions = 0;
    export::write(layout, layer, values, &mut bytes, |more| positions += more).unwrap();
    let all = match layout {
        Layout::Awari => awari::len(layer),
        _ => layer.len(),
    };
    assert_eq!(positions, all);
    bytes
}

/// The layout in the words of its documentation: sort, and leave out.
fn awari_in_order(layer: Layer) -> Vec<Position> {
    let mut positions: Vec<Position> = layer
        .positions()
        .filter(|position| position.opponents().contains(&0))
        .collect();
    positions.sort_by_key(|position| {
        let mut houses = position.houses();
        houses.reverse();
        houses
    });
    positions
}

#[test]
fn the_awari_layout_is_the_documented_one() {
    let layers = granero::solver::solve_all(Ruleset::Awari, 10, 2);
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
