//! Downloads files from a web host: resumes partial files, and asks a failing host again.
//!
//! Only with the feature `get`.

mod attempts;
mod host;
mod mirrors;
mod throttle;

pub(crate) use attempts::{Attempts, refused};
pub(crate) use host::{Host, Settings, Trouble};
pub(crate) use mirrors::Mirrors;
pub(crate) use throttle::Throttle;
