//! Reading whole layers.
//!
//! * `open`: values that files leave out, because they follow from moves;
//! * `reader`: reads all values of one layer, or of all in order.

pub mod open;
pub mod reader;
