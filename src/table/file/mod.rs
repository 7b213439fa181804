//! The files of a directory of tables: layers, manifest, statistics and hashes.
//!
//! * `directory`: the manifest and the files of a directory;
//! * `layer_file`: reading the file of a layer;
//! * `manifest`: what a directory holds;
//! * `named_file`: a file with its name, for errors;
//! * `sha256`: hashes;
//! * `statistics`: a layer in a few numbers.

pub mod directory;
pub mod layer_file;
pub mod manifest;
pub mod named_file;
pub mod sha256;
pub mod statistics;
