//! Reading whole layers.
//!
//! * `older`: reads the values of a layer from files of the older formats;
//! * `open`: values that files leave out, because they follow from moves;
//! * `reader`: reads all layers in order;
//! * `whole`: reads all values of one layer.

pub mod older;
pub mod open;
pub mod reader;
pub mod whole;
