//! Downloads files from a web host: resumes partial files, and asks a failing host again.
//!
//! Only with the feature `get`.

mod attempts;
mod host;
mod throttle;

pub(crate) use attempts::Attempts;
pub(crate) use host::{Host, Settings, Trouble};
pub(crate) use throttle::Throttle;
