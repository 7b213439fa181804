//! Faults: values or bounds that are wrong, or not proven.

use std::fmt;

use granero_game::{Measure, Position, signed};

/// The most faults that are reported: one shows that something is wrong, a few more may show what.
pub const MAX_FAULTS: usize = 10;

/// A value or bound that is wrong, or not proven.
///
/// ```
/// use granero::verify::{Fault, FaultKind};
/// use granero::{Measure, Position};
///
/// let kind = FaultKind::Inconsistent { best: 2 };
/// let fault = Fault { position: Position::EMPTY, measure: Measure::Low, value: 0, kind };
/// assert!(fault.to_string().ends_with("is worth at least 0 by the tables, but +2 by its moves"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The position.
    pub position: Position,
    /// The measure that is wrong: the value, or one of the bounds.
    pub measure: Measure,
    /// That value or bound, as the table has it.
    pub value: i8,
    /// The kind of the fault.
    pub kind: FaultKind,
}

/// The ways in which a value or bound can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// It is more than the seeds on the board, or beyond the limit of deciding values; or it is a
    /// bound that is odd while the seeds are even, or even while they are odd, although every seed
    /// goes to one of the players.
    Impossible,
    /// It is not what the moves, or the end of the game, give.
    Inconsistent {
        /// The value that they give, by the values of the children.
        best: i8,
    },
    /// The moves give it, but no player can realise it: they only lead to each other. Of a bound:
    /// one of the players cannot guarantee it in endless play.
    Ungrounded,
}

impl FaultKind {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Impossible => "impossible",
            FaultKind::Inconsistent { .. } => "inconsistent",
            FaultKind::Ungrounded => "ungrounded",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            position,
            measure,
            value,
            kind,
        } = *self;
        let bound = match measure {
            Measure::Value => "",
            Measure::Low => "at least ",
            Measure::High => "at most ",
        };
        let shown = signed(value);
        write!(f, "{position} is worth {bound}{shown} by the tables, ")?;
        match kind {
            FaultKind::Impossible if value.unsigned_abs() > position.seeds() => {
                write!(f, "which is more than its seeds")
            }
            FaultKind::Impossible if measure == Measure::Value => {
                write!(f, "which is beyond the limit of deciding values")
            }
            FaultKind::Impossible => write!(f, "but its seeds cannot be shared like that"),
            FaultKind::Inconsistent { best } => write!(f, "but {} by its moves", signed(best)),
            FaultKind::Ungrounded => write!(f, "but no line of play realises it"),
        }
    }
}
