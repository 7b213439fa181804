//! The files of a directory of tables: layers, manifest, statistics and hashes.
//!
//! * `directory`: opens the manifest and the files of a directory;
//! * `layer_file`: reads the file of a layer;
//! * `manifest`: the list of finished layers;
//! * `named_file`: a layer file with its name, for errors;
//! * `sha256`: hashes;
//! * `statistics`: the distribution of a layer's values.

pub mod directory;
pub mod layer_file;
pub mod manifest;
pub mod named_file;
pub mod sha256;
pub mod statistics;
