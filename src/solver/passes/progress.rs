//! The state of the work.

use granero_table::index::Layer;

/// The state of the work on a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It looks up captures of this number of seeds, from 2 on.
    Captures(u8),
    /// It looks up captures of the next band, if the layer is solved in bands: the number of bands that are done,
    /// and of all.
    CapturesOfBand(u64, u64),
    /// It has swept over all positions.
    Sweep {
        /// The number of the sweep, from 1 on.
        sweep: u32,
        /// How many there will be, about.
        about: u32,
        /// The positions that changed.
        changes: u64,
        /// All positions.
        positions: u64,
    },
    /// It decides a threshold. With one value for each position, the number is the threshold: the
    /// seeds that the positions which are settled now win or lose. With bounds, it is the number of
    /// thresholds that are not decided yet. Either way it falls from the largest value of the layer to
    /// 1, see [`Extent::limit`](granero_game::Extent::limit).
    Threshold(u8),
}

impl Progress {
    /// The thousandths of the work on a layer with this limit that are done, roughly: looking up
    /// captures takes a tenth, settling most of the rest, and writing the layer the remainder.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::solver::Progress;
    ///
    /// let layer = Layer::new(20).unwrap();
    /// assert_eq!(Progress::Threshold(10).thousandths(layer, 20), 500);
    /// ```
    pub fn thousandths(self, layer: Layer, limit: u8) -> u64 {
        match self {
            Progress::Captures(captured) => {
                u64::from(captured) * 100 / u64::from(layer.seeds().clamp(1, 18))
            }
            Progress::CapturesOfBand(done, bands) => 100 * done / bands.max(1),
            Progress::Sweep { sweep, about, .. } => {
                100 + 800 * u64::from(sweep.min(about)) / u64::from(about)
            }
            Progress::Threshold(left) => {
                let decided = u64::from(limit.saturating_sub(left));
                100 + decided * 800 / u64::from(limit.max(1))
            }
        }
    }
}
