//! Layers in the layouts for other programs.

use granero::export::{self, Layout, awari};
use granero::index::Layer;
use granero::{Bound, Extent, Measured, Position};

/// A layer in some layout.
pub fn written(layout: Layout, layer: Layer, values: &[i8]) -> Vec<u8> {
    written_as_measured(layout, layer, &Measured::Value(values.into()))
}

/// A layer of values or bounds in some layout.
pub fn written_as_measured(layout: Layout, layer: Layer, values: &Measured<Vec<i8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut positions = 0;
    let progress = |more| positions += more;
    let (extent, bound) = (Extent::FULL, Bound::Low);
    export::write(layout, layer, extent, values, bound, &mut bytes, progress).unwrap();
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
