//! Tables: solved layers in a directory.
//!
//! A directory holds the tables of one ruleset and one convention for endless play: a
//! manifest, `granero.json`, and a file for each layer. The manifest lists the layers
//! that are finished, with their statistics; a file that it does not list means nothing.
//!
//! `docs/format.md` specifies the files. What is here, from the bottom up:
//!
//! * codec: how values become few bytes, and bytes values again;
//! * known: what need not be stored, because whoever asks can work it out;
//! * layer_file, encoded: the file of a layer, to be read and to be written;
//! * open_directory, lock, holder: a directory that stays the same one, and its only writer;
//! * source, map, mappings, durable: bytes from files, what is mapped, and bytes into files;
//! * directory, manifest, writer: a directory of such files, and adding to it;
//! * tables, cache, reader, whole, assessment: asking what positions are worth.

mod assessment;
mod cache;
mod codec;
mod directory;
mod durable;
mod encoded;
mod error;
mod holder;
mod known;
mod layer_file;
mod lock;
mod manifest;
mod map;
mod mappings;
mod named_file;
mod open_directory;
mod reader;
mod sample;
mod smaller;
mod source;
mod statistics;
mod tables;
mod whole;
mod writer;

pub use crate::cycles::{Cycles, UnknownCycles};
pub use assessment::{AssessedMove, Assessment};
pub use directory::Access;
pub(crate) use encoded::memory as encoding_memory;
pub use error::TableError;
pub use layer_file::{Header, LayerFile, LayerFileError, fingerprint};
pub use lock::is_being_written;
pub use manifest::{FileEntry, Manifest};
pub use mappings::mapped_file;
pub use reader::LayerReader;
pub use source::{ByteSource, FileSource};
pub use statistics::{HighStatistics, LayerStatistics};
pub use tables::{TableOptions, Tables};
pub use writer::TableWriter;
