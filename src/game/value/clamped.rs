//! Values that tables may have cut off.

use std::fmt;

use super::kind::Kind;
use super::measured::Measured;
use crate::value::Value;

/// A value or a bound as tables hold it: deciding tables cut it off at their
/// [limit](super::extent::Extent::limit).
///
/// ```
/// use granero::{Clamped, Value};
///
/// let value = |seeds| Value::new(seeds).unwrap();
/// assert_eq!(Clamped::Exactly(value(-3)).to_string(), "-3");
/// assert_eq!(Clamped::AtLeast(value(9)).to_string(), "+9 or more");
/// assert_eq!(Clamped::AtLeast(value(9)).exact(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clamped {
    /// Exactly this value.
    Exactly(Value),
    /// This value or more: the limit of the layer.
    AtLeast(Value),
    /// This value or less: the negated limit of the layer.
    AtMost(Value),
}

impl Clamped {
    /// Interprets a number from tables, whose values are cut off at the limit of their layer.
    #[inline]
    pub fn new(kind: Kind, seeds: u8, cut: Value) -> Clamped {
        let limit = kind.limit(seeds);
        if limit < seeds as i8 && cut.seeds() >= limit {
            Clamped::AtLeast(cut)
        } else if limit < seeds as i8 && cut.seeds() <= -limit {
            Clamped::AtMost(cut)
        } else {
            Clamped::Exactly(cut)
        }
    }

    /// The value, if it is not cut off.
    pub const fn exact(self) -> Option<Value> {
        match self {
            Clamped::Exactly(value) => Some(value),
            Clamped::AtLeast(_) | Clamped::AtMost(_) => None,
        }
    }

    /// The number that tables hold: the value, or the limit at which it was cut off. Tables cannot tell
    /// which of two positions or moves with equal numbers is worth more.
    pub const fn number(self) -> Value {
        match self {
            Clamped::Exactly(number) | Clamped::AtLeast(number) | Clamped::AtMost(number) => number,
        }
    }

    /// The least and the greatest possible value with `seeds` seeds on the board.
    ///
    /// ```
    /// use granero::{Clamped, Value};
    ///
    /// let lost = Clamped::AtMost(Value::new(-9).unwrap());
    /// assert_eq!(lost.range(40).map(Value::seeds), [-40, -9]);
    /// ```
    pub fn range(self, seeds: u8) -> [Value; 2] {
        let all = Value::of_shares(seeds, 0);
        match self {
            Clamped::Exactly(value) => [value, value],
            Clamped::AtLeast(least) => [least, all],
            Clamped::AtMost(most) => [-all, most],
        }
    }
}

/// The value of a position or a move in tables.
impl Measured<Clamped> {
    /// The value or the bounds, if nothing is cut off.
    #[inline]
    pub fn exactly(self) -> Option<Measured<Value>> {
        self.try_map(|clamped| clamped.exact().ok_or(())).ok()
    }

    /// The numbers that tables hold, see [`Clamped::number`].
    #[inline]
    pub fn numbers(self) -> Measured<Value> {
        self.map(Clamped::number)
    }

    /// The least and the most that the player to move can get, with `seeds` seeds on the board.
    pub fn range(self, seeds: u8) -> [Value; 2] {
        let [least, _] = self.low().range(seeds);
        let [_, most] = self.high().range(seeds);
        [least, most]
    }
}

/// Writes both bounds if they differ: `+3`, `+9 or more`, `+2…≥+10`, `≤-8…-4`.
impl fmt::Display for Measured<Clamped> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (self.low(), self.high());
        if low == high {
            return low.fmt(f);
        }
        let end = |end: Clamped| match end {
            Clamped::Exactly(value) => value.to_string(),
            Clamped::AtLeast(value) => format!("≥{value}"),
            Clamped::AtMost(value) => format!("≤{value}"),
        };
        f.pad(&format!("{}…{}", end(low), end(high)))
    }
}

/// Writes the value with its sign: `+3`, `+9 or more`, `-9 or less`.
impl fmt::Display for Clamped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clamped::Exactly(value) => value.fmt(f),
            Clamped::AtLeast(value) => f.pad(&format!("{value} or more")),
            Clamped::AtMost(value) => f.pad(&format!("{value} or less")),
        }
    }
}
