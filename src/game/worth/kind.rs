//! What tables are about: the rules, the convention for endless play, and how far values go.

use super::cycles::Cycles;
use super::extent::{Extent, ValueLimits};
use crate::rules::Ruleset;

/// Which values tables hold. Rules and a convention alone mean values in full.
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
    /// How far values go.
    pub extent: Extent,
}

impl Kind {
    /// The largest value of each layer.
    #[doc(hidden)]
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
