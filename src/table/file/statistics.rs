//! Statistics of a solved layer.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use zerocopy::IntoBytes;

use super::sha256::Sha256;
use crate::index::Layer;
use crate::parallel;
use crate::rows::InOrder;
use granero_game::value::extent::ValueLimits;
use granero_game::{Cycles, Measured};

/// Statistics of a layer: the number of positions with each value or bound, and hashes of all values. For
/// deciding tables they count values that are cut off at the limit, see [`Extent`](granero_game::Extent),
/// which does not change who wins.
///
/// ```
/// use granero::index::Layer;
/// use granero::table::LayerStatistics;
/// use granero::{Cycles, Ruleset, solver};
///
/// let layer = Layer::new(4).unwrap();
/// let values = solver::solve_all((Ruleset::Abapa, Cycles::Split), 4, 1).pop().unwrap();
/// let statistics = LayerStatistics::of(layer, &values);
/// assert_eq!((statistics.wins(), statistics.losses(), statistics.draws), (577, 645, 143));
///
/// let bounds = solver::solve_all((Ruleset::Abapa, Cycles::OwnSide), 4, 1).pop().unwrap();
/// let statistics = LayerStatistics::of(layer, &bounds);
/// assert_eq!((statistics.positions, statistics.exact()), (1365, 994));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Document", from = "Document")]
pub struct LayerStatistics {
    /// The seeds of the layer.
    pub seeds: u8,
    /// The number of positions.
    pub positions: u64,
    /// The values, or the bounds.
    pub values: Measured<Distribution>,
    /// The gaps between the high and the low bound, ascending, each with its number of positions. For
    /// values, all gaps are 0. The two distributions of bounds do not determine the gaps, because they do
    /// not tell which low bound belongs to which high bound.
    pub gaps: Vec<(u8, u64)>,
    /// The number of positions worth 0, however endless cycles are decided. The distributions of bounds do
    /// not determine this number either.
    pub draws: u64,
}

/// The number of positions of a layer with each value, low bound or high bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// The SHA-256 of all values, a signed byte each, in the order of the index. It depends on
    /// the values alone, not on the file.
    pub sha256: Sha256,
    /// The values that occur, ascending, each with its number of positions.
    pub histogram: Vec<(i8, u64)>,
}

impl Distribution {
    /// The number of positions with wanted values.
    pub fn count(&self, wanted: impl Fn(i8) -> bool) -> u64 {
        let wanted = self.histogram.iter().filter(|(value, _)| wanted(*value));
        wanted.map(|(_, count)| count).sum()
    }

    /// The mean of all values.
    ///
    /// ```
    /// # use granero::{Cycles, Ruleset, index::Layer, solver, table::LayerStatistics};
    /// // Five positions with one seed win it, seven lose it.
    /// let layers = solver::solve_all((Ruleset::Abapa, Cycles::Split), 1, 1);
    /// let statistics = LayerStatistics::of(Layer::new(1).unwrap(), &layers[1]);
    /// assert_eq!(statistics.values.low().mean(), -2.0 / 12.0);
    /// ```
    pub fn mean(&self) -> f64 {
        // At most 2^39 positions of at most 48 seeds: the sum easily fits.
        let counts = self.histogram.iter();
        let (sum, positions) = counts.fold((0, 0), |(sum, positions), &(value, count)| {
            (sum + i64::from(value) * count as i64, positions + count)
        });
        sum as f64 / positions as f64
    }
}

impl LayerStatistics {
    /// Computes the statistics of a layer from its values or bounds.
    ///
    /// # Panics
    ///
    /// If there are not as many as the layer has positions.
    pub fn of(layer: Layer, values: &Measured<Vec<i8>>) -> LayerStatistics {
        let values = values.as_ref();
        let hashes = || values.map(|values| Sha256::of_values(&InOrder::new(layer, values)));
        let (counts, hashes) = rayon::join(|| ValueCounts::of(values.map(|of| &of[..])), hashes);
        counts.with_hashes(layer, hashes)
    }

    /// Tells if the counts fit these values. Does not compare the hashes.
    #[doc(hidden)]
    pub fn counts_match(&self, layer: Layer, values: &Measured<Vec<i8>>) -> bool {
        let values = values.as_ref().map(|values| &values[..]);
        values.low().len() as u64 == layer.len() && self.counts() == ValueCounts::of(values)
    }

    fn counts(&self) -> ValueCounts {
        ValueCounts {
            histograms: self.values.as_ref().map(|of| of.histogram.clone()),
            gaps: self.gaps.clone(),
            draws: self.draws,
        }
    }

    /// The number of positions that the mover wins, however endless cycles are decided.
    pub fn wins(&self) -> u64 {
        self.values.as_ref().low().count(|value| value > 0)
    }

    /// The number of positions that the mover loses, however endless cycles are decided.
    pub fn losses(&self) -> u64 {
        self.values.as_ref().high().count(|value| value < 0)
    }

    /// The number of positions whose value does not depend on how endless cycles are decided.
    pub fn exact(&self) -> u64 {
        let exact = self.gaps.iter().find(|&&(gap, _)| gap == 0);
        exact.map_or(0, |&(_, count)| count)
    }

    /// Tells if a layer can have these statistics, which may come from a file.
    pub(crate) fn is_plausible(&self, layer: Layer, limits: ValueLimits) -> bool {
        (self.seeds, self.positions) == (layer.seeds(), layer.len())
            && self.counts().is_plausible(layer, limits)
    }
}

/// Statistics of a layer, or of one process's part of it, without the hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCounts {
    histograms: Measured<Vec<(i8, u64)>>,
    gaps: Vec<(u8, u64)>,
    draws: u64,
}

impl ValueCounts {
    pub fn of(values: Measured<&[i8]>) -> ValueCounts {
        let (gaps, draws) = match values {
            Measured::Value(values) => return ValueCounts::of_histogram(histogram(values)),
            Measured::Bounds { low, high } => spread(low, high),
        };
        ValueCounts {
            histograms: values.map(histogram),
            gaps,
            draws,
        }
    }

    /// Counts of values, which are ascending.
    pub fn of_histogram(histogram: Vec<(i8, u64)>) -> ValueCounts {
        let all = histogram.iter().map(|&(_, count)| count).sum();
        ValueCounts {
            gaps: vec![(0, all)],
            draws: zeros(&histogram),
            histograms: Measured::Value(histogram),
        }
    }

    /// Adds the counts of other positions.
    pub fn plus(self, other: &ValueCounts) -> ValueCounts {
        let sum = |mut numbers: Vec<u64>| {
            let more = numbers.iter_mut().zip(other.numbers());
            more.for_each(|(number, more)| *number += more);
            Ok::<_, Infallible>(numbers)
        };
        let Ok(sum) = self.sum(sum);
        sum
    }

    /// All counts, in an order that depends on the measures alone.
    fn numbers(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        for (_, histogram) in self.histograms.iter() {
            let mut counts = [0; 256];
            for &(value, count) in histogram {
                counts[usize::from(value as u8)] = count;
            }
            numbers.extend(counts);
        }
        let mut gaps = [0; 256];
        for &(gap, count) in &self.gaps {
            gaps[usize::from(gap)] = count;
        }
        numbers.extend(gaps);
        numbers.push(self.draws);
        numbers
    }

    /// Adds up the counts of several processes, each of which has counted its own values. `sum` adds up
    /// numbers, place by place.
    pub fn sum<E>(
        self,
        sum: impl FnOnce(Vec<u64>) -> Result<Vec<u64>, E>,
    ) -> Result<ValueCounts, E> {
        let sums = sum(self.numbers())?;
        let mut rest = sums.chunks(256);
        let mut next = || rest.next().expect("as many sums as numbers");
        let histograms = self.histograms.map(|_| {
            let counts = next();
            let count = |value: i8| counts[usize::from(value as u8)];
            let occurring = (i8::MIN..=i8::MAX).map(|value| (value, count(value)));
            occurring.filter(|&(_, count)| count > 0).collect()
        });
        let gaps = (0..=u8::MAX).zip(next().iter().copied());
        let gaps = gaps.filter(|&(_, count)| count > 0).collect();
        let draws = next()[0];
        Ok(ValueCounts {
            histograms,
            gaps,
            draws,
        })
    }

    /// The statistics of a layer, given the hashes of its values.
    pub fn with_hashes(self, layer: Layer, hashes: Measured<Sha256>) -> LayerStatistics {
        let histograms = self.histograms.as_ref();
        let values = histograms.zip(hashes.as_ref());
        LayerStatistics {
            seeds: layer.seeds(),
            positions: layer.len(),
            values: values.map(|(histogram, &sha256)| Distribution {
                sha256,
                histogram: histogram.clone(),
            }),
            gaps: self.gaps,
            draws: self.draws,
        }
    }

    /// Tells if a layer can have these counts of all positions.
    pub fn is_plausible(&self, layer: Layer, limits: ValueLimits) -> bool {
        let mut histograms = self.histograms.iter();
        self.occur(layer, limits)
            && histograms.all(|(_, histogram)| counts_add_up(histogram, layer.len()))
            && counts_add_up(&self.gaps, layer.len())
            && self.draws <= layer.len()
    }

    /// Tells if all values occur in a layer.
    pub fn occur(&self, layer: Layer, limits: ValueLimits) -> bool {
        let limit = limits.of(layer.seeds()).unsigned_abs();
        // With bounds, every seed goes to one of the players.
        let step = match limits.cycles() {
            Cycles::Split => 1,
            Cycles::OwnSide => 2,
        };
        let histogram = |histogram: &[(i8, u64)]| {
            let possible = |&(value, _): &(i8, u64)| {
                let size = value.unsigned_abs();
                size <= limit && (limit - size).is_multiple_of(step)
            };
            histogram.is_sorted_by(|a, b| a.0 < b.0) && histogram.iter().all(possible)
        };
        let gap_is_possible = |&(gap, _): &(u8, u64)| gap <= 2 * limit && gap.is_multiple_of(step);
        self.histograms.cycles() == limits.cycles()
            && self.histograms.iter().all(|(_, counts)| histogram(counts))
            && self.gaps.is_sorted_by(|a, b| a.0 < b.0)
            && self.gaps.iter().all(gap_is_possible)
    }
}

/// Tells if counts, which may come from a file, add up to a sum.
fn counts_add_up<T>(counts: &[(T, u64)], sum: u64) -> bool {
    let mut counts = counts.iter().map(|&(_, count)| count);
    counts.try_fold(0u64, |sum, count| sum.checked_add(count)) == Some(sum)
}

/// The number of positions that have 0.
fn zeros(histogram: &[(i8, u64)]) -> u64 {
    let zeros = histogram.iter().find(|&&(value, _)| value == 0);
    zeros.map_or(0, |&(_, count)| count)
}

/// The values that occur, ascending, each with its number of positions.
fn histogram(values: &[i8]) -> Vec<(i8, u64)> {
    let counts = counts_of_bytes(values.as_bytes());
    (i8::MIN..=i8::MAX)
        .map(|value| (value, counts[usize::from(value as u8)]))
        .filter(|&(_, count)| count > 0)
        .collect()
}

/// The number of times that each byte occurs.
pub fn counts_of_bytes(bytes: &[u8]) -> [u64; 256] {
    let pieces = parallel::map(bytes.chunks(PIECE), |piece| {
        let mut counts = [0u64; 256];
        for &byte in piece {
            counts[usize::from(byte)] += 1;
        }
        counts
    });
    pieces.into_iter().fold([0; 256], add)
}

/// The number of values that are counted at a time.
const PIECE: usize = 1 << 20;

/// The gaps that occur between bounds, ascending, each with its number of positions, and the number of draws.
fn spread(low: &[i8], high: &[i8]) -> (Vec<(u8, u64)>, u64) {
    let pieces = low.chunks(PIECE).zip(high.chunks(PIECE));
    let counted = parallel::map(pieces, |(low, high)| {
        let mut counts = [0u64; 256];
        let mut draws = 0;
        for (&low, &high) in low.iter().zip(high) {
            counts[usize::from(high.wrapping_sub(low) as u8)] += 1;
            draws += u64::from((low, high) == (0, 0));
        }
        (counts, draws)
    });
    let together = |(sum, draws), (counts, more)| (add(sum, counts), draws + more);
    let (counts, draws) = counted.into_iter().fold(([0; 256], 0), together);
    let occurring = (0..=u8::MAX).zip(counts).filter(|&(_, count)| count > 0);
    (occurring.collect(), draws)
}

fn add(mut sum: [u64; 256], counts: [u64; 256]) -> [u64; 256] {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum += count;
    }
    sum
}

/// The JSON of statistics: of the value or the low bound, with a field for the high bound.
#[derive(Serialize, Deserialize)]
struct Document {
    seeds: u8,
    positions: u64,
    sha256: Sha256,
    histogram: Vec<(i8, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    high: Option<HighDocument>,
}

#[derive(Serialize, Deserialize)]
struct HighDocument {
    sha256: Sha256,
    histogram: Vec<(i8, u64)>,
    gaps: Vec<(u8, u64)>,
    draws: u64,
}

impl From<LayerStatistics> for Document {
    fn from(statistics: LayerStatistics) -> Document {
        let (first, high) = match statistics.values {
            Measured::Value(values) => (values, None),
            Measured::Bounds { low, high } => {
                let high = HighDocument {
                    sha256: high.sha256,
                    histogram: high.histogram,
                    gaps: statistics.gaps,
                    draws: statistics.draws,
                };
                (low, Some(high))
            }
        };
        Document {
            seeds: statistics.seeds,
            positions: statistics.positions,
            sha256: first.sha256,
            histogram: first.histogram,
            high,
        }
    }
}

impl From<Document> for LayerStatistics {
    fn from(document: Document) -> LayerStatistics {
        let of = |sha256, histogram| Distribution { sha256, histogram };
        let first = of(document.sha256, document.histogram);
        let (values, gaps, draws) = match document.high {
            None => {
                let draws = zeros(&first.histogram);
                let gaps = vec![(0, document.positions)];
                (Measured::Value(first), gaps, draws)
            }
            Some(found) => {
                let (low, high) = (first, of(found.sha256, found.histogram));
                (Measured::Bounds { low, high }, found.gaps, found.draws)
            }
        };
        LayerStatistics {
            seeds: document.seeds,
            positions: document.positions,
            values,
            gaps,
            draws,
        }
    }
}
