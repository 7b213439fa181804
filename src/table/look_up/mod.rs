//! Opens tables and looks positions up.
//!
//! * `assessment`: the worth of a position and of each of its moves;
//! * `batch`: looks up many positions at once;
//! * `cache`: keeps decoded blocks;
//! * `options`: opens tables;
//! * `probe`: looks up one position;
//! * `sample`: the tables inside the library;
//! * `tables`: open tables.

pub mod assessment;
pub mod batch;
pub mod cache;
pub mod options;
pub mod probe;
pub mod sample;
pub mod tables;
