//! The document of a site: its tables and their places.

use granero::MAX_SEEDS;
use granero::table::Sha256;
use serde_json::{Value, json};

use super::{Args, PROGRAM, Published, TABLES};
use granero_answer::document::{Catalogue, Limits, ServedTables};

/// Returns the contents of `site.json`.
pub(super) fn site(args: &Args, published: &[Published]) -> Value {
    let at = args.tables_at.clone().unwrap_or(format!("{TABLES}/"));
    let served = published
        .iter()
        .map(|of| ServedTables::new(&of.tables, false, false, &of.fingerprint, None));
    let limits = Limits {
        batch_positions: granero_serve::BATCH_POSITIONS,
        batch_bytes: granero_serve::BATCH_BYTES,
        position_bytes: granero_serve::LONGEST,
        buildable_seeds: MAX_SEEDS,
        prove_seconds: None,
    };
    let places = published.iter().map(|of| {
        let mut place = json!({
            "rules": of.tables.rules().name(),
            "cycles": of.tables.cycles().name(),
            "at": format!("{at}{}/", of.name),
            // A small file, to test the host with.
            "first": of.tables.manifest().files().next(),
        });
        if !args.without_page {
            // The beginnings of the files, for the page.
            place["heads"] = json!(of.heads.document);
        }
        place
    });
    let files = published.iter().flat_map(|of| of.tables.manifest().files());
    let hashes: String = files.map(|file| file.sha256.to_string()).collect();
    json!({
        "program": PROGRAM,
        "catalogue": Catalogue::new(served.collect(), limits),
        "places": places.collect::<Vec<_>>(),
        // Of the files of all tables together.
        "fingerprint": format!("{:.16}", Sha256::of(hashes)),
    })
}
