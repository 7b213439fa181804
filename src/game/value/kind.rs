//! The kind of tables: the rules, the convention for endless play, and the extent.

use super::cycles::Cycles;
use super::extent::{Extent, ValueLimits};
use crate::rules::Ruleset;

/// The kind of tables. Rules and a convention alone mean full tables.
///
/// ```
/// use granero::{Cycles, Extent, Kind, Ruleset};
///
/// let kind = Kind::from((Ruleset::Awari, Cycles::Split));
/// assert_eq!(kind.extent, Extent::FULL);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// The rules.
    pub rules: Ruleset,
    /// The convention for endless play.
    pub cycles: Cycles,
    /// The extent: full or deciding.
    pub extent: Extent,
}

impl Kind {
    /// The largest value of each layer.
    pub const fn limits(self) -> ValueLimits {
        self.extent.limits(self.cycles)
    }
}

impl From<(Ruleset, Cycles)> for Kind {
    fn from((rules, cycles): (Ruleset, Cycles)) -> Kind {
        Kind::from((rules, cycles, Extent::FULL))
    }
}

impl From<(Ruleset, Cycles, Extent)> for Kind {
    fn from((rules, cycles, extent): (Ruleset, Cycles, Extent)) -> Kind {
        Kind {
            rules,
            cycles,
            extent,
        }
    }
}
