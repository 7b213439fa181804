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
//! * tables, cache, look_up, batch, assessment: asking what positions are worth;
//! * reader, whole, smaller: reading whole layers;
//! * options, sample: opening tables.

mod assessment;
mod batch;
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
mod look_up;
mod manifest;
mod map;
mod mappings;
mod named_file;
mod open_directory;
mod options;
mod reader;
mod sample;
mod sha256;
mod smaller;
mod source;
mod statistics;
mod tables;
mod whole;
mod writer;

pub use assessment::{AssessedMove, Assessment};
pub use directory::Access;
pub(crate) use encoded::memory as encoding_memory;
pub use error::TableError;
pub use layer_file::{Header, LayerFile, LayerFileError, fingerprint};
pub use lock::is_being_written;
pub use manifest::{FileEntry, FinishedLayer, Manifest};
pub use mappings::mapped_file;
pub use options::TableOptions;
pub use reader::LayerReader;
pub use sha256::Sha256;
pub use source::{ByteSource, FileSource};
pub use statistics::{Distribution, LayerStatistics};
pub use tables::Tables;
pub use writer::TableWriter;
