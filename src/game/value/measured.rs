//! A value or two bounds, depending on the convention for endless play.

use std::fmt;

use serde::Serialize;

use super::cycles::Cycles;
use crate::position::Position;
use crate::value::Value;

/// One `T` if positions have a value, two if they have bounds.
///
/// The convention for endless play decides which, see [`Cycles`]. `T` is anything that exists for each
/// number of a position: the value of a position (`Measured<Value>`) or of a whole layer
/// (`Measured<Vec<i8>>`), the files of a layer.
///
/// Code for bounds also works for values: a value is both the low and the high bound.
///
/// ```
/// use granero::{Measured, Value};
///
/// let value = |seeds| Value::new(seeds).unwrap();
/// let bounds = Measured::Bounds { low: value(2), high: value(6) };
/// assert_eq!(bounds.to_string(), "+2…+6");
/// assert_eq!(bounds.exact(), None);
/// assert_eq!(Measured::Value(value(-3)).exact(), Some(value(-3)));
/// ```
///
/// As JSON it is the `T` for the value, or an object with `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(untagged)]
pub enum Measured<T> {
    /// For the value of a position: [`Cycles::Split`].
    Value(T),
    /// For the bounds of a position: [`Cycles::OwnSide`].
    Bounds {
        /// For the least that the player to move gets.
        low: T,
        /// For the most that the player to move gets.
        high: T,
    },
}

/// The low or the high bound. A value is both.
///
/// ```
/// use granero::Bound;
///
/// // The low bound of a position follows from the high bounds of its children.
/// assert_eq!(Bound::Low.of_child(), Bound::High);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// The least that the player to move gets, however endless cycles are decided.
    Low,
    /// The most that the player to move gets, however endless cycles are decided.
    High,
}

impl Bound {
    /// The children's bound that determines this bound of a position. The position's bound is the best
    /// that a move gives: the capture minus this bound of the child.
    #[must_use]
    pub const fn of_child(self) -> Bound {
        match self {
            Bound::Low => Bound::High,
            Bound::High => Bound::Low,
        }
    }
}

/// The meaning of a position's number: its value, or one of its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// The value to the player to move.
    Value,
    /// The least that the player to move gets, however endless cycles are decided.
    Low,
    /// The most that the player to move gets, however endless cycles are decided.
    High,
}

impl Measure {
    /// The name used on the command line, in files and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Measure::Value => "value",
            Measure::Low => "low",
            Measure::High => "high",
        }
    }

    /// The convention for endless play with this measure.
    pub const fn cycles(self) -> Cycles {
        match self {
            Measure::Value => Cycles::Split,
            Measure::Low | Measure::High => Cycles::OwnSide,
        }
    }

    /// The bound that this is; [`Bound::Low`] for a value, which is both.
    pub const fn bound(self) -> Bound {
        match self {
            Measure::Value | Measure::Low => Bound::Low,
            Measure::High => Bound::High,
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Cycles {
    /// The measures that a position has under this convention.
    pub const fn measures(self) -> Measured<Measure> {
        match self {
            Cycles::Split => Measured::Value(Measure::Value),
            Cycles::OwnSide => Measured::Bounds {
                low: Measure::Low,
                high: Measure::High,
            },
        }
    }
}

impl<T> Measured<T> {
    /// The convention for endless play that this belongs to.
    pub const fn cycles(&self) -> Cycles {
        match self {
            Measured::Value(_) => Cycles::Split,
            Measured::Bounds { .. } => Cycles::OwnSide,
        }
    }

    /// The `T` for a bound; a value is both bounds.
    pub const fn get(&self, bound: Bound) -> &T {
        match (self, bound) {
            (Measured::Value(value), _) => value,
            (Measured::Bounds { low, .. }, Bound::Low) => low,
            (Measured::Bounds { high, .. }, Bound::High) => high,
        }
    }

    /// The `T` for the low bound, or for the value.
    pub fn low(self) -> T {
        match self {
            Measured::Value(value) => value,
            Measured::Bounds { low, .. } => low,
        }
    }

    /// The `T` for the high bound, or for the value.
    pub fn high(self) -> T {
        match self {
            Measured::Value(value) => value,
            Measured::Bounds { high, .. } => high,
        }
    }

    /// The `T` for the value; `None` for bounds.
    pub fn value(self) -> Option<T> {
        match self {
            Measured::Value(value) => Some(value),
            Measured::Bounds { .. } => None,
        }
    }

    /// Borrows each `T`.
    pub const fn as_ref(&self) -> Measured<&T> {
        match self {
            Measured::Value(value) => Measured::Value(value),
            Measured::Bounds { low, high } => Measured::Bounds { low, high },
        }
    }

    /// Borrows each `T` mutably.
    pub const fn as_mut(&mut self) -> Measured<&mut T> {
        match self {
            Measured::Value(value) => Measured::Value(value),
            Measured::Bounds { low, high } => Measured::Bounds { low, high },
        }
    }

    /// Applies `make` to each `T`, the low bound first.
    pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> Measured<U> {
        match self {
            Measured::Value(value) => Measured::Value(make(value)),
            Measured::Bounds { low, high } => Measured::Bounds {
                low: make(low),
                high: make(high),
            },
        }
    }

    /// Like [`map`](Measured::map), up to the first error.
    ///
    /// # Errors
    ///
    /// The first error of `make`.
    pub fn try_map<U, E>(self, mut make: impl FnMut(T) -> Result<U, E>) -> Result<Measured<U>, E> {
        Ok(match self {
            Measured::Value(value) => Measured::Value(make(value)?),
            Measured::Bounds { low, high } => Measured::Bounds {
                low: make(low)?,
                high: make(high)?,
            },
        })
    }

    /// The bounds of a child for its parent: exchanged, because the child's high bound determines the
    /// parent's low bound. A value stays.
    #[must_use]
    pub fn of_parent(self) -> Measured<T> {
        match self {
            Measured::Value(_) => self,
            Measured::Bounds { low, high } => Measured::Bounds {
                low: high,
                high: low,
            },
        }
    }

    /// Each `T` with its measure, the low bound first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Measure, &T)> {
        self.as_ref().into_iter()
    }
}

impl<T: Copy> Measured<T> {
    /// Joins two values, or bounds with bounds.
    ///
    /// # Panics
    ///
    /// If one has a value and the other has bounds.
    pub fn zip<U: Copy>(self, other: Measured<U>) -> Measured<(T, U)> {
        match (self, other) {
            (Measured::Value(one), Measured::Value(other)) => Measured::Value((one, other)),
            (
                Measured::Bounds { low, high },
                Measured::Bounds {
                    low: other_low,
                    high: other_high,
                },
            ) => Measured::Bounds {
                low: (low, other_low),
                high: (high, other_high),
            },
            (Measured::Value(_), Measured::Bounds { .. })
            | (Measured::Bounds { .. }, Measured::Value(_)) => {
                panic!("a value is joined with bounds")
            }
        }
    }
}

impl<T> IntoIterator for Measured<T> {
    type Item = (Measure, T);
    type IntoIter = std::iter::Flatten<std::array::IntoIter<Option<(Measure, T)>, 2>>;

    fn into_iter(self) -> Self::IntoIter {
        let found = match self {
            Measured::Value(value) => [Some((Measure::Value, value)), None],
            Measured::Bounds { low, high } => {
                [Some((Measure::Low, low)), Some((Measure::High, high))]
            }
        };
        found.into_iter().flatten()
    }
}

/// The value of a position to the player to move.
impl Measured<Value> {
    /// The value, if both bounds are equal: then it does not depend on how endless cycles are decided.
    pub fn exact(self) -> Option<Value> {
        (self.low() == self.high()).then_some(self.low())
    }

    /// A number for callers that need a single one: the mover's seeds on the board minus the opponent's,
    /// limited to the bounds. It guarantees nothing.
    ///
    /// ```
    /// use granero::{Measured, Position, Value};
    ///
    /// let position: Position = "0 0 0 0 1 2 1 1 0 0 0 0".parse()?;
    /// let nominal = |low, high| {
    ///     let bounds = Measured::Bounds { low, high }.map(|seeds| Value::new(seeds).unwrap());
    ///     bounds.nominal(&position).seeds()
    /// };
    /// assert_eq!(nominal(-5, 5), 1);
    /// assert_eq!(nominal(3, 5), 3);
    /// # Ok::<(), granero::notation::ParseError>(())
    /// ```
    pub fn nominal(self, position: &Position) -> Value {
        let now = Value::of_shares(position.own_seeds(), position.opponents_seeds());
        now.min(self.high()).max(self.low())
    }
}

/// Writes the value, or both bounds if they differ: `+3`, `+2…+6`.
impl fmt::Display for Measured<Value> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact() {
            Some(value) => value.fmt(f),
            None => f.pad(&format!("{}…{}", self.low(), self.high())),
        }
    }
}
