//! Errors.

use std::borrow::Cow;

use serde::Serialize;

/// An error by itself: what the server answers, and what a batch of `query` prints for a line.
#[derive(Serialize)]
pub(crate) struct ErrorDocument<E> {
    pub(crate) error: E,
}

/// Why the server does not answer a request, or a position of a batch.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorJson {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Cow<'static, str>,
    /// The place in the text of a position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<usize>,
}
