//! The kind of tables: the rules, the convention for endless play, and the extent.

use super::cycles::Cycles;
use super::extent::Extent;
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
    /// The [limit](Extent::limit) in the layer of `seeds` seeds.
    pub const fn limit(self, seeds: u8) -> i8 {
        self.extent.limit(self.cycles, seeds) as i8
    }

    /// A value of the layer of `seeds` seeds, cut off at the limit.
    pub fn cut(self, seeds: u8, value: i8) -> i8 {
        value.clamp(-self.limit(seeds), self.limit(seeds))
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
