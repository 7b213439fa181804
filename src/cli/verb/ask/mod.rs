//! Verbs that ask tables.

/// `granero find`: positions that satisfy conditions.
pub(super) mod find;
/// `granero judge`: recorded games.
mod judge;
/// `granero line`: the best line from a position.
mod line;
/// `granero play`: a game against granero.
mod play;
/// `granero query`: the worth of positions and their moves.
pub(crate) mod query;
/// `granero stats`: statistics of layers.
mod stats;
/// Answers as text.
mod text;

use text::Text;

super::verbs! {
    Query(query),
    Line(line),
    Judge(judge),
    Play(play),
    Stats(stats),
    Find(find),
}
