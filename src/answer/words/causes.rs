//! Errors as text.

use std::error::Error;
use std::iter;

/// An error and its causes in one line.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    let mut messages: Vec<String> = errors.map(ToString::to_string).collect();
    // Some errors repeat their cause.
    messages.dedup();
    messages.join(": ")
}
