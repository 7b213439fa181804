//! Where the solver is in its work.

use crate::index::Layer;

/// Where the solver is in its work on a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It looks up captures of this number of seeds, from 2 on.
    Captures(u8),
    /// It decides a threshold. With one value for each position: which positions are worth this
    /// number of seeds to either side. With bounds: this is the number of thresholds that are not
    /// decided yet. Either way the number falls from the largest value of the layer to 1, see
    /// [`Extent::limit`](crate::Extent::limit).
    Threshold(u8),
}

impl Progress {
    /// How many thousandths of the work on a layer are done, roughly: looking up captures takes a
    /// tenth, settling most of the rest, and writing the layer what is left.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::solver::Progress;
    ///
    /// let layer = Layer::new(20).unwrap();
    /// assert_eq!(Progress::Threshold(10).thousandths(layer), 500);
    /// ```
    pub fn thousandths(self, layer: Layer) -> u64 {
        let seeds = u64::from(layer.seeds().max(1));
        match self {
            Progress::Captures(captured) => u64::from(captured) * 100 / seeds.min(18),
            Progress::Threshold(value) => 100 + (seeds - u64::from(value)) * 800 / seeds,
        }
    }
}
