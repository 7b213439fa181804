//! Words for people.
//!
//! * `amounts`: numbers, times and rates;
//! * `causes`: errors;
//! * `range`: ranges of values;
//! * `reach`: the reach of tables, and what deciding tables leave out.

pub mod amounts;
pub mod causes;
pub(crate) mod range;
pub(crate) mod reach;
