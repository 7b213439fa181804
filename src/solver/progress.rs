//! The state of the work.

use granero_table::index::Layer;

/// The state of the work on a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It looks up captures of this number of seeds, from 2 on.
    Captures(u8),
    /// It looks up captures in the next part of a layer that is larger than memory: the number of parts that are done,
    /// and of all.
    CapturesOfPart(u64, u64),
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
}

impl Progress {
    /// The thousandths of the work on a layer that are done, roughly: looking up captures takes a tenth, sweeps most of
    /// the rest, and writing the layer the remainder.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::solver::Progress;
    ///
    /// let layer = Layer::new(20).unwrap();
    /// let sweep = Progress::Sweep { sweep: 11, about: 22, changes: 1, positions: 2 };
    /// assert_eq!(sweep.thousandths(layer), 500);
    /// ```
    pub fn thousandths(self, layer: Layer) -> u64 {
        match self {
            Progress::Captures(captured) => {
                u64::from(captured) * 100 / u64::from(layer.seeds().clamp(1, 18))
            }
            Progress::CapturesOfPart(done, parts) => 100 * done / parts.max(1),
            Progress::Sweep { sweep, about, .. } => {
                100 + 800 * u64::from(sweep.min(about)) / u64::from(about)
            }
        }
    }
}
