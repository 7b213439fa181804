//! The version of the documents that verbs print.

use serde::Serialize;

/// What the fields of the documents mean. A later version may take fields away or give them another
/// meaning; one that only adds fields keeps this number.
const VERSION: u32 = 1;

/// A document of a verb with its version.
#[derive(Serialize)]
pub(crate) struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    document: T,
}

impl<T> Versioned<T> {
    pub(crate) fn new(document: T) -> Versioned<T> {
        Versioned {
            version: VERSION,
            document,
        }
    }
}
