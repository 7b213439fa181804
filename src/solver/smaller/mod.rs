//! Smaller layers, kept for the layers with more seeds: captures lead to them.
//!
//! * `directory`: a directory of tables, with the smaller layers of the one that is solved;
//! * `layers`: smaller layers, in memory or in files;
//! * `turned_file`: a turned layer in a file.

pub(crate) mod directory;
mod layers;
mod turned_file;

pub use directory::BuildDirectory;
pub use layers::SmallerLayers;
pub use turned_file::TurnedFile;
pub(crate) use turned_file::strip_memory;
