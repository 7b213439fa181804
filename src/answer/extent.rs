//! What deciding tables say, and what they do not.

use granero::index::Layer;
use granero::{Extent, Tables};

/// What to know about tables that hold only what decides the game, in a line; nothing for others.
pub fn meaning_of(extent: Extent) -> String {
    match extent.game() {
        None => String::new(),
        Some(game) => format!(
            "Deciding tables: values are cut off where they decide a game of {game} seeds, before \
             anything is\ncounted. Up to {} seeds nothing is cut off.\n",
            game / 2
        ),
    }
}

/// The limit of the values of a layer, if they are cut off.
pub fn limit_of(tables: &Tables, layer: Layer) -> Option<u8> {
    let limit = tables.extent().limit(tables.cycles(), layer.seeds());
    (limit < layer.seeds()).then_some(limit)
}
