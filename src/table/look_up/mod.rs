//! Opens tables and looks positions up. `Tables::value` in `probe` is where a look-up begins.
//!
//! In the order in which to read them:
//!
//! * `tables`: open tables;
//! * `probe`: looks up one position;
//! * `cache`: keeps decoded blocks;
//! * `batch`: looks up many positions at once;
//! * `assessment`: the value of a position and of each of its moves;
//! * `options`: opens tables;
//! * `sample`: the tables inside the library.

pub mod assessment;
pub mod batch;
pub mod cache;
pub mod options;
pub mod probe;
pub mod sample;
pub mod tables;
