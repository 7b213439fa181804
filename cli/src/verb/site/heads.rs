//! The beginnings of the files of tables in one file, so that a page needs one request for them all:
//! headers and models, but not the block indexes, which are long, and of which it needs little.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use granero::TableError;
use granero::table::{ByteSource, FileSource, LayerFile, Manifest, Sha256};
use serde::Serialize;

use super::{cannot_write, write};
use crate::failure::Failure;

/// Where they are in the folder of a site.
const FOLDER: &str = "heads";

/// The beginnings of all files, one after the other, compressed.
pub(super) struct Heads {
    compressed: Vec<u8>,
    pub(super) document: HeadsJson,
}

#[derive(Clone, Serialize)]
pub(super) struct HeadsJson {
    /// Their file in the folder of the site. Others have another name, so that whatever keeps files by
    /// their addresses cannot take them for these.
    at: String,
    files: Vec<HeadJson>,
}

#[derive(Clone, Serialize)]
struct HeadJson {
    /// The beginning of the hash of the file.
    sha256: String,
    /// How long the beginning of the file is.
    bytes: u64,
}

/// The reader keeps files in pieces of so many bytes, and leaves out one that is not whole.
const PIECE: u64 = 1 << 10;

/// The bytes before the model and after it, see docs/format.md.
const AROUND_MODEL: u64 = 128 + 4;

impl Heads {
    /// Reads them from the files that a manifest lists. The files have been opened before, and so are
    /// those of the manifest.
    pub(super) fn of(
        name: &str,
        directory: &Path,
        manifest: &Manifest,
    ) -> Result<Heads, TableError> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let mut files = Vec::new();
        for entry in manifest.files() {
            let path = directory.join(&entry.name);
            let head = head(&path).map_err(|source| TableError::Io {
                action: "read",
                path,
                source,
            })?;
            files.push(HeadJson {
                sha256: format!("{:.16}", entry.sha256),
                bytes: head.len() as u64,
            });
            encoder.write_all(&head).expect("memory takes everything");
        }
        let compressed = encoder.finish().expect("memory takes everything");
        let hash = Sha256::of(&compressed);
        Ok(Heads {
            compressed,
            document: HeadsJson {
                at: format!("{FOLDER}/{name}-{hash:.16}.bin"),
                files,
            },
        })
    }

    /// Writes them into the folder of a site.
    pub(super) fn put(&self, site: &Path) -> Result<(), Failure> {
        let folder = site.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
        write(&site.join(&self.document.at), &self.compressed)
    }

    /// Removes those of earlier tables from the folder of a site.
    pub(super) fn remove_others<'a>(
        site: &Path,
        kept: impl Iterator<Item = &'a Heads> + Clone,
    ) -> Result<(), Failure> {
        let folder = site.join(FOLDER);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|error| cannot_write(&folder, &error))?,
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_kept = kept
                .clone()
                .any(|heads| site.join(&heads.document.at) == path);
            if !is_kept && path.extension().is_some_and(|extension| extension == "bin") {
                fs::remove_file(&path).map_err(|error| cannot_write(&path, &error))?;
            }
        }
        Ok(())
    }
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = LayerFile::open(FileSource::open(path)?).map_err(std::io::Error::other)?;
    let end = AROUND_MODEL + u64::from(file.header().model_bytes);
    let source = FileSource::open(path)?;
    let length = end.next_multiple_of(PIECE).min(source.length());
    Ok(source.bytes(0..length)?.into_owned())
}
