//! Documents that only verbs print: a file for each kind. `docs/cli.md` says what each field means.

pub(crate) mod build;
pub(crate) mod cite;
pub(crate) mod compare;
pub(crate) mod estimate;
pub(crate) mod export;
pub(crate) mod find;
#[cfg(feature = "get")]
pub(crate) mod get;
pub(crate) mod info;
pub(crate) mod referee;
pub(crate) mod verify;
