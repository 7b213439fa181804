//! The tables that are served.
//!
//! * `catalogue`: the tables of each ruleset and convention;
//! * `watched`: the directories that they come from, and new layers of running builds.

pub(crate) mod catalogue;
pub(crate) mod watched;
pub(crate) use catalogue::{Catalogue, CurrentCatalogue, TableSet};
pub(crate) use watched::WatchedDirectories;
