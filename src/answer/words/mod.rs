//! Words for people.
//!
//! * `amounts`: numbers, times and rates;
//! * `range`: ranges of values;
//! * `tables`: what tables hold, and their errors.

pub(crate) mod amounts;
pub(crate) mod range;
pub(crate) mod tables;
