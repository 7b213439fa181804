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
pub(crate) use turned_file::own_strip_memory;
pub use turned_file::{SHARED_STRIP, Strip, TurnedFile, strip_memory, strips};
