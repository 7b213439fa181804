//! Verbs that make tables and look after them.

/// `granero build`: solves layers.
pub(crate) mod build;
/// `granero cite`: references to the program and to tables.
pub(crate) mod cite;
/// `granero estimate`: what a build will take.
pub(crate) mod estimate;
/// `granero get`: downloads tables.
pub(crate) mod get;
/// `granero info`: the contents of a directory.
pub(crate) mod info;
/// `granero verify`: whether tables are right.
pub(crate) mod verify;
