//! The values of a layer, in any order.

use super::Row;
use crate::index::Layer;

/// The values of a layer: in index order, or as the solver leaves them.
pub trait LayerValues: Sync {
    fn layer(&self) -> Layer;

    /// Copies consecutive values of a row, from the rank `from` of the opponent's half-board on. Unreachable
    /// positions that are not there get 0.
    fn copy(&self, row: Row, from: usize, to: &mut [i8]);
}

/// Values in index order.
#[derive(Clone, Copy, Debug)]
pub struct InOrder<'a> {
    layer: Layer,
    values: &'a [i8],
}

impl<'a> InOrder<'a> {
    /// # Panics
    ///
    /// If there are not as many values as the layer has positions.
    pub fn new(layer: Layer, values: &'a [i8]) -> InOrder<'a> {
        assert_eq!(values.len() as u64, layer.len());
        InOrder { layer, values }
    }
}

impl LayerValues for InOrder<'_> {
    fn layer(&self) -> Layer {
        self.layer
    }

    fn copy(&self, row: Row, from: usize, to: &mut [i8]) {
        to.copy_from_slice(&self.values[row.places()][from..][..to.len()]);
    }
}
