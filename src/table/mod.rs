//! Tables: solved layers in a directory.
//!
//! A directory holds the tables of one ruleset and one convention for endless play: a
//! manifest, `granero.json`, and a file for each layer. The manifest lists the layers
//! that are finished, with their statistics; a file that it does not list means nothing.
//!
//! A layer file holds one signed byte for each position, in the order of the index.

mod assessment;
mod directory;
mod error;
mod manifest;
mod statistics;
mod tables;

pub use assessment::{AssessedMove, Assessment};
pub use directory::{TableDir, TableWriter};
pub use error::TableError;
pub use manifest::{Cycles, Manifest, UnknownCycles};
pub use statistics::LayerStatistics;
pub use tables::Tables;
