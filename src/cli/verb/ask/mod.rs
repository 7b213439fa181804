//! Verbs that ask tables.

/// `granero find`: positions that satisfy conditions.
pub(crate) mod find;
/// `granero judge`: recorded games.
pub(crate) mod judge;
/// `granero line`: the best line from a position.
pub(crate) mod line;
/// `granero play`: a game against granero.
pub(crate) mod play;
/// `granero query`: the value of positions and their moves.
pub(crate) mod query;
/// `granero stats`: statistics of layers.
pub(crate) mod stats;
/// Answers as text.
mod text;

use text::Text;
