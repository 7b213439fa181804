//! What is known of a position while its layer is solved, in one byte; and news of it.
//!
//! * `arena`: a position with bounds, between two thresholds;
//! * `codes`: a position with a value;
//! * `listed`: captures that a byte has no room for;
//! * `news`: settled positions that their predecessors do not know of;
//! * `search`: finding the bytes of a row that matter;
//! * `status`: a position with bounds, while a threshold is decided.

pub(crate) mod arena;
pub(crate) mod codes;
pub(crate) mod listed;
pub(crate) mod news;
pub(crate) mod search;
pub(crate) mod status;

pub use listed::Listed;
