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
//! * source, map, durable: bytes from files, and into them;
//! * directory, manifest, writer: a directory of such files, and adding to it;
//! * tables, cache, reader, whole, assessment: asking what positions are worth.

mod assessment;
mod cache;
mod codec;
mod directory;
mod durable;
mod encoded;
mod error;
mod known;
mod layer_file;
mod manifest;
mod map;
mod named_file;
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
pub use manifest::{FileEntry, Manifest};
pub use reader::LayerReader;
pub use source::{ByteSource, FileSource};
pub use statistics::{HighStatistics, LayerStatistics};
pub use tables::{TableOptions, Tables};
pub use writer::{TableWriter, is_being_written};
