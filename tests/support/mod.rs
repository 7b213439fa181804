//! Shared by several test programs: slow and plain twins of the library, small tables, and the
//! output of the command.

// `pub` marks what the tests use, although no other crate sees a test's modules; and not every
// test program uses everything.
#![allow(unreachable_pub, dead_code)]

pub mod command;
pub mod exported;
pub mod forged;
pub mod reference;
pub mod sealed;
pub mod solved;
pub mod solved_bounds;
pub mod tables;
pub mod twin;
pub mod vast;

/// The text of an error and its causes.
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let errors = std::iter::successors(Some(error), |&error| error.source());
    let texts: Vec<String> = errors.map(ToString::to_string).collect();
    texts.join(": ")
}
