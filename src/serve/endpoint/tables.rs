//! `GET /api/v1/tables`: lists the tables, and says how to build more.

use std::time::Duration;

use granero::MAX_SEEDS;

use crate::limits::{BATCH_BYTES, BATCH_POSITIONS};
use crate::reply::Reply;
use crate::request::LONGEST;
use crate::tables::{Catalogue, TableSet};
use granero_answer::document::{self, LimitsJson, ServedTables};
use granero_console::hint;

/// Lists the tables. `longest`, the longest time of a search if there are searches, never changes.
pub(crate) fn answer(catalogue: &Catalogue, longest: Option<Duration>) -> Reply {
    let reply = || document(catalogue, longest);
    catalogue.document.get_or_init(reply).clone()
}

fn document(catalogue: &Catalogue, longest: Option<Duration>) -> Reply {
    let served = catalogue.existing().map(|listing| {
        let set = &listing.set;
        ServedTables {
            tables: &set.tables,
            sample: set.is_sample(),
            building: listing.building,
            fingerprint: &set.fingerprint,
            more: more(set),
        }
    });
    let limits = LimitsJson {
        batch_positions: BATCH_POSITIONS,
        batch_bytes: BATCH_BYTES,
        position_bytes: LONGEST,
        buildable_seeds: MAX_SEEDS,
        prove_seconds: longest.map(|longest| longest.as_secs_f64()),
    };
    Reply::fixed_json(&document::catalogue(served.collect(), limits))
}

/// Returns a command that builds more layers; `None` if there are all.
fn more(set: &TableSet) -> Option<String> {
    let tables = &set.tables;
    let rules = tables.rules();
    let cycles = hint::cycles_option(tables.cycles()) + &hint::extent_option(tables.extent());
    if set.is_sample() {
        return Some(format!("granero build --rules {rules}{cycles}"));
    }
    let seeds = tables.max_seeds().map_or(0, |seeds| seeds + 1);
    (seeds <= tables.extent().max_seeds())
        .then(|| format!("granero build --rules {rules}{cycles} --seeds {seeds} --db DIR"))
}
