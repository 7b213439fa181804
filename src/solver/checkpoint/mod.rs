//! Checkpoints of a layer in progress.
//!
//! * `file`: in a file beside those of finished layers;
//! * `joint`: of several processes;
//! * `state`: all that is known between two thresholds.

pub(crate) mod file;
pub(crate) mod joint;
pub(crate) mod state;

pub(crate) use file::file_name;
pub(crate) use state::{keep, resume};
