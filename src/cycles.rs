//! What endless play is worth: the two conventions, and what each says of a position.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What endless play is worth.
///
/// ```
/// use granero::Cycles;
///
/// assert_eq!("split".parse(), Ok(Cycles::Split));
/// assert_eq!("own-side".parse(), Ok(Cycles::OwnSide));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Cycles {
    /// Nothing: the seeds on the board are shared equally. Every position has one value.
    #[default]
    Split,
    /// Each player takes the seeds on the own side. As nobody says which position of the
    /// cycle is the one that counts, a position has two bounds: what the mover gets at
    /// least, and at most, however that is decided.
    OwnSide,
}

impl Cycles {
    /// All conventions, the default first.
    ///
    /// ```
    /// # use granero::Cycles;
    /// assert_eq!(Cycles::ALL[0], Cycles::default());
    /// ```
    pub const ALL: [Cycles; 2] = [Cycles::Split, Cycles::OwnSide];

    /// The name used on the command line, in files and in JSON.
    ///
    /// ```
    /// # use granero::Cycles;
    /// assert_eq!(Cycles::Split.name(), "split");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Cycles::Split => "split",
            Cycles::OwnSide => "own-side",
        }
    }

    /// The convention in one plain sentence.
    ///
    /// ```
    /// # use granero::Cycles;
    /// assert!(Cycles::Split.summary().ends_with('.'));
    /// ```
    pub const fn summary(self) -> &'static str {
        match self {
            Cycles::Split => {
                "Endless play is worth nothing to either: \
                 the seeds on the board are shared equally."
            }
            Cycles::OwnSide => {
                "Endless play gives each player the seeds on the own side; which position of the \
                 cycle counts is left open, so a position has bounds: what the player to move \
                 gets at least, and at most."
            }
        }
    }

    /// What is said of a position: its value, or its bounds.
    ///
    /// ```
    /// use granero::{Cycles, Measure};
    ///
    /// assert_eq!(Cycles::OwnSide.measures(), [Measure::Low, Measure::High]);
    /// ```
    pub const fn measures(self) -> &'static [Measure] {
        match self {
            Cycles::Split => &[Measure::Value],
            Cycles::OwnSide => &[Measure::Low, Measure::High],
        }
    }
}

impl Cycles {
    /// Which of [`measures`](Cycles::measures) one is, if it is one of them.
    pub(crate) fn place(self, measure: Measure) -> Option<usize> {
        self.measures().iter().position(|&found| found == measure)
    }
}

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Cycles {
    type Err = UnknownCycles;

    fn from_str(name: &str) -> Result<Cycles, UnknownCycles> {
        Cycles::ALL
            .into_iter()
            .find(|cycles| cycles.name() == name)
            .ok_or_else(|| UnknownCycles { name: name.into() })
    }
}

/// A name that no convention for endless play has.
///
/// ```
/// use granero::table::Cycles;
///
/// assert!("halves".parse::<Cycles>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no convention `{}` for endless play; there are {}",
    // It may come from a file, and shall not reach a terminal as it is.
    name.escape_debug(),
    Cycles::ALL.map(Cycles::name).join(", ")
)]
pub struct UnknownCycles {
    /// The name that was asked for.
    pub name: String,
}

/// What a number says of a position.
///
/// ```
/// use granero::Measure;
///
/// // What one player gets at least, the other leaves at most.
/// assert_eq!(Measure::Low.of_child(), Measure::High);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// What it is worth to the player to move.
    Value,
    /// What the player to move gets at least, however an endless cycle is decided.
    Low,
    /// What the player to move gets at most, however an endless cycle is decided.
    High,
}

impl Measure {
    /// The name used on the command line, in files and in JSON.
    ///
    /// ```
    /// assert_eq!(granero::Measure::High.name(), "high");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Measure::Value => "value",
            Measure::Low => "low",
            Measure::High => "high",
        }
    }

    /// The measure of a child that this one follows from: it is the best that a move gives,
    /// which is what it captures minus this of the child.
    ///
    /// ```
    /// # use granero::Measure;
    /// assert_eq!(Measure::Value.of_child(), Measure::Value);
    /// ```
    #[must_use]
    pub const fn of_child(self) -> Measure {
        match self {
            Measure::Value => Measure::Value,
            Measure::Low => Measure::High,
            Measure::High => Measure::Low,
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
