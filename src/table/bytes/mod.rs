//! Bytes from files: open directories, mapped files, and other sources.
//!
//! * `map`: mapping a file into memory, the one `unsafe` of the tables;
//! * `mappings`: the addresses of mapped files, for a signal handler;
//! * `open_directory`: a directory that stays the same even if its name changes;
//! * `source`: sources of the bytes of a layer file.

pub mod map;
pub mod mappings;
pub mod open_directory;
pub mod source;
