//! The fuzz targets: functions that take any bytes, and panic if something is wrong.
//!
//! `fuzz_targets/` has each of them for libFuzzer, and `tests/fuzz.rs` feeds them a few thousand inputs each
//! time the tests of the program run. `seeds/` has good inputs to start with, a directory for each target.

#[path = "../../tests/support/forged.rs"]
mod forged;

mod answers;
pub mod bodies;
pub mod connections;
pub mod games;
pub mod layer_file;
pub mod lines;
pub mod manifest;
pub mod positions;
pub mod requests;
pub mod sample;
pub mod uci;
