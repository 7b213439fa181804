//! Reading whole layers.
//!
//! * `open`: values that files leave out, because they follow from moves;
//! * `reader`: reads all layers in order;
//! * `whole`: reads all values of one layer.

pub mod open;
pub mod reader;
pub mod whole;
