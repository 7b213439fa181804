//! `GET /api/v1/tables`: which tables there are, and how to build more.

use std::time::Duration;

use granero::MAX_SEEDS;

use crate::limits::{BATCH_BYTES, BATCH_POSITIONS};
use crate::parameters::LONGEST;
use crate::reply::Reply;
use crate::shelf::{Shelf, Volume};
use granero_answer::document::{CatalogueDocument, LimitsJson, ServedTables};
use granero_console::hint;

/// `longest` is the longest time of a search, if there are searches. It is always the same.
pub(super) fn answer(shelf: &Shelf, longest: Option<Duration>) -> Reply {
    let made = || of(shelf, longest);
    shelf.catalogue.get_or_init(made).clone()
}

fn of(shelf: &Shelf, longest: Option<Duration>) -> Reply {
    let served = shelf.places().map(|place| {
        let volume = &place.volume;
        ServedTables {
            tables: &volume.tables,
            sample: volume.is_sample(),
            building: place.building,
            fingerprint: &volume.fingerprint,
            more: more(volume),
        }
    });
    let limits = LimitsJson {
        batch_positions: BATCH_POSITIONS,
        batch_bytes: BATCH_BYTES,
        position_bytes: LONGEST,
        buildable_seeds: MAX_SEEDS,
        prove_seconds: longest.map(|longest| longest.as_secs_f64()),
    };
    Reply::fixed_json(&CatalogueDocument::new(served.collect(), limits))
}

/// A command that builds more layers; `None` if all possible layers are there.
fn more(volume: &Volume) -> Option<String> {
    let tables = &volume.tables;
    let rules = tables.rules();
    let cycles = hint::cycles_option(tables.cycles()) + hint::deciding_option(tables.extent());
    if volume.is_sample() {
        return Some(format!("granero build --rules {rules}{cycles}"));
    }
    let seeds = tables.max_seeds().map_or(0, |seeds| seeds + 1);
    (seeds <= MAX_SEEDS)
        .then(|| format!("granero build --rules {rules}{cycles} --seeds {seeds} --db DIR"))
}
