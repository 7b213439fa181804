//! Parts that several documents have.
//!
//! * `fields`: fields whose names depend on the convention for endless play;
//! * `rules_and_cycles`: the tables that a document is about;
//! * `situation`, `over`, `score`: stores and side to move, the end of a game, and its score;
//! * `worth`: the worth of a position or move.

pub(super) mod fields;
pub(super) mod over;
pub(super) mod rules_and_cycles;
pub(super) mod score;
pub(super) mod situation;
pub(super) mod worth;
