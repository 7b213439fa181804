use std::ops::Deref;

/// Formats an answer for people, or as a line of a file. Each verb adds the methods for its answers.
pub(in crate::verb::ask) struct Text<'t, T>(pub(in crate::verb::ask) &'t T);

impl<T> Deref for Text<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}
