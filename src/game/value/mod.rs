//! The value of a position; values and bounds, in full or cut off.
//!
//! * `clamped`: a value that deciding tables may have cut off;
//! * `cycles`: the two conventions for endless play;
//! * `extent`: tables in full or deciding;
//! * `kind`: rules, convention and extent together, and the limits of values;
//! * `measured`: a value or two bounds.

pub mod clamped;
pub mod cycles;
pub mod extent;
pub mod kind;
pub mod measured;

use std::fmt;
use std::ops::Neg;

use crate::position::MAX_SEEDS;

/// The value of a position to the mover: the seeds on the board that the mover ends up with, minus
/// the seeds that the opponent ends up with, `-48..=48`.
///
/// As text, a value has a sign.
///
/// ```
/// use granero::Value;
///
/// let value = Value::new(5).unwrap();
/// assert_eq!(value.to_string(), "+5");
/// assert_eq!((-value).to_string(), "-5");
/// assert_eq!(Value::ZERO.to_string(), "0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(
    // Invariant: at most `MAX_SEEDS` either way.
    i8,
);

impl Value {
    /// Both players end up with the same number of seeds.
    pub const ZERO: Value = Value(0);

    /// A gain of `seeds` seeds, or a loss if negative; `None` beyond the 48 seeds of the game.
    ///
    /// ```
    /// # use granero::Value;
    /// assert!(Value::new(-2) < Value::new(1));
    /// assert_eq!(Value::new(49), None);
    /// ```
    pub const fn new(seeds: i8) -> Option<Value> {
        if seeds.unsigned_abs() <= MAX_SEEDS {
            Some(Value(seeds))
        } else {
            None
        }
    }

    /// The value if the two players share the seeds of a board like this.
    pub fn of_shares(mover: u8, opponent: u8) -> Value {
        debug_assert!(mover + opponent <= MAX_SEEDS);
        Value(mover as i8 - opponent as i8)
    }

    /// The difference, limited to the seeds of the game.
    pub fn minus(self, other: Value) -> Value {
        let most = MAX_SEEDS as i8;
        Value((self.0 - other.0).clamp(-most, most))
    }

    /// The value, cut off at `limit` and at `-limit`.
    pub fn cut(self, limit: i8) -> Value {
        Value(self.0.clamp(-limit, limit))
    }

    /// The number of seeds.
    pub const fn seeds(self) -> i8 {
        self.0
    }
}

/// The value seen from the other side.
impl Neg for Value {
    type Output = Value;

    fn neg(self) -> Value {
        Value(-self.0)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&signed(self.0))
    }
}

/// A number with its sign, even one that no position can be worth.
///
/// ```
/// assert_eq!([3, 0, -3].map(granero::signed), ["+3", "0", "-3"]);
/// ```
pub fn signed(seeds: i8) -> String {
    match seeds {
        0 => "0".into(),
        _ => format!("{seeds:+}"),
    }
}
