//! Verbs that make tables and look after them.

/// `granero build`: solves layers.
pub(super) mod build;
/// `granero cite`: references to the program and to tables.
pub(super) mod cite;
/// `granero convert`: rewrites tables of older formats.
mod convert;
/// `granero estimate`: what a build will take.
pub(super) mod estimate;
/// `granero get`: downloads tables.
pub(super) mod get;
/// `granero info`: the contents of a directory.
pub(super) mod info;
/// `granero verify`: whether tables are right.
pub(super) mod verify;

super::verbs! {
    Build(build),
    Estimate(estimate),
    Get(get),
    Convert(convert),
    Info(info),
    Cite(cite),
    Verify(verify),
}
