//! The manifest of a directory of tables.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::statistics::LayerStatistics;
use crate::rules::Ruleset;

/// What endless play is worth.
///
/// ```
/// use granero::table::Cycles;
///
/// assert_eq!("split".parse(), Ok(Cycles::Split));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cycles {
    /// Nothing: the seeds on the board are shared equally.
    #[default]
    Split,
}

impl Cycles {
    /// All conventions, the default first.
    ///
    /// ```
    /// # use granero::table::Cycles;
    /// assert_eq!(Cycles::ALL[0], Cycles::default());
    /// ```
    pub const ALL: [Cycles; 1] = [Cycles::Split];

    /// The name used on the command line, in files and in JSON.
    ///
    /// ```
    /// # use granero::table::Cycles;
    /// assert_eq!(Cycles::Split.name(), "split");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Cycles::Split => "split",
        }
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
#[error("there is no convention `{name}` for endless play; there is {}", Cycles::ALL.map(Cycles::name).join(", "))]
pub struct UnknownCycles {
    /// The name that was asked for.
    pub name: String,
}

/// What a directory of tables holds.
///
/// ```
/// use granero::Ruleset;
/// use granero::table::{Cycles, Manifest};
///
/// let manifest = Manifest::new(Ruleset::Abapa, Cycles::Split);
/// assert!(manifest.layers.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// The name of the ruleset.
    #[serde(with = "by_name")]
    pub rules: Ruleset,
    /// The convention for endless play.
    #[serde(with = "by_name")]
    pub cycles: Cycles,
    /// The finished layers, from 0 seeds on.
    pub layers: Vec<LayerStatistics>,
}

/// What manifests of all formats have.
#[derive(Deserialize)]
pub(super) struct Format {
    pub(super) format: u32,
}

/// The version of the format that this program writes, and the only one it reads.
pub(super) const FORMAT: u32 = 1;

impl Manifest {
    /// A directory without layers.
    ///
    /// ```
    /// # use granero::{Ruleset, table::{Cycles, Manifest}};
    /// assert_eq!(Manifest::new(Ruleset::Awari, Cycles::Split).rules, Ruleset::Awari);
    /// ```
    pub fn new(rules: Ruleset, cycles: Cycles) -> Manifest {
        Manifest {
            format: FORMAT,
            rules,
            cycles,
            layers: Vec::new(),
        }
    }

    /// How many layers are finished: those with fewer seeds than this.
    ///
    /// ```
    /// # use granero::{Ruleset, table::{Cycles, Manifest}};
    /// assert_eq!(Manifest::new(Ruleset::Awari, Cycles::Split).finished(), 0);
    /// ```
    pub fn finished(&self) -> u8 {
        // There are at most 49, which reading a manifest makes sure of.
        self.layers.len() as u8
    }
}

/// Rulesets and conventions as their names.
mod by_name {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}
