//! What can be said of a solved layer in a few numbers.

use std::fmt::Write;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::cycles::{Cycles, Measure};
use crate::index::Layer;
use crate::layer_values::LayerValues;

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
    /// depends on the values alone and not on how a file holds them. Where positions have
    /// bounds, these are the low ones.
    pub sha256: String,
    /// The values that occur, ascending, with the number of positions that have them. Where
    /// positions have bounds, these are the low ones.
    pub histogram: Vec<(i8, u64)>,
    /// The high bounds, where positions have bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<HighStatistics>,
}

/// Statistics of the high bounds of a layer, and of how far they are from the low ones.
///
/// ```
/// use granero::index::Layer;
/// use granero::table::LayerStatistics;
///
/// let layers = granero::solver::solve_all_bounds(granero::Ruleset::Abapa, 2, 1);
/// let statistics = LayerStatistics::of_values(Layer::new(2).unwrap(), &layers[2]);
/// assert_eq!(statistics.high.unwrap().gaps, [(0, 65), (2, 13)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HighStatistics {
    /// The SHA-256 hash of all high bounds, as [`LayerStatistics::sha256`].
    pub sha256: String,
    /// The high bounds that occur, ascending, with the number of positions that have them.
    pub histogram: Vec<(i8, u64)>,
    /// What the high bound is more than the low one, ascending, with the number of
    /// positions where it is.
    pub gaps: Vec<(u8, u64)>,
    /// Positions where both bounds are 0.
    pub draws: u64,
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
            high: None,
        }
    }

    /// Works the statistics of a layer out from its values or bounds.
    ///
    /// ```
    /// use granero::LayerValues;
    /// use granero::index::Layer;
    /// use granero::table::LayerStatistics;
    ///
    /// let bounds = LayerValues::Bounds { low: vec![0], high: vec![0] };
    /// let statistics = LayerStatistics::of_values(Layer::new(0).unwrap(), &bounds);
    /// assert_eq!((statistics.draws(), statistics.exact()), (1, 1));
    /// ```
    pub fn of_values(layer: Layer, values: &LayerValues) -> LayerStatistics {
        match values {
            LayerValues::Exact(values) => LayerStatistics::of(layer, values),
            LayerValues::Bounds { low, high } => {
                let (gaps, draws) = gaps(low, high);
                let of_high = LayerStatistics::of(layer, high);
                LayerStatistics {
                    high: Some(HighStatistics {
                        sha256: of_high.sha256,
                        histogram: of_high.histogram,
                        gaps,
                        draws,
                    }),
                    ..LayerStatistics::of(layer, low)
                }
            }
        }
    }

    /// The hash of the numbers of a measure.
    pub(super) fn sha256_of(&self, measure: Measure) -> &str {
        match (measure, &self.high) {
            (Measure::High, Some(high)) => &high.sha256,
            _ => &self.sha256,
        }
    }

    /// Whether these count the values that there are. The hashes are not compared.
    pub(crate) fn count_rightly(&self, values: &LayerValues) -> bool {
        match (values, &self.high) {
            (LayerValues::Exact(values), None) => {
                LayerStatistics::histogram(values) == self.histogram
            }
            (LayerValues::Bounds { low, high }, Some(of_high)) => {
                LayerStatistics::histogram(low) == self.histogram
                    && LayerStatistics::histogram(high) == of_high.histogram
                    && gaps(low, high) == (of_high.gaps.clone(), of_high.draws)
            }
            _ => false,
        }
    }

    /// The values that occur, ascending, with the number of positions that have them.
    fn histogram(values: &[i8]) -> Vec<(i8, u64)> {
        let counts = count(values);
        (i8::MIN..=i8::MAX)
            .map(|value| (value, counts[usize::from(value as u8)]))
            .filter(|&(_, count)| count > 0)
            .collect()
    }

    /// Positions that the mover wins; where positions have bounds, however an endless cycle is
    /// decided.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// assert_eq!(LayerStatistics::of(Layer::new(0).unwrap(), &[0]).wins(), 0);
    /// ```
    pub fn wins(&self) -> u64 {
        count_of(&self.histogram, |value| value > 0)
    }

    /// Positions that the mover loses; where positions have bounds, however an endless cycle
    /// is decided.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// assert_eq!(LayerStatistics::of(Layer::new(0).unwrap(), &[0]).losses(), 0);
    /// ```
    pub fn losses(&self) -> u64 {
        let high = self.high.as_ref().map(|high| &high.histogram);
        count_of(high.unwrap_or(&self.histogram), |value| value < 0)
    }

    /// Positions worth 0; where positions have bounds, however an endless cycle is decided.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// assert_eq!(LayerStatistics::of(Layer::new(0).unwrap(), &[0]).draws(), 1);
    /// ```
    pub fn draws(&self) -> u64 {
        match &self.high {
            Some(high) => high.draws,
            None => count_of(&self.histogram, |value| value == 0),
        }
    }

    /// Positions that have one value, however an endless cycle is decided.
    ///
    /// ```
    /// # use granero::{index::Layer, table::LayerStatistics};
    /// assert_eq!(LayerStatistics::of(Layer::new(0).unwrap(), &[0]).exact(), 1);
    /// ```
    pub fn exact(&self) -> u64 {
        let Some(high) = &self.high else {
            return self.positions;
        };
        let exact = high.gaps.iter().find(|&&(gap, _)| gap == 0);
        exact.map_or(0, |&(_, count)| count)
    }

    /// The mean of all values; where positions have bounds, of the low ones.
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
    pub(super) fn is_plausible(&self, layer: Layer, cycles: Cycles) -> bool {
        let all = |counts: Vec<u64>| {
            let mut counts = counts.into_iter();
            counts.try_fold(0u64, |sum, count| sum.checked_add(count)) == Some(layer.len())
        };
        // With bounds, every seed goes to somebody.
        let step = match cycles {
            Cycles::Split => 1,
            Cycles::OwnSide => 2,
        };
        let histogram = |histogram: &[(i8, u64)]| {
            let possible = |&(value, _): &(i8, u64)| {
                let size = value.unsigned_abs();
                size <= layer.seeds() && (layer.seeds() - size).is_multiple_of(step)
            };
            all(histogram.iter().map(|&(_, count)| count).collect())
                && histogram.is_sorted_by(|a, b| a.0 < b.0)
                && histogram.iter().all(possible)
        };
        let high = |high: &HighStatistics| {
            let possible =
                |&(gap, _): &(u8, u64)| gap <= 2 * layer.seeds() && gap.is_multiple_of(step);
            all(high.gaps.iter().map(|&(_, count)| count).collect())
                && high.gaps.is_sorted_by(|a, b| a.0 < b.0)
                && high.gaps.iter().all(possible)
                && histogram(&high.histogram)
                && high.draws <= layer.len()
        };
        (self.seeds, self.positions) == (layer.seeds(), layer.len())
            && histogram(&self.histogram)
            && self.high.is_some() == (cycles == Cycles::OwnSide)
            && self.high.as_ref().is_none_or(high)
    }
}

/// How many positions have values that are wanted.
fn count_of(histogram: &[(i8, u64)], wanted: impl Fn(i8) -> bool) -> u64 {
    let wanted = histogram.iter().filter(|(value, _)| wanted(*value));
    wanted.map(|(_, count)| count).sum()
}

/// How often the bounds are how far apart, and how often both are 0.
fn gaps(low: &[i8], high: &[i8]) -> (Vec<(u8, u64)>, u64) {
    let pieces = low.par_chunks(1 << 20).zip(high.par_chunks(1 << 20));
    let (counts, draws) = pieces
        .map(|(low, high)| {
            let mut counts = [0u64; 256];
            let mut draws = 0;
            for (&low, &high) in low.iter().zip(high) {
                counts[usize::from(high.wrapping_sub(low) as u8)] += 1;
                draws += u64::from((low, high) == (0, 0));
            }
            (counts, draws)
        })
        .reduce(
            || ([0; 256], 0),
            |(sum, draws), (counts, more)| (add(sum, counts), draws + more),
        );
    let occurring = (0..=u8::MAX).zip(counts).filter(|&(_, count)| count > 0);
    (occurring.collect(), draws)
}

fn add(mut sum: [u64; 256], counts: [u64; 256]) -> [u64; 256] {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum += count;
    }
    sum
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
    pieces.reduce(|| [0; 256], add)
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
