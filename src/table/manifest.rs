//! The manifest of a directory of tables.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::error::TableError;
use super::layer_file::VERSION;
use super::statistics::LayerStatistics;
use crate::index::Layer;
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

    /// The convention in one plain sentence.
    ///
    /// ```
    /// # use granero::table::Cycles;
    /// assert!(Cycles::Split.summary().ends_with('.'));
    /// ```
    pub const fn summary(self) -> &'static str {
        match self {
            Cycles::Split => {
                "Endless play is worth nothing to either: \
                 the seeds on the board are shared equally."
            }
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
    /// Their files.
    pub files: Vec<FileEntry>,
}

/// What a manifest says about the file of a layer.
///
/// ```
/// use granero::table::Tables;
///
/// let entry = &Tables::sample().manifest().files[4];
/// assert_eq!(entry.name, "layer-04.granero");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the directory.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of the whole file.
    pub sha256: String,
}

/// The name of the file of a layer.
pub(super) fn layer_file_name(seeds: u8) -> String {
    format!("layer-{seeds:02}.granero")
}

/// What manifests of all formats have.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// The version of the format that this program writes, and the only one it reads.
const FORMAT: u32 = VERSION as u32;

impl Manifest {
    /// The name of its file in the directory.
    ///
    /// ```
    /// # use granero::table::Manifest;
    /// assert!(!std::path::Path::new("/nowhere").join(Manifest::FILE).exists());
    /// ```
    pub const FILE: &str = "granero.json";

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
            files: Vec::new(),
        }
    }

    /// Reads a manifest; `path` is said if something is wrong with it.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Manifest, TableError> {
        let damaged = |what: String| TableError::Damaged {
            path: path.into(),
            what,
        };
        // Another format may have anything beside its number.
        let Format { format } =
            serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        if format != FORMAT {
            return Err(TableError::OtherFormat {
                path: path.into(),
                format,
            });
        }
        let manifest: Manifest =
            serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        if manifest.layers.len() > Layer::all().count() {
            return Err(damaged("it lists more layers than there are".into()));
        }
        if manifest.files.len() != manifest.layers.len() {
            return Err(damaged("it lists not as many files as layers".into()));
        }
        let entries = manifest.layers.iter().zip(&manifest.files);
        for (layer, (statistics, file)) in Layer::all().zip(entries) {
            let seeds = layer.seeds();
            if !statistics.is_plausible(layer) || file.name != layer_file_name(seeds) {
                return Err(damaged(format!("its entry of layer {seeds} is wrong")));
            }
        }
        Ok(manifest)
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
