//! Shared by several test programs: slow and plain twins of the library, small tables, and the output of the
//! command.

// `pub` marks what the tests use, although no other crate sees a test's modules; and not every
// test program uses everything.
#![allow(unreachable_pub, dead_code)]

pub mod checked;
pub mod command;
pub mod exported;
pub mod forged;
pub mod random;
pub mod reference;
pub mod sealed;
pub mod solved;
pub mod tables;
pub mod twin;
pub mod vast;

/// Calls `work` with one thread, because layers of a few positions are not worth sharing.
pub fn with_one_thread(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.unwrap().install(work);
}

/// The text of an error and its causes.
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let errors = std::iter::successors(Some(error), |&error| error.source());
    let texts: Vec<String> = errors.map(ToString::to_string).collect();
    texts.join(": ")
}
