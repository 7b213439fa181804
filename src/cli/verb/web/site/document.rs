//! The document of a site: its tables and their places.

use granero::MAX_SEEDS;
use granero::table::Sha256;
use serde::Serialize;

use super::{Args, PROGRAM, Published, TABLES};
use granero_answer::document::{LimitsJson, ServedTables, catalogue};
use granero_answer::object;

pub(super) fn site(args: &Args, published: &[Published]) -> impl Serialize {
    let at = args.tables_at.clone().unwrap_or(format!("{TABLES}/"));
    let served = published.iter().map(|published| ServedTables {
        tables: &published.tables,
        sample: false,
        building: false,
        fingerprint: &published.fingerprint,
        more: None,
    });
    let limits = LimitsJson {
        batch_positions: granero_serve::BATCH_POSITIONS,
        batch_bytes: granero_serve::BATCH_BYTES,
        position_bytes: granero_serve::LONGEST,
        buildable_seeds: MAX_SEEDS,
        prove_seconds: None,
    };
    let places = published.iter().map(|published| {
        object! {
            rules: published.tables.rules().name(),
            cycles: published.tables.cycles().name(),
            at: format!("{at}{}/", published.name()),
            // A small file, to test the host with.
            first: published.tables.manifest().files().next(),
            // The beginnings of the files, for the page.
            heads?: (!args.without_page).then_some(&published.heads.document),
        }
    });
    let manifests = published
        .iter()
        .map(|published| published.tables.manifest());
    let hashes =
        manifests.flat_map(|manifest| manifest.files().map(|file| file.sha256.to_string()));
    object! {
        program: PROGRAM,
        catalogue: catalogue(served.collect(), limits),
        places: places.collect::<Vec<_>>(),
        // The fingerprint of the files of all tables together.
        fingerprint: format!("{:.16}", Sha256::of(hashes.collect::<String>())),
    }
}
