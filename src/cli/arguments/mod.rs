//! Arguments that several verbs take.

pub(crate) mod position_arg;
pub(crate) mod proving;
