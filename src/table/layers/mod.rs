//! Reading whole layers.
//!
//! * `implied`: what a file need not store, because its reader can work it out;
//! * `reader`: whole layers in order;
//! * `whole`: all values of one layer.

pub mod implied;
pub mod reader;
pub mod whole;
