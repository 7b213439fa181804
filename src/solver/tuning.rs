//! Sizes in which work is divided, without effect on the results.

/// Sizes in which work is divided. The results do not depend on them, so tests set small ones, with which
/// even small layers have every border.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// The bytes of a band of rows, about. It has more if the rows with news in the same words do.
    pub band: usize,
    /// With fewer positions for each thread, threads cost more than they gain.
    pub worth_a_thread: u64,
    /// The most positions in a batch of updates. That is more than the predecessors by one class that
    /// are served at once.
    pub batch_positions: usize,
    /// The most groups in a batch of updates: more than the six of one class.
    pub batch_groups: usize,
    /// The number of locks that rows share, a power of two: few enough to stay in the cache, and
    /// enough that two threads hardly ever want one lock.
    pub row_locks: usize,
    /// The most values in a piece of a turned file, unless a single row has more.
    pub piece: usize,
    /// The fewest columns that are turned at a time: as many as share a line of the cache.
    pub columns: usize,
    /// The bytes of a page of a band, as a power of two: as many as systems read at least.
    pub page_bits: u32,
    /// The bytes of news that wait for a band and are written at a time, about.
    pub block: usize,
    /// Test hook: the least number of bands of a layer.
    pub bands: u64,
    /// Test hook: with a smaller number, small layers do what layers do whose bytes lack room. Larger
    /// losses are listed; and with bounds, layers with larger values have extra bits.
    pub most_counted: u8,
}

impl Tuning {
    /// The sizes for builds.
    pub const USUAL: Tuning = Tuning {
        band: 1 << 18,
        worth_a_thread: 100_000,
        batch_positions: 4096,
        batch_groups: 2048,
        row_locks: 1 << 16,
        piece: 1 << 20,
        columns: 64,
        page_bits: 12,
        block: 32 << 10,
        bands: 1,
        most_counted: u8::MAX,
    };

    /// Sizes with which even small layers are divided.
    pub const SMALL: Tuning = Tuning {
        band: 1 << 10,
        worth_a_thread: 1,
        batch_positions: 1024,
        batch_groups: 16,
        row_locks: 64,
        piece: 300,
        columns: 4,
        page_bits: 5,
        block: 50,
        bands: 1,
        most_counted: u8::MAX,
    };
}
