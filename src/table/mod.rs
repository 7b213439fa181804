//! Tables: solved layers in a directory.
//!
//! A directory holds the tables of one ruleset and one convention for endless play: a
//! manifest, `granero.json`, and a file for each layer. The manifest lists the finished
//! layers, with their statistics; readers ignore a file that it does not list.
//!
//! `docs/format.md` specifies the files. The modules, from the bottom up:
//!
//! * codec: compresses values into a few bytes, and back;
//! * known: values that are not stored, because a reader can work them out;
//! * layer_file, encoded: reading and writing the file of a layer;
//! * open_directory, lock, holder: an open directory, and its only writer;
//! * source, map, mappings, durable: bytes from files, mapped files, and bytes into files;
//! * directory, manifest, writer: a directory of layer files, and adding layers;
//! * tables, cache, look_up, batch, assessment: looking up what positions are worth;
//! * reader, whole, smaller: reading whole layers;
//! * shared: tables that several processes write together;
//! * copy: tables that are copied from elsewhere;
//! * options, sample: opening tables.

pub(crate) mod assessment;
mod batch;
mod cache;
mod checkpoint;
mod codec;
mod compression;
mod copy;
pub(crate) mod directory;
mod durable;
mod encoded;
pub(crate) mod error;
mod holder;
mod known;
mod layer_file;
mod lock;
mod look_up;
mod manifest;
mod map;
mod mappings;
mod named_file;
mod next_layer;
mod open_directory;
pub(crate) mod options;
mod reader;
mod sample;
mod sha256;
mod shared;
mod smaller;
mod source;
mod statistics;
pub(crate) mod tables;
mod target;
mod turned_file;
mod whole;
mod writer;

pub(crate) use assessment::{AssessedMove, Assessment};
pub use checkpoint::Checkpoint;
pub(crate) use checkpoint::{joint_pieces_memory, pieces_memory};
pub use copy::{Part, TableCopy};
pub(crate) use encoded::{bits_memory, memory as encoding_memory};
pub(crate) use error::{NotYet, TableError};
pub use layer_file::{Header, LayerFile, LayerFileError, fingerprint};
pub use lock::is_being_written;
pub use manifest::{FileEntry, FinishedLayer, Manifest};
pub use mappings::mapped_file;
pub(crate) use next_layer::{NextLayer, Smaller};
pub use reader::LayerReader;
pub use sha256::Sha256;
pub(crate) use shared::{Parts, SharedError, SharedTables};
pub use source::{ByteSource, FileSource};
pub use statistics::{Distribution, LayerStatistics};
pub(crate) use tables::Tables;
pub(crate) use turned_file::{TurnedFile, own_strip_memory, strip_memory};
pub use writer::TableWriter;
