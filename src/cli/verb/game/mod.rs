//! Verbs about the rules.

/// `granero moves`: the legal moves of a position.
mod moves;
/// `granero rules`: the rulesets and their differences.
mod rules;

super::verbs! {
    Rules(rules),
    Moves(moves),
}
