//! The beginnings of the files of tables in one file: headers and models, but not the block indexes, which
//! are long, and of which a page needs little. First all headers, compressed together, because it takes
//! them all to begin; then the rest of each beginning, compressed by itself, because an answer needs
//! only some.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use granero::TableError;
use granero::table::{ByteSource, FileSource, LayerFile, Manifest, Sha256};
use serde::Serialize;

use super::{cannot_write, write};
use granero_console::failure::Failure;

/// Where they are in the folder of a site.
const FOLDER: &str = "heads";

/// The beginnings of all files, compressed.
pub(super) struct Heads {
    compressed: Vec<u8>,
    pub(super) document: HeadsJson,
}

#[derive(Clone, Serialize)]
pub(super) struct HeadsJson {
    /// Their file in the folder of the site. Others have another name, so that whatever keeps files by
    /// their addresses cannot take them for these.
    at: String,
    /// The bytes of all headers, compressed, with which the file begins.
    headers: usize,
    /// The rest of the beginnings follows in this order.
    files: Vec<HeadJson>,
}

#[derive(Clone, Serialize)]
struct HeadJson {
    /// The beginning of the hash of the file.
    sha256: String,
    /// How long the beginning of the file is, its header included.
    bytes: usize,
    /// The bytes of the beginning without the header, compressed.
    compressed: usize,
}

/// The bytes of a header, see docs/format.md. The reader keeps files in pieces of so many bytes, too, and
/// leaves out one that is not whole.
const HEADER: u64 = 128;

/// The bytes of the checksum after the model.
const CHECKSUM: u64 = 4;

impl Heads {
    /// Reads them from the files that a manifest lists. The files have been opened before, and so are
    /// those of the manifest.
    pub(super) fn of(
        name: &str,
        directory: &Path,
        manifest: &Manifest,
    ) -> Result<Heads, TableError> {
        let (mut headers, mut rests, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for entry in manifest.files() {
            let path = directory.join(&entry.name);
            let head = head(&path).map_err(|source| TableError::Io {
                action: "read",
                path,
                source,
            })?;
            let (header, rest) = head.split_at(HEADER as usize);
            let rest = compressed(rest);
            files.push(HeadJson {
                sha256: format!("{:.16}", entry.sha256),
                bytes: head.len(),
                compressed: rest.len(),
            });
            headers.extend(header);
            rests.extend(rest);
        }
        let headers = compressed(&headers);
        let length = headers.len();
        let compressed = [headers, rests].concat();
        let hash = Sha256::of(&compressed);
        Ok(Heads {
            compressed,
            document: HeadsJson {
                at: format!("{FOLDER}/{name}-{hash:.16}.bin"),
                headers: length,
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

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = LayerFile::open(FileSource::open(path)?).map_err(std::io::Error::other)?;
    let end = HEADER + u64::from(file.header().model_bytes) + CHECKSUM;
    let source = FileSource::open(path)?;
    let length = end.next_multiple_of(HEADER).min(source.length());
    Ok(source.bytes(0..length)?.into_owned())
}
