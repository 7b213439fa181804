//! What can be said of a solved layer in a few numbers.

use std::fmt::Write;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::index::Layer;

/// Statistics of a layer: how often each value occurs, and a hash of all values.
///
/// ```
/// use granero::index::Layer;
/// use granero::table::LayerStatistics;
///
/// let layers = granero::solver::solve_all(granero::Ruleset::Abapa, 4, 1);
/// let statistics = LayerStatistics::of(Layer::new(4).unwrap(), &layers[4]);
/// assert_eq!((statistics.wins(), statistics.losses(), statistics.draws()), (577, 645, 143));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerStatistics {
    /// The seeds of the layer.
    pub seeds: u8,
    /// The number of positions.
    pub positions: u64,
    /// The SHA-256 hash of all values, a signed byte each, in the order of the index: it
    /// depends on the values alone and not on how a file holds them.
    pub sha256: String,
    /// The values that occur, ascending, with the number of positions that have them.
    pub histogram: Vec<(i8, u64)>,
}

impl LayerStatistics {
    /// Works the statistics of a layer out from its values.
    ///
    /// ```
    /// use granero::index::Layer;
    /// use granero::table::LayerStatistics;
    ///
    /// let statistics = LayerStatistics::of(Layer::new(0).unwrap(), &[0]);
    /// assert_eq!(statistics.histogram, [(0, 1)]);
    /// ```
    pub fn of(layer: Layer, values: &[i8]) -> LayerStatistics {
        let histogram = || LayerStatistics::histogram(values);
        let (histogram, sha256) = rayon::join(histogram, || hash(values));
        LayerStatistics {
            seeds: layer.seeds(),
            positions: values.len() as u64,
            sha256,
            histogram,
        }
    }

    /// The values that occur, ascending, with the number of positions that have them.
    pub(crate) fn histogram(values: &[i8]) -> Vec<(i8, u64)> {
        let counts = count(values);
        (i8::MIN..=i8::MAX)
            .map(|value| (value, counts[usize::from(value as u8)]))
            .filter(|&(_, count)| count > 0)
            .collect()
    }

    /// Positions that the mover wins.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// assert_eq!(LayerStatistics::of(Layer::new(0).unwrap(), &[0]).wins(), 0);
    /// ```
    pub fn wins(&self) -> u64 {
        self.count(|value| value > 0)
    }

    /// Positions that the mover loses.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// assert_eq!(LayerStatistics::of(Layer::new(0).unwrap(), &[0]).losses(), 0);
    /// ```
    pub fn losses(&self) -> u64 {
        self.count(|value| value < 0)
    }

    /// Positions worth 0.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// assert_eq!(LayerStatistics::of(Layer::new(0).unwrap(), &[0]).draws(), 1);
    /// ```
    pub fn draws(&self) -> u64 {
        self.count(|value| value == 0)
    }

    /// The mean of all values.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// // Five positions with one seed win it, seven lose it.
    /// let layers = granero::solver::solve_all(granero::Ruleset::Abapa, 1, 1);
    /// let statistics = LayerStatistics::of(Layer::new(1).unwrap(), &layers[1]);
    /// assert_eq!(statistics.mean(), -2.0 / 12.0);
    /// ```
    pub fn mean(&self) -> f64 {
        // At most 2^39 positions of at most 48 seeds: the sum fits with room to spare.
        let values = self.histogram.iter();
        let sum: i64 = values
            .map(|&(value, count)| i64::from(value) * count as i64)
            .sum();
        sum as f64 / self.positions as f64
    }

    /// Whether these can be the statistics of a layer; what a file says need not be.
    pub(super) fn is_plausible(&self, layer: Layer) -> bool {
        let sum = self
            .histogram
            .iter()
            .try_fold(0u64, |sum, &(_, count)| sum.checked_add(count));
        let possible = |&(value, _): &(i8, u64)| value.unsigned_abs() <= layer.seeds();
        (self.seeds, self.positions) == (layer.seeds(), layer.len())
            && sum == Some(self.positions)
            && self.histogram.is_sorted_by(|a, b| a.0 < b.0)
            && self.histogram.iter().all(possible)
    }

    fn count(&self, wanted: impl Fn(i8) -> bool) -> u64 {
        let wanted = self.histogram.iter().filter(|(value, _)| wanted(*value));
        wanted.map(|(_, count)| count).sum()
    }
}

/// How often each value occurs, by its byte.
fn count(values: &[i8]) -> [u64; 256] {
    let pieces = values.par_chunks(1 << 20).map(|piece| {
        let mut counts = [0u64; 256];
        for &value in piece {
            counts[usize::from(value as u8)] += 1;
        }
        counts
    });
    pieces.reduce(
        || [0; 256],
        |mut sum, counts| {
            for (sum, count) in sum.iter_mut().zip(counts) {
                *sum += count;
            }
            sum
        },
    )
}

/// See [`LayerStatistics::sha256`].
pub(super) fn hash(values: &[i8]) -> String {
    let mut hasher = Sha256::new();
    for piece in values.chunks(1 << 16) {
        let bytes: Vec<u8> = piece.iter().map(|&value| value as u8).collect();
        hasher.update(&bytes);
    }
    hex(&hasher.finalize())
}

/// Bytes as a hexadecimal text.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A hexadecimal text as 32 bytes, if it is one.
pub(super) fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let (digits, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    if digits.len() != bytes.len() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(bytes)
}
