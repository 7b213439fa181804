//! Arguments that several verbs take.

/// The argument POSITION, and the notations that it can be written in.
pub(crate) mod position_arg;
/// `--prove`, `--prove-positions` and `--threads`.
pub(crate) mod proving;
