//! The manifest of a directory of tables.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::layer_file::{fingerprint, possible_bytes};
use super::sha256::Sha256;
use super::statistics::LayerStatistics;
use crate::error::TableError;
use crate::index::Layer;
use granero_game::notation::visible;
use granero_game::rules::Ruleset;
use granero_game::{Cycles, Extent, Kind, MAX_SEEDS, Measure};

/// The manifest: a list of what a directory of tables holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The ruleset.
    pub rules: Ruleset,
    /// The convention for endless play.
    pub cycles: Cycles,
    /// The extent: full or deciding.
    pub extent: Extent,
    /// The finished layers, from 0 seeds on.
    pub layers: Vec<FinishedLayer>,
}

/// The entry of a layer in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedLayer {
    /// The distribution of its values.
    pub statistics: LayerStatistics,
    /// Its file.
    pub file: FileEntry,
}

/// The entry of a layer file in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the directory.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of the whole file.
    pub sha256: Sha256,
}

/// The name of the file of a layer.
pub fn layer_file_name(seeds: u8) -> String {
    format!("layer-{seeds:02}.granero")
}

/// The name of a file while it is being downloaded.
pub fn part_name(file: &str) -> String {
    format!("{file}.part")
}

/// The name of the checkpoint of a layer that is being solved.
pub fn checkpoint_name(seeds: u8) -> String {
    format!("layer-{seeds:02}.checkpoint")
}

/// The name of a turned layer in a file that a build leaves for the next one.
pub fn turned_name(seeds: u8, measure: Measure) -> String {
    format!("layer-{seeds:02}-{measure}.turned")
}

/// The names of all turned layers in files, from a number of seeds on.
pub(crate) fn turned_names(manifest: &Manifest, first: u8) -> HashSet<PathBuf> {
    let measures = manifest.cycles.measures();
    let of_layer = |seeds| {
        let names = measures.into_iter();
        names.map(move |(_, measure)| turned_name(seeds, measure).into())
    };
    (first..=MAX_SEEDS).flat_map(of_layer).collect()
}

/// The JSON of a manifest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u32,
    rules: Ruleset,
    cycles: Cycles,
    /// The seeds of the game that the values decide; absent for values in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decides: Option<u8>,
    layers: Vec<LayerStatistics>,
    /// In the order of the layers.
    files: Vec<FileEntry>,
}

/// Says why a text is not the JSON of a manifest. The parser's message may repeat any characters of the text.
fn bad_json(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => "it ends too early".into(),
        _ => format!(
            "it is not as granero writes it: {}",
            visible(&error.to_string())
        ),
    }
}

/// The part that manifests of all versions have.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// The text before and after the checksum at the end of a manifest.
const BEFORE: &str = ",\"sha256\":\"";
const AFTER: &str = "\"}\n";

/// The digits of a checksum.
const DIGITS: usize = 64;

/// The checksum over the text before it.
fn checksum(text: &str) -> String {
    Sha256::of(text).to_string()
}

impl Manifest {
    /// The version of the manifest's format.
    pub const FORMAT: u32 = 6;

    /// The name of its file in the directory.
    pub const FILE: &str = "granero.json";

    /// The most bytes of a manifest that a reader accepts. A manifest of all 49 layers has less than a
    /// tenth of this.
    pub const MAX_BYTES: u64 = 1 << 20;

    /// The manifest of a directory without layers.
    pub fn new(kind: impl Into<Kind>) -> Manifest {
        let kind = kind.into();
        Manifest {
            rules: kind.rules,
            cycles: kind.cycles,
            extent: kind.extent,
            layers: Vec::new(),
        }
    }

    /// The kind of tables.
    pub fn kind(&self) -> Kind {
        Kind {
            rules: self.rules,
            cycles: self.cycles,
            extent: self.extent,
        }
    }

    /// The text of the file: JSON with a checksum.
    pub fn to_text(&self) -> String {
        let layers = self.layers.iter();
        let document = Document {
            format: Manifest::FORMAT,
            rules: self.rules,
            cycles: self.cycles,
            decides: self.extent.game(),
            layers: layers.map(|layer| layer.statistics.clone()).collect(),
            files: self.files().cloned().collect(),
        };
        let text = serde_json::to_string(&document).expect("a manifest is JSON");
        let text = text.strip_suffix('}').expect("an object");
        format!("{text}{BEFORE}{}{AFTER}", checksum(text))
    }

    /// Reads the text of a manifest.
    ///
    /// # Errors
    ///
    /// When it is damaged, or another version of this program wrote it.
    ///
    /// ```
    /// use granero::{Cycles, Ruleset, table::Manifest};
    ///
    /// let manifest = Manifest::new((Ruleset::Abapa, Cycles::Split));
    /// assert_eq!(Manifest::from_text(&manifest.to_text())?, manifest);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn from_text(text: &str) -> Result<Manifest, TableError> {
        Manifest::parse(text, Path::new(Manifest::FILE))
    }

    /// Reads a manifest; `path` is its name in errors.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Manifest, TableError> {
        let damaged = |what: String| TableError::damaged(path, what);
        let not_read = |error: serde_json::Error| damaged(bad_json(&error));
        // Other versions may differ in everything but the version.
        let Format { format } = serde_json::from_str(text).map_err(not_read)?;
        if format != Manifest::FORMAT {
            let path = path.into();
            return Err(TableError::OtherFormat { path, format });
        }
        let text = checked(text).ok_or_else(|| damaged("its checksum is wrong".into()))?;
        let document: Document = serde_json::from_str(&format!("{text}}}")).map_err(not_read)?;
        let extent = document
            .decides
            .map_or(Some(Extent::FULL), Extent::deciding);
        let extent = extent.ok_or_else(|| damaged("its field `decides` is wrong".into()))?;
        if document.layers.len() > usize::from(extent.max_seeds()) + 1 {
            return Err(damaged("it lists more layers than there are".into()));
        }
        if document.layers.len() != document.files.len() {
            return Err(damaged("it does not list a file for each layer".into()));
        }
        let layers = document.layers.into_iter().zip(document.files);
        let manifest = Manifest {
            rules: document.rules,
            cycles: document.cycles,
            extent,
            layers: layers
                .map(|(statistics, file)| FinishedLayer { statistics, file })
                .collect(),
        };
        for (layer, finished) in Layer::all().zip(&manifest.layers) {
            let seeds = layer.seeds();
            let FinishedLayer { statistics, file } = finished;
            if !statistics.is_plausible(layer, manifest.kind())
                || file.name != layer_file_name(seeds)
                || !possible_bytes(layer).contains(&file.bytes)
            {
                return Err(damaged(format!("its entry of layer {seeds} is wrong")));
            }
        }
        Ok(manifest)
    }

    /// The number of finished layers: those with fewer seeds than this.
    pub fn finished(&self) -> u8 {
        // There are at most 49; reading a manifest checks that.
        self.layers.len() as u8
    }

    /// All layer files, layer by layer.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.layers.iter().map(|layer| &layer.file)
    }
}

#[doc(hidden)]
impl Manifest {
    /// The fingerprint of the files.
    pub fn fingerprint(&self) -> Sha256 {
        fingerprint(self.kind())
    }
}

/// The text before the checksum of a manifest, if the checksum is right.
fn checked(text: &str) -> Option<&str> {
    let text = text.strip_suffix(AFTER)?;
    let (text, found) = text.split_at_checked(text.len().checked_sub(DIGITS)?)?;
    let text = text.strip_suffix(BEFORE)?;
    (found == checksum(text)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::statistics::Distribution;

    /// The longest possible manifest: every value occurs, with counts of the most digits.
    fn longest(cycles: Cycles) -> Manifest {
        let step = if cycles == Cycles::OwnSide { 2 } else { 1 };
        let sha256 = Sha256::of("any");
        let mut manifest = Manifest::new((Ruleset::SlamLeavesFirst, cycles));
        for layer in Layer::all() {
            let seeds = layer.seeds();
            let values = (-(seeds as i8)..=seeds as i8).step_by(step);
            let histogram: Vec<(i8, u64)> = values.map(|value| (value, layer.len())).collect();
            let gaps = (0..=2 * seeds).step_by(step);
            let of_each = |_| Distribution {
                sha256,
                histogram: histogram.clone(),
            };
            let statistics = LayerStatistics {
                seeds,
                positions: layer.len(),
                values: cycles.measures().map(of_each),
                gaps: gaps.map(|gap| (gap, layer.len())).collect(),
                draws: layer.len(),
            };
            let file = FileEntry {
                name: layer_file_name(seeds),
                bytes: *possible_bytes(layer).end(),
                sha256,
            };
            manifest.layers.push(FinishedLayer { statistics, file });
        }
        manifest
    }

    #[test]
    fn the_longest_manifest_is_far_below_the_limit() {
        for cycles in Cycles::ALL {
            let bytes = longest(cycles).to_text().len() as u64;
            let most = Manifest::MAX_BYTES / 10;
            assert!((most / 3..most).contains(&bytes), "{cycles}: {bytes}");
        }
    }
}
