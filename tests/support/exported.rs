//! Layers in the layouts for other programs.

use granero::export::{self, Layout, awari};
use granero::index::Layer;
use granero::{Bound, Extent, Measured, Position};

/// A layer in some layout.
pub fn written(layout: Layout, layer: Layer, values: &[i8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut positions = 0;
    let values = Measured::Value(values.into());
    export::write(
        layout,
        layer,
        Extent::FULL,
        &values,
        Bound::Low,
        &mut bytes,
        |more| positions += more,
    )
    .unwrap();
    let all = match layout {
        Layout::Awari => awari::len(layer),
        _ => layer.len(),
    };
    assert_eq!(positions, all);
    bytes
}

/// The positions of the layout `awari` in its order, in the words of its documentation: sort, and leave
/// some out.
pub fn awari_in_order(layer: Layer) -> Vec<Position> {
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
