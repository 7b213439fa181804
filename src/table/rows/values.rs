//! The values of a layer, in any order.

use super::Row;
use crate::index::Layer;

/// The values of a layer: in index order, or as the solver leaves them.
pub trait LayerValues: Sync {
    fn layer(&self) -> Layer;

    /// The values of a row, by the rank of the opponent's half-board.
    fn row(&self, row: Row) -> impl Fn(usize) -> i8;

    /// Copies consecutive values of a row, from the rank `from` on.
    fn copy(&self, row: Row, from: usize, to: &mut [i8]);

    /// All values, in an order that both bounds share.
    fn pieces(&self) -> impl Iterator<Item = &[i8]>;
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

    #[inline(always)]
    fn row(&self, row: Row) -> impl Fn(usize) -> i8 {
        let values = &self.values[row.places()];
        |opponents| values[opponents]
    }

    fn copy(&self, row: Row, from: usize, to: &mut [i8]) {
        to.copy_from_slice(&self.values[row.places()][from..][..to.len()]);
    }

    fn pieces(&self) -> impl Iterator<Item = &[i8]> {
        std::iter::once(self.values)
    }
}
