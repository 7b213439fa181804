//! The manifest of a directory of tables.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::TableError;
use super::layer_file::VERSION;
use super::statistics::LayerStatistics;
use crate::cycles::{Cycles, Measure};
use crate::index::Layer;
use crate::rules::Ruleset;

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
    /// Their files, in the same order: one for each layer, or two where positions have
    /// bounds.
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

/// The name of a file of a layer.
pub(super) fn layer_file_name(seeds: u8, measure: Measure) -> String {
    match measure {
        Measure::Value => format!("layer-{seeds:02}.granero"),
        measure => format!("layer-{seeds:02}-{measure}.granero"),
    }
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
        let measures = manifest.cycles.measures();
        if manifest.files.len() != measures.len() * manifest.layers.len() {
            return Err(damaged("it lists not as many files as layers have".into()));
        }
        let files = manifest.files.chunks_exact(measures.len());
        for (layer, (statistics, files)) in Layer::all().zip(manifest.layers.iter().zip(files)) {
            let seeds = layer.seeds();
            let named = |(file, &measure): (&FileEntry, &Measure)| {
                file.name == layer_file_name(seeds, measure)
            };
            let names_are_right = files.iter().zip(measures).all(named);
            if !statistics.is_plausible(layer, manifest.cycles) || !names_are_right {
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

    /// The files of a finished layer, in the order of [`Cycles::measures`].
    ///
    /// ```
    /// # use granero::table::Tables;
    /// assert_eq!(Tables::sample().manifest().files_of(3).len(), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// If the layer is not there.
    pub fn files_of(&self, seeds: u8) -> &[FileEntry] {
        let measures = self.cycles.measures().len();
        &self.files[usize::from(seeds) * measures..][..measures]
    }

    /// The file of a finished layer that holds a measure.
    pub(super) fn file(&self, seeds: u8, measure: Measure) -> &FileEntry {
        let place = self.cycles.place(measure);
        &self.files_of(seeds)[place.expect("a measure of these tables")]
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
