//! The numbers that stand for the values of a position: only what its moves cannot tell.
//!
//! A value above 0 is not stored, because it is the best of the position's moves: `docs/internals/format.md` says why
//! that ends. So all these positions share a number, the highest. Of two bounds, the low one is treated
//! like a value. The high one is not stored either, except where it is below 0; then a second number tells it.

use crate::index::Layer;
use granero_game::{Bound, Cycles, Extent, Measured};

/// Stands for a measure that is not stored. It is the best of the position's moves, and a child that has it
/// never gives the best.
pub const OPEN: i8 = i8::MAX;

/// The least that an open measure of a stored position can be.
pub(crate) fn least_open(cycles: Cycles, bound: Bound) -> i8 {
    i8::from((cycles, bound) != (Cycles::OwnSide, Bound::High))
}

/// The numbers of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub(crate) first: u8,
    pub(crate) second: Option<u8>,
}

/// The numbers of the positions of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The largest value. With bounds, it has their parity.
    limit: i8,
    cycles: Cycles,
}

impl Scale {
    /// The scale of a layer.
    pub fn of(layer: Layer, cycles: Cycles, extent: Extent) -> Scale {
        let limit = extent.limit(cycles, layer.seeds()) as i8;
        Scale { limit, cycles }
    }

    /// The number of first numbers. Second numbers are lower than this, too.
    pub fn kinds(self) -> u8 {
        self.open() + 1
    }

    /// The first number of a position whose value or low bound is above 0.
    #[inline(always)]
    fn open(self) -> u8 {
        match self.cycles {
            Cycles::Split => self.limit as u8 + 1,
            Cycles::OwnSide => self.limit as u8 + 2,
        }
    }

    /// The numbers of a position.
    #[inline(always)]
    pub fn numbers(self, value: Measured<i8>) -> Numbers {
        let low = value.low();
        let first = (low + self.limit) as u8;
        let (first, second) = match value {
            _ if low > 0 => (self.open(), None),
            Measured::Bounds { high, .. } if high < 0 => (first, Some((-high - 1) as u8 / 2)),
            Measured::Bounds { .. } => (first + 1, None),
            Measured::Value(_) => (first, None),
        };
        Numbers { first, second }
    }

    /// Tells if positions have second numbers.
    pub(super) fn has_seconds(self) -> bool {
        self.cycles == Cycles::OwnSide
    }

    /// Tells if a second number follows the first one.
    #[inline(always)]
    pub(super) fn has_second(self, first: u8) -> bool {
        self.cycles == Cycles::OwnSide && first.is_multiple_of(2) && first != self.open()
    }

    /// By first number: the value or the low bound, or [`OPEN`].
    pub(super) fn lows(self) -> [i8; 64] {
        std::array::from_fn(|first| match (first as u8, self.cycles) {
            (first, _) if first >= self.open() => OPEN,
            (first, Cycles::Split) => first as i8 - self.limit,
            (first, Cycles::OwnSide) => (first & !1) as i8 - self.limit,
        })
    }

    /// The high bound with a second number.
    #[inline(always)]
    pub(super) fn high(self, second: u8) -> i8 {
        self.limit % 2 - 2 - 2 * second as i8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader knows: values above 0 and high bounds of 0 or more are open.
    fn stored(value: Measured<i8>) -> Measured<i8> {
        match value {
            Measured::Value(value) => Measured::Value(if value > 0 { OPEN } else { value }),
            Measured::Bounds { low, high } => Measured::Bounds {
                low: if low > 0 { OPEN } else { low },
                high: if high >= 0 { OPEN } else { high },
            },
        }
    }

    #[test]
    fn numbers_tell_what_is_stored() {
        for limit in 0..=48i8 {
            let values = (-limit..=limit).map(Measured::Value);
            let steps = (-limit..=limit).step_by(2);
            let bounds = steps.clone().flat_map(|low| {
                let highs = steps.clone().filter(move |&high| high >= low);
                highs.map(move |high| Measured::Bounds { low, high })
            });
            for value in values.chain(bounds) {
                let layer = Layer::new(limit as u8).unwrap();
                let scale = Scale::of(layer, value.cycles(), Extent::FULL);
                let Numbers { first, second } = scale.numbers(value);
                assert!(
                    first < scale.kinds() && second.is_none_or(|second| second < scale.kinds())
                );
                assert_eq!(second.is_some(), scale.has_second(first));
                let low = scale.lows()[usize::from(first)];
                let found = match value {
                    Measured::Value(_) => Measured::Value(low),
                    Measured::Bounds { .. } => Measured::Bounds {
                        low,
                        high: second.map_or(OPEN, |second| scale.high(second)),
                    },
                };
                assert_eq!(found, stored(value), "{limit}, {value:?}");
            }
        }
    }
}
