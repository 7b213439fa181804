//! How far tables reach.

use granero::Tables;

/// How far the tables reach, in words.
pub(crate) fn reach(tables: &Tables) -> String {
    match tables.max_seeds() {
        Some(seeds) => format!("the tables reach up to {seeds} seeds"),
        None => format!(
            "no tables of {} with {} have been built",
            tables.rules(),
            tables.cycles()
        ),
    }
}
