//! Opening tables, and looking up what positions are worth.
//!
//! * `assessment`: a position and each of its moves;
//! * `batch`: many positions at once;
//! * `cache`: decoded blocks;
//! * `options`: how tables are opened;
//! * `probe`: what one position is worth;
//! * `sample`: the tables that are part of the library;
//! * `tables`: open tables.

pub mod assessment;
pub mod batch;
pub mod cache;
pub mod options;
pub mod probe;
pub mod sample;
pub mod tables;
