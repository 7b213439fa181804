//! Sizes in which work is divided, without effect on the results.

/// Sizes in which work is divided. The results do not depend on them, so tests set small ones, with which
/// even small layers have every border.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// The most values in a piece of a turned file, unless a single row has more.
    pub piece: usize,
    /// The fewest columns that are turned at a time: as many as share a line of the cache.
    pub columns: usize,
    /// Test hook: the least number of shares of a layer.
    pub shares: usize,
}

impl Tuning {
    /// The sizes for builds.
    pub const USUAL: Tuning = Tuning {
        piece: 1 << 20,
        columns: 64,
        shares: 1,
    };

    /// Sizes with which even small layers are divided.
    pub const SMALL: Tuning = Tuning {
        piece: 300,
        columns: 4,
        shares: 1,
    };
}
