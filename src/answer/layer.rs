//! Statistics of a layer, and its extreme positions.

use std::cmp::Reverse;

use granero::captures::{LayerCaptures, LongestCapture};
use granero::index::Layer;
use granero::table::LayerStatistics;
use granero::{House, Measured, Position, Ruleset, signed};

pub struct LayerAnswer<'a> {
    pub rules: Ruleset,
    pub statistics: &'a LayerStatistics,
    /// The limit where values are cut off, if they are.
    pub limit: Option<u8>,
    pub captures: LayerCaptures,
    /// Set if the layer was read.
    pub extremes: Option<Extremes>,
}

/// The first positions of a layer with the lowest and the highest value, and with the bounds
/// furthest apart.
pub struct Extremes {
    pub lowest: Example,
    pub highest: Example,
    /// `None` where positions have values.
    pub widest: Option<Example>,
}

/// A position with its value or bound, or with both bounds.
pub struct Example {
    pub value: Measured<i8>,
    pub position: Position,
}

impl LayerAnswer<'_> {
    /// A value in words: `+9 or more` if it may be cut off.
    pub fn value(&self, value: i8) -> String {
        let text = signed(value);
        match self.limit {
            Some(limit) if value.unsigned_abs() == limit && value > 0 => text + " or more",
            Some(limit) if value.unsigned_abs() == limit => text + " or less",
            _ => text,
        }
    }

    /// The longest capture, with the first house that makes it.
    pub fn longest_capture(&self) -> Option<(LongestCapture, House)> {
        let longest = self.captures.longest?;
        let moves = self.rules.moves(&longest.position);
        let play = moves
            .iter()
            .find(|play| play.captured == longest.captured)?;
        Some((longest, play.house))
    }

    /// The number of positions whose winner depends on how an endless cycle is decided; `None` if
    /// positions have values.
    pub fn undecided(&self) -> Option<u64> {
        let statistics = self.statistics;
        let decided = statistics.wins() + statistics.draws + statistics.losses();
        self.of_bounds(statistics.positions.saturating_sub(decided))
    }

    /// The number of positions whose bounds are equal; `None` if positions have values.
    pub fn exact(&self) -> Option<u64> {
        self.of_bounds(self.statistics.exact())
    }

    /// Returns `statistic`, which exists only for bounds, if positions have bounds.
    pub(crate) fn of_bounds<T>(&self, statistic: T) -> Option<T> {
        match self.statistics.values {
            Measured::Value(_) => None,
            Measured::Bounds { .. } => Some(statistic),
        }
    }
}

impl Extremes {
    /// Finds them in the values or bounds of a layer.
    pub fn of(layer: Layer, values: &Measured<Vec<i8>>) -> Extremes {
        let position = |index: usize| {
            let position = layer.position(index as u64);
            position.expect("as many positions as values")
        };
        let (low, high) = (values.as_ref().low(), values.as_ref().high());
        let first_with_most = |key: &dyn Fn(usize) -> i16| {
            let index = (0..low.len()).max_by_key(|&number| (key(number), Reverse(number)));
            index.expect("a position")
        };
        // Only certain extremes: the lowest value by the high bounds, the highest by the low ones.
        let example = |values: Measured<&Vec<i8>>, index: usize| Example {
            value: values.map(|values| values[index]),
            position: position(index),
        };
        let lowest = first_with_most(&|index| -i16::from(high[index]));
        let highest = first_with_most(&|index| i16::from(low[index]));
        Extremes {
            lowest: example(Measured::Value(high), lowest),
            highest: example(Measured::Value(low), highest),
            widest: matches!(values, Measured::Bounds { .. }).then(|| {
                let width = |index: usize| i16::from(high[index]) - i16::from(low[index]);
                example(values.as_ref(), first_with_most(&width))
            }),
        }
    }
}
