//! Files from a web host: what was fetched before is gone on with, and a host that fails is asked again.
//!
//! Only with the feature `get`.

mod attempts;
mod host;
mod throttle;

pub(crate) use attempts::Attempts;
pub(crate) use host::{Host, Settings, Trouble};
pub(crate) use throttle::Throttle;
