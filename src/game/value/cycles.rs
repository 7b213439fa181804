//! The two conventions for the value of endless play.

/// A convention for the value of endless play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cycles {
    /// Nothing: the seeds on the board are shared equally. Every position has one value.
    #[default]
    Split,
    /// Each player takes the seeds on their own side. The rules leave open which position of the cycle
    /// counts, so a position has two bounds: the least and the most that the mover gets, whichever
    /// position counts.
    OwnSide,
}

impl Cycles {
    /// All conventions, the default first.
    pub const ALL: [Cycles; 2] = [Cycles::Split, Cycles::OwnSide];

    /// The name used on the command line, in files and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Cycles::Split => "split",
            Cycles::OwnSide => "own-side",
        }
    }

    /// The convention in one plain sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            Cycles::Split => {
                "Endless play is worth nothing to either: \
                 the seeds on the board are shared equally."
            }
            Cycles::OwnSide => {
                "Endless play gives each player the seeds on their own side; which position of \
                 the cycle counts is left open, so a position has bounds: what the player to \
                 move gets at least, and at most."
            }
        }
    }
}

crate::named::written_as_its_name!(
    Cycles,
    UnknownCycles,
    "there is no convention `{}` for endless play; there are {}"
);
