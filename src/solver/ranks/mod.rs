//! Builds by several processes.
//!
//! * `post`: news to other processes, and from them;
//! * `share`: which half-boards a process owns;
//! * `shared`: tables that several processes write;
//! * `together`: a build by several processes.

pub(crate) mod post;
pub(crate) mod share;
pub(crate) mod shared;
pub(crate) mod together;
