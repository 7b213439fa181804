//! The files beside published tables: checksums, and a description.

use granero::table::{Manifest, Sha256};
use granero::{Cycles, Tables};

use crate::verb::tables::cite;
use granero_answer::amounts::{counted, grouped};

/// The file of checksums, for `sha256sum --check`.
pub(super) const SUMS: &str = "SHA256SUMS";

/// The description, for people.
pub(super) const README: &str = "README.txt";

pub(super) fn sums(manifest: &Manifest) -> String {
    let line = |sha256: Sha256, name: &str| format!("{sha256}  {name}\n");
    let mut text = line(Sha256::of(manifest.to_text()), Manifest::FILE);
    for file in manifest.files() {
        text += &line(file.sha256, &file.name);
    }
    text
}

pub(super) fn readme(tables: &Tables) -> String {
    let manifest = tables.manifest();
    let Manifest { rules, cycles, .. } = *manifest;
    let what = match (cycles, tables.extent().is_full()) {
        (Cycles::Split, true) => "the exact value of every position",
        (Cycles::Split, false) => "the value of every position, as far as it decides the game,",
        (Cycles::OwnSide, true) => "exact bounds of every position",
        (Cycles::OwnSide, false) => "bounds of every position, as far as they decide the game,",
    };
    let seeds = tables.max_seeds().unwrap_or(0);
    let layers = manifest.layers.iter();
    let positions = layers.map(|layer| layer.statistics.positions).sum();
    let citation = cite::entries_of(tables).unwrap_or_default();
    format!(
        "\
Endgame tables for Oware (Awari, Wari, Awale), made with granero.

They hold {what} with up to {}: {} positions.

Rules {rules}: {}
Convention {cycles}: {}

granero.json   what there is, with the length and the SHA-256 of each file
layer-*        the layers; docs/internals/format.md of granero specifies them
SHA256SUMS     for `sha256sum --check SHA256SUMS`

To fetch this directory, whole or in part, and to go on later:

  granero get https://... --seeds N

Values are facts that follow from the rules of the game: use them for anything. `granero verify` proves
them. To cite them:

{citation}",
        counted(seeds.into(), "seed"),
        grouped(positions),
        rules.summary(),
        cycles.summary(),
    )
}
