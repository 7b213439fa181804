//! How far tables reach.

use granero::Tables;

/// Why the tables do not say what positions with so many seeds are worth, in words.
pub fn why_unknown(tables: &Tables, seeds: u8) -> String {
    match tables.max_seeds() >= Some(seeds) {
        true => "the tables hold only what decides the game".into(),
        false => reach(tables),
    }
}

/// How far the tables reach, in words.
pub fn reach(tables: &Tables) -> String {
    match tables.max_seeds() {
        Some(seeds) => format!("the tables reach up to {seeds} seeds"),
        None => format!(
            "no tables of {} with {} have been built",
            tables.rules(),
            tables.cycles()
        ),
    }
}
