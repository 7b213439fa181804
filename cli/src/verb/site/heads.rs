//! The beginnings of the files of tables in one file, so that a page needs one request for them all:
//! headers and models, but not the block indexes, which are long, and of which it needs little.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use granero::TableError;
use granero::table::{ByteSource, FileSource, LayerFile, Manifest};

/// The beginnings of all files, one after the other, compressed.
pub(super) struct Heads {
    pub(super) compressed: Vec<u8>,
    /// How long each is.
    pub(super) lengths: Vec<u64>,
}

/// The reader keeps files in pieces of so many bytes, and leaves out one that is not whole.
const PIECE: u64 = 1 << 10;

/// The bytes before the model and after it, see docs/format.md.
const AROUND_MODEL: u64 = 128 + 4;

impl Heads {
    /// Reads them from the files that a manifest lists. The files have been opened before, and so are
    /// those of the manifest.
    pub(super) fn of(directory: &Path, manifest: &Manifest) -> Result<Heads, TableError> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let mut lengths = Vec::new();
        for entry in manifest.files() {
            let path = directory.join(&entry.name);
            let head = head(&path).map_err(|source| TableError::Io {
                action: "read",
                path,
                source,
            })?;
            lengths.push(head.len() as u64);
            encoder.write_all(&head).expect("memory takes everything");
        }
        Ok(Heads {
            compressed: encoder.finish().expect("memory takes everything"),
            lengths,
        })
    }
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = LayerFile::open(FileSource::open(path)?).map_err(std::io::Error::other)?;
    let end = AROUND_MODEL + u64::from(file.header().model_bytes);
    let source = FileSource::open(path)?;
    let length = end.next_multiple_of(PIECE).min(source.length());
    Ok(source.bytes(0..length)?.into_owned())
}
