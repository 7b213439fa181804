//! Tables: solved layers in a directory, written and read, and looking up what positions are worth.
//!
//! Programs depend on the crate `granero`, which re-exports this crate. Items hidden from the documentation
//! are for granero's other crates and carry no promise.
//!
//! `docs/internals/format.md` specifies the files.

#[doc(hidden)]
pub mod bytes;
#[doc(hidden)]
pub mod codec;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod file;
#[doc(hidden)]
pub mod first_error;
pub mod index;
#[doc(hidden)]
pub mod layers;
#[doc(hidden)]
pub mod look_up;
#[doc(hidden)]
pub mod parallel;
pub mod pool;
#[doc(hidden)]
pub mod rows;
#[doc(hidden)]
pub mod write;

pub use bytes::mappings::mapped_file;
pub use bytes::source::{ByteSource, FileSource};
pub use error::TableError;
pub use file::directory::Access;
#[doc(hidden)]
pub use file::directory::TableDirectory;
pub use file::layer_file::{Header, LayerFile, LayerFileError, fingerprint};
pub use file::manifest::{FileEntry, FinishedLayer, Manifest};
pub use file::sha256::Sha256;
pub use file::statistics::{Distribution, LayerStatistics};
pub use layers::reader::LayerReader;
pub use look_up::assessment::{AssessedMove, Assessment};
pub use look_up::options::TableOptions;
pub use look_up::tables::Tables;
pub use write::copy::{Part, TableCopy};
pub use write::lock::is_being_written;
pub use write::writer::TableWriter;
