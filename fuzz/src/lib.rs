//! The fuzz targets: functions that take any bytes, and panic if something is wrong.
//!
//! `main.rs` has them for libFuzzer, and `tests/fuzz.rs` feeds them a few thousand inputs each time the tests of the
//! program run. `seeds/` has good inputs to start with, a directory for each target.

#[path = "../../tests/support/forged.rs"]
mod forged;
#[path = "../../tests/support/http.rs"]
mod http;
#[allow(dead_code)]
#[path = "../../tests/support/sealed.rs"]
mod sealed;

mod answers;
mod connections;
mod games;
mod layer_file;
mod lines;
mod manifest;
mod positions;
mod requests;
mod sample;
mod uci;

/// A function that takes any bytes, and panics if granero breaks a promise.
pub type Run = fn(&[u8]);

/// All targets: the name, the number of inputs in a whole run of the tests, and the function.
pub static TARGETS: [(&str, u64, Run); 8] = [
    ("layer_file", 5_000, layer_file::run),
    ("manifest", 20_000, manifest::run),
    ("positions", 100_000, positions::run),
    ("games", 100_000, games::run),
    ("uci", 10_000, uci::run),
    ("lines", 6_000, lines::run),
    ("requests", 15_000, requests::run),
    ("connections", 12_000, connections::run),
];
