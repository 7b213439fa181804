//! Verbs about the rules.

/// `granero moves`: the legal moves of a position.
pub(crate) mod moves;
/// `granero rules`: the rulesets and their differences.
pub(crate) mod rules;
