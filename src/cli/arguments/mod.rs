//! Arguments that several verbs take.

/// The argument POSITION, and the notations that it can be written in.
pub(crate) mod position_arg;
/// The tables to look up, and the search beyond them.
pub(crate) mod proving;
