//! Statistics of a solved layer.

use serde::{Deserialize, Serialize};
use zerocopy::IntoBytes;

use super::sha256::Sha256;
use crate::index::Layer;
use crate::parallel;
use crate::rows::InOrder;
use granero_game::{Cycles, Kind, Measured};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        let by_byte = |of: &mut dyn Iterator<Item = (u8, u64)>| {
            let mut counts = [0; 256];
            of.for_each(|(byte, count)| counts[usize::from(byte)] = count);
            counts
        };
        ValueCounts {
            values: self.values.as_ref().map(|of| {
                let histogram = of.histogram.iter();
                by_byte(&mut histogram.map(|&(value, count)| (value as u8, count)))
            }),
            gaps: by_byte(&mut self.gaps.iter().copied()),
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
    pub(crate) fn is_plausible(&self, layer: Layer, kind: Kind) -> bool {
        let counts = self.counts();
        let hashes = self.values.as_ref().map(|of| of.sha256);
        // So each value is there once, ascending.
        *self == counts.with_hashes(layer, hashes) && counts.is_plausible(layer, kind)
    }
}

/// Statistics of a layer, or of a part of it, without the hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCounts {
    /// By value, as a byte: the number of positions.
    values: Measured<Counts>,
    /// By gap between the bounds.
    gaps: Counts,
    draws: u64,
}

type Counts = [u64; 256];

/// The number of values that are counted at a time.
const PIECE: usize = 1 << 20;

impl ValueCounts {
    pub fn of(values: Measured<&[i8]>) -> ValueCounts {
        let length = values.low().len();
        let pieces = (0..length.max(1)).step_by(PIECE);
        let of_piece = |start| {
            let end = length.min(start + PIECE);
            ValueCounts::of_piece(values.map(|values| &values[start..end]))
        };
        let sum = parallel::reduce(pieces, of_piece, |sum, more| sum.plus(&more));
        sum.expect("at least one piece")
    }

    fn of_piece(values: Measured<&[i8]>) -> ValueCounts {
        let counts = values.map(|values| {
            let mut counts = [0; 256];
            for &byte in values.as_bytes() {
                counts[usize::from(byte)] += 1;
            }
            counts
        });
        let (mut gaps, mut draws) = ([0; 256], 0);
        match values {
            // Values have no gaps.
            Measured::Value(values) => {
                gaps[0] = values.len() as u64;
                draws = counts.low()[0];
            }
            Measured::Bounds { low, high } => {
                for (&low, &high) in low.iter().zip(high) {
                    gaps[usize::from(high.wrapping_sub(low) as u8)] += 1;
                    draws += u64::from((low, high) == (0, 0));
                }
            }
        }
        ValueCounts {
            values: counts,
            gaps,
            draws,
        }
    }

    /// Adds the counts of other positions.
    pub fn plus(mut self, other: &ValueCounts) -> ValueCounts {
        let counts = self.values.as_mut().into_iter().zip(other.values.iter());
        counts.for_each(|((_, to), (_, more))| *to = add(*to, *more));
        self.gaps = add(self.gaps, other.gaps);
        self.draws += other.draws;
        self
    }

    /// The statistics of a layer, given the hashes of its values.
    pub fn with_hashes(&self, layer: Layer, hashes: Measured<Sha256>) -> LayerStatistics {
        let values = self.values.zip(hashes).map(|(counts, sha256)| {
            let values = (i8::MIN..=i8::MAX).map(|value| (value, counts[usize::from(value as u8)]));
            let histogram = values.filter(|&(_, count)| count > 0).collect();
            Distribution { sha256, histogram }
        });
        let gaps = (0..=u8::MAX).zip(self.gaps);
        LayerStatistics {
            seeds: layer.seeds(),
            positions: layer.len(),
            values,
            gaps: gaps.filter(|&(_, count)| count > 0).collect(),
            draws: self.draws,
        }
    }

    /// Tells if a layer can have these counts.
    pub fn is_plausible(&self, layer: Layer, kind: Kind) -> bool {
        // They may come from a file.
        let adds_up = |counts: &Counts| {
            let sum = counts
                .iter()
                .try_fold(0u64, |sum, &count| sum.checked_add(count));
            sum == Some(layer.len())
        };
        let limit = kind.limit(layer.seeds()).unsigned_abs();
        // With bounds, every seed goes to one of the players.
        let step = match kind.cycles {
            Cycles::Split => 1,
            Cycles::OwnSide => 2,
        };
        let is_possible = |value: u8| {
            let size = (value as i8).unsigned_abs();
            size <= limit && (limit - size).is_multiple_of(step)
        };
        let is_gap = |gap: u8| gap <= 2 * limit && gap.is_multiple_of(step);
        let all = |counts: &Counts, is_right: &dyn Fn(u8) -> bool| {
            let mut each = (0..=u8::MAX).zip(counts);
            each.all(|(byte, &count)| count == 0 || is_right(byte))
        };
        self.values.cycles() == kind.cycles
            && self
                .values
                .iter()
                .all(|(_, counts)| all(counts, &is_possible))
            && all(&self.gaps, &is_gap)
            && self.values.iter().all(|(_, counts)| adds_up(counts))
            && adds_up(&self.gaps)
            && self.draws <= layer.len()
    }
}

fn add(mut sum: Counts, counts: Counts) -> Counts {
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
    #[serde(flatten)]
    first: Distribution,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    high: Option<HighDocument>,
}

#[derive(Serialize, Deserialize)]
struct HighDocument {
    #[serde(flatten)]
    values: Distribution,
    gaps: Vec<(u8, u64)>,
    draws: u64,
}

impl From<LayerStatistics> for Document {
    fn from(statistics: LayerStatistics) -> Document {
        let (first, high) = match statistics.values {
            Measured::Value(values) => (values, None),
            Measured::Bounds { low, high } => {
                let high = HighDocument {
                    values: high,
                    gaps: statistics.gaps,
                    draws: statistics.draws,
                };
                (low, Some(high))
            }
        };
        Document {
            seeds: statistics.seeds,
            positions: statistics.positions,
            first,
            high,
        }
    }
}

impl From<Document> for LayerStatistics {
    fn from(document: Document) -> LayerStatistics {
        let (low, positions) = (document.first, document.positions);
        let (values, gaps, draws) = match document.high {
            None => {
                let draws = low.count(|value| value == 0);
                (Measured::Value(low), vec![(0, positions)], draws)
            }
            Some(found) => {
                let high = found.values;
                (Measured::Bounds { low, high }, found.gaps, found.draws)
            }
        };
        LayerStatistics {
            seeds: document.seeds,
            positions,
            values,
            gaps,
            draws,
        }
    }
}
