//! Reads requests, and checks that they are meant for this server.
//!
//! * `body`: reads a body of bounded size at a bounded pace;
//! * `hosts`: checks the host and the origin;
//! * `parameters`: the parameters in the target;
//! * `position_list`: a JSON list of positions.

pub(crate) mod body;
pub(crate) mod hosts;
pub(crate) mod parameters;
pub(crate) mod position_list;
pub(crate) use body::Body;
pub(crate) use hosts::{BodyType, Hosts};
pub(crate) use parameters::{Allowed, LONGEST, Parameters};
pub(crate) use position_list::BatchEntry;
