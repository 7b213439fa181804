//! The layout `awari` against its documentation.

use granero::Measured;
use granero::export::{Layout, awari};
use granero::index::Layer;
use test_case::test_case;

use crate::support::exported::{awari_in_order, written, written_as_measured};

/// The array begins where NumPy looks for it, and has a column for each bound.
#[test]
fn the_npy_layout_has_the_values_in_order() {
    let layer = Layer::new(3).unwrap();
    let (low, high): (Vec<i8>, Vec<i8>) = (0..layer.len()).map(|i| (-(i as i8 % 40), 7)).unzip();
    let write = |values: Measured<Vec<i8>>| {
        let mut out = written_as_measured(Layout::Npy, layer, &values);
        let length = usize::from(u16::from_le_bytes([out[8], out[9]]));
        assert_eq!((10 + length) % 64, 0);
        let header = String::from_utf8(out[10..10 + length].to_vec()).unwrap();
        (header.trim().to_string(), out.split_off(10 + length))
    };
    let bytes = |values: &[i8]| values.iter().map(|&value| value as u8).collect::<Vec<u8>>();
    let (header, data) = write(Measured::Value(low.clone()));
    assert_eq!(
        header,
        "{'descr': '|i1', 'fortran_order': False, 'shape': (364,), }"
    );
    assert_eq!(data, bytes(&low));
    let both: Vec<i8> = low
        .iter()
        .zip(&high)
        .flat_map(|(&low, &high)| [low, high])
        .collect();
    let (header, data) = write(Measured::Bounds { low, high });
    assert_eq!(
        header,
        "{'descr': '|i1', 'fortran_order': False, 'shape': (364, 2,), }"
    );
    assert_eq!(data, bytes(&both));
}

/// Every position has its own place: where values hide mistakes, numbers do not.
#[test_case(8)]
#[test_case(9 => ignore["slow: .ci/run has it"] ())]
fn the_awari_layout_permutes(seeds: u8) {
    let layer = Layer::new(seeds).unwrap();
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
