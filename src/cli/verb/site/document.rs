//! The document of a site: its tables and their places.

use granero::MAX_SEEDS;
use granero::table::{FileEntry, Sha256};
use serde::Serialize;

use super::heads::HeadsJson;
use super::{Args, PROGRAM, Published, TABLES};
use granero_answer::document::{Catalogue, Limits, ServedTables};

/// The contents of `site.json`.
#[derive(Serialize)]
pub(super) struct Site<'a> {
    program: &'static str,
    catalogue: Catalogue,
    places: Vec<Place<'a>>,
    /// The fingerprint of the files of all tables together.
    fingerprint: String,
}

/// The place of some tables.
#[derive(Serialize)]
struct Place<'a> {
    rules: &'static str,
    cycles: &'static str,
    at: String,
    /// A small file, to test the host with.
    first: Option<&'a FileEntry>,
    /// The beginnings of the files, for the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    heads: Option<&'a HeadsJson>,
}

pub(super) fn site<'a>(args: &Args, published: &'a [Published]) -> Site<'a> {
    let at = args.tables_at.clone().unwrap_or(format!("{TABLES}/"));
    let served = published.iter().map(|published| {
        ServedTables::new(
            &published.tables,
            false,
            false,
            &published.fingerprint,
            None,
        )
    });
    let limits = Limits {
        batch_positions: granero_serve::BATCH_POSITIONS,
        batch_bytes: granero_serve::BATCH_BYTES,
        position_bytes: granero_serve::LONGEST,
        buildable_seeds: MAX_SEEDS,
        prove_seconds: None,
    };
    let places = published.iter().map(|published| Place {
        rules: published.tables.rules().name(),
        cycles: published.tables.cycles().name(),
        at: format!("{at}{}/", published.name()),
        first: published.tables.manifest().files().next(),
        heads: (!args.without_page).then_some(&published.heads.document),
    });
    let manifests = published
        .iter()
        .map(|published| published.tables.manifest());
    let hashes =
        manifests.flat_map(|manifest| manifest.files().map(|file| file.sha256.to_string()));
    Site {
        program: PROGRAM,
        catalogue: Catalogue::new(served.collect(), limits),
        places: places.collect(),
        fingerprint: format!("{:.16}", Sha256::of(hashes.collect::<String>())),
    }
}
