//! What tables hold, and their errors.

use std::error::Error;
use std::iter;

use granero::index::Layer;
use granero::{Extent, MAX_SEEDS, Tables};

/// Why the tables do not tell the value of positions with this number of seeds, in words.
pub(crate) fn why_unknown(tables: &Tables, seeds: u8) -> String {
    if tables.max_seeds() >= Some(seeds) {
        "the tables hold only what decides the game".into()
    } else {
        reach(tables)
    }
}

pub fn reach(tables: &Tables) -> String {
    match tables.max_seeds() {
        Some(seeds) if seeds < MAX_SEEDS && tables.extent().max_seeds() == seeds => {
            format!("the tables decide the game of {seeds} seeds")
        }
        Some(seeds) => format!("the tables reach up to {seeds} seeds"),
        None => format!(
            "no tables of {} with {} have been built",
            tables.rules(),
            tables.cycles()
        ),
    }
}

/// A sentence about deciding tables; empty for full tables.
pub fn meaning_of(extent: Extent) -> String {
    match extent.game() {
        None => String::new(),
        Some(game) => format!(
            "Deciding tables: values are cut off where they decide a game of {game} seeds, and counted \
             as cut off.\nUp to {} seeds nothing is cut off.\n",
            game / 2
        ),
    }
}

/// The limit of the values of a layer, if they are cut off.
pub fn limit_of(tables: &Tables, layer: Layer) -> Option<u8> {
    let limit = tables.extent().limit(tables.cycles(), layer.seeds());
    (limit < layer.seeds()).then_some(limit)
}

/// An error and its causes in one line.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    let mut messages: Vec<String> = errors.map(ToString::to_string).collect();
    // Some errors repeat their cause.
    messages.dedup();
    messages.join(": ")
}
