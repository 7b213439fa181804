//! Layers larger than memory: a layer is divided into bands, one of which is in memory at a time.
//!
//! * `division`: the rows of each band;
//! * `exchange`: news between the band in memory and the queues;
//! * `pages`: the bytes of the band in memory;
//! * `queues`: news that waits for bands;
//! * `scratch_file`: temporary files;
//! * `values`: the order of work where positions have values.

mod division;
mod exchange;
mod pages;
mod queues;
pub(crate) mod scratch_file;
pub(crate) mod values;

pub use values::Moved;
