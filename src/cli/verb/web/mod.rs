//! Verbs for browsers.

/// `granero site`: the page and the tables as a folder.
pub(crate) mod site;
