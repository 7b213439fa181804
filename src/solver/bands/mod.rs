//! Layers larger than memory: a layer is divided into bands, one of which is in memory at a time.
//!
//! * `division`: the rows of each band;
//! * `exchange`: news between the band in memory and the queues;
//! * `lists`: the lists of the layer and of its bands;
//! * `pages`: the bytes of the band in memory;
//! * `queues`: news that waits for bands;
//! * `scratch_file`: temporary files;
//! * `values`: the order of work where positions have values.

pub(crate) mod division;
mod exchange;
mod lists;
mod pages;
mod queues;
pub(crate) mod scratch_file;
pub(crate) mod values;

use crate::tuning::Tuning;

/// The memory in bytes for news that waits for bands.
pub(crate) fn queues_memory(bands: u64) -> u64 {
    (bands + values::BLOCKS as u64) * (Tuning::USUAL.block + queues::LIST) as u64
}

pub use values::Moved;
