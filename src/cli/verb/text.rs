//! Answers as text.

use std::ops::Deref;

/// Formats an answer for people, or as a line of a file. Each verb adds the methods for its answers.
pub(super) struct Text<'t, T>(pub(super) &'t T);

impl<T> Deref for Text<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}
