//! The bounds of a position.

use std::fmt;
use std::ops::Neg;

use crate::position::Position;
use crate::value::Value;

/// What a position is worth to the mover: at least `low` and at most `high`.
///
/// Where endless play is shared equally, both are the value. Where it gives each player the
/// seeds on the own side, they may differ, because nobody says which position of an endless
/// cycle is the one that counts: the mover has a way to get `low` however that is decided, and
/// the opponent a way to leave no more than `high`.
///
/// Bounds are ordered by what is guaranteed, and then by what can be hoped for.
///
/// ```
/// use granero::{Bounds, Value};
///
/// let value = |seeds| Value::new(seeds).unwrap();
/// let bounds = Bounds::new(value(2), value(6)).unwrap();
/// assert_eq!(bounds.to_string(), "+2…+6");
/// assert_eq!(bounds.exact(), None);
/// assert_eq!(Bounds::from(value(-3)).to_string(), "-3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounds {
    // Invariant: `low <= high`.
    low: Value,
    high: Value,
}

impl Bounds {
    /// Bounds, if the low one is not above the high one.
    ///
    /// ```
    /// # use granero::{Bounds, Value};
    /// assert_eq!(Bounds::new(Value::new(1).unwrap(), Value::ZERO), None);
    /// ```
    pub fn new(low: Value, high: Value) -> Option<Bounds> {
        (low <= high).then_some(Bounds { low, high })
    }

    /// What the mover gets at least.
    ///
    /// ```
    /// # use granero::{Bounds, Value};
    /// assert_eq!(Bounds::from(Value::ZERO).low(), Value::ZERO);
    /// ```
    pub const fn low(self) -> Value {
        self.low
    }

    /// What the mover gets at most.
    ///
    /// ```
    /// # use granero::{Bounds, Value};
    /// assert_eq!(Bounds::from(Value::ZERO).high(), Value::ZERO);
    /// ```
    pub const fn high(self) -> Value {
        self.high
    }

    /// The value, if both bounds are the same.
    ///
    /// ```
    /// # use granero::{Bounds, Value};
    /// assert_eq!(Bounds::from(Value::ZERO).exact(), Some(Value::ZERO));
    /// ```
    pub fn exact(self) -> Option<Value> {
        (self.low == self.high).then_some(self.low)
    }

    /// One number for whoever needs one: what each player has on the own side now, within
    /// the bounds. It is no guarantee.
    ///
    /// ```
    /// use granero::{Bounds, Position, Value};
    ///
    /// let value = |seeds| Value::new(seeds).unwrap();
    /// let position: Position = "0 0 0 0 1 2 1 1 0 0 0 0".parse()?;
    /// let nominal = |low, high| Bounds::new(value(low), value(high)).unwrap().nominal(&position);
    /// assert_eq!(nominal(-5, 5), value(1));
    /// assert_eq!(nominal(3, 5), value(3));
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn nominal(self, position: &Position) -> Value {
        Value::of_shares(position.own_seeds(), position.opponents_seeds())
            .clamp(self.low, self.high)
    }
}

impl From<Value> for Bounds {
    fn from(value: Value) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }
}

/// The same seen from the other side.
impl Neg for Bounds {
    type Output = Bounds;

    fn neg(self) -> Bounds {
        Bounds {
            low: -self.high,
            high: -self.low,
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact() {
            Some(value) => value.fmt(f),
            None => f.pad(&format!("{}…{}", self.low, self.high)),
        }
    }
}
