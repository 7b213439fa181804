//! Reading whole layers.
//!
//! * `implied`: values that files leave out, because readers can compute them;
//! * `reader`: reads all layers in order;
//! * `whole`: reads all values of one layer.

pub mod implied;
pub mod reader;
pub mod whole;
