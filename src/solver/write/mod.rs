//! Writing tables: encoding layers, and adding them to a directory.
//!
//! * `compression`: zstd, for temporary files and checkpoints;
//! * `copy`: tables that are copied from elsewhere;
//! * `durable`: files that are on the disk as a whole or not at all;
//! * `encoded`: a layer as the bytes of its file;
//! * `holder`: the process that holds a lock;
//! * `lock`: the only writer of a directory;
//! * `next_layer`: adding a layer;
//! * `smaller`: smaller layers, in memory or in files;
//! * `target`: files that are being made;
//! * `turned_file`: a turned layer in a file;
//! * `writer`: a directory that layers are added to.

pub(crate) mod compression;
pub(crate) mod copy;
pub(crate) mod durable;
pub(crate) mod encoded;
pub(crate) mod holder;
pub(crate) mod lock;
pub(crate) mod next_layer;
pub(crate) mod smaller;
pub(crate) mod target;
pub(crate) mod turned_file;
pub(crate) mod writer;

pub(crate) use compression::{Decompressor, compress_bound, compressor};
pub(crate) use encoded::memory as encoding_memory;
pub use encoded::{Blocks, EncodedLayer};
pub(crate) use lock::Lock;
pub use next_layer::{NextLayer, Smaller};
pub use smaller::SmallerLayers;
pub use target::Target;
pub(crate) use turned_file::own_strip_memory;
pub use turned_file::{SHARED_STRIP, Strip, TurnedFile, strip_memory, strips, turned_name};
pub use writer::TableWriter;
