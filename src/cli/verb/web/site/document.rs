//! The document of a site: its tables and their places.

use granero::MAX_SEEDS;
use granero::table::{FileEntry, Sha256};
use serde::Serialize;

use super::heads::HeadsJson;
use super::{Args, PROGRAM, Published, TABLES};
use granero_answer::document::{CatalogueDocument, LimitsJson, TablesJson};

#[derive(Serialize)]
pub(super) struct SiteDocument<'a> {
    program: &'static str,
    catalogue: CatalogueDocument<'a>,
    places: Vec<PlaceJson>,
    /// The fingerprint of the files of all tables together.
    fingerprint: String,
}

#[derive(Serialize)]
struct PlaceJson {
    rules: &'static str,
    cycles: &'static str,
    at: String,
    /// A small file, to test the host with.
    first: Option<FileEntry>,
    /// The beginnings of the files, for the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    heads: Option<HeadsJson>,
}

impl SiteDocument<'_> {
    pub(super) fn new<'a>(args: &Args, published: &'a [Published]) -> SiteDocument<'a> {
        let at = args.tables_at.clone().unwrap_or(format!("{TABLES}/"));
        let served = published.iter().map(
            |Published {
                 tables,
                 fingerprint,
                 ..
             }| { TablesJson::new(tables, false, false, fingerprint, None) },
        );
        let limits = LimitsJson {
            batch_positions: granero_serve::BATCH_POSITIONS,
            batch_bytes: granero_serve::BATCH_BYTES,
            position_bytes: granero_serve::LONGEST,
            buildable_seeds: MAX_SEEDS,
            prove_seconds: None,
        };
        let manifests = published
            .iter()
            .map(|published| published.tables.manifest());
        let hashes =
            manifests.flat_map(|manifest| manifest.files().map(|file| file.sha256.to_string()));
        SiteDocument {
            program: PROGRAM,
            catalogue: CatalogueDocument::new(served.collect(), limits),
            places: published
                .iter()
                .map(|published| PlaceJson {
                    rules: published.tables.rules().name(),
                    cycles: published.tables.cycles().name(),
                    at: format!("{at}{}/", published.name()),
                    first: published.tables.manifest().files().next().cloned(),
                    heads: (!args.without_page).then(|| published.heads.document.clone()),
                })
                .collect(),
            fingerprint: format!("{:.16}", Sha256::of(hashes.collect::<String>())),
        }
    }
}
