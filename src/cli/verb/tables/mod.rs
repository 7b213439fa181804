//! Verbs that make tables and look after them.

/// `granero build`: solves layers.
mod build;
/// `granero cite`: references to the program and to tables.
pub(super) mod cite;
/// `granero estimate`: what a build will take.
mod estimate;
/// `granero get`: downloads tables.
mod get;
/// `granero info`: the contents of a directory.
mod info;
/// `granero verify`: whether tables are right.
mod verify;

super::verbs! {
    Build(build),
    Estimate(estimate),
    Get(get),
    Info(info),
    Cite(cite),
    Verify(verify),
}
