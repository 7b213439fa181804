//! The beginnings of the files of tables, in one file: headers and models, but not the block indexes, which are
//! long and of which a page needs little. All headers come first, compressed together, because the page starts
//! with them; then the rest of each beginning, compressed separately, because an answer needs only some.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use granero::TableError;
use granero::table::{ByteSource, FileSource, LayerFile, Manifest, Sha256};
use serde_json::{Value, json};

use crate::system::whole_file::cannot_write;
use granero_console::failure::Failure;

/// Their folder in a site.
const FOLDER: &str = "heads";

/// The beginnings of all files, compressed.
pub(super) struct Heads {
    pub(super) compressed: Vec<u8>,
    /// Their file in the folder of the site. The name changes with the contents, so that caches cannot mix them up.
    pub(super) at: String,
    /// Their part of `site.json`.
    pub(super) document: Value,
}

/// The bytes of a header, see docs/internals/format.md. The reader also keeps files in pieces of this length, and drops
/// partial pieces.
const HEADER: u64 = 132;

/// The bytes of the checksum after the model.
const CHECKSUM: u64 = 4;

impl Heads {
    /// Reads them from the files that a manifest lists. The files were opened before, so they match the manifest.
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
            files.push(json!({
                // The beginning of the hash of the file.
                "sha256": format!("{:.16}", entry.sha256),
                // The length of the beginning, header included.
                "bytes": head.len(),
                // The compressed length of the beginning without its header.
                "compressed": rest.len(),
            }));
            headers.extend(header);
            rests.extend(rest);
        }
        let headers = compressed(&headers);
        // The compressed headers come first, the rests follow in the order of the files.
        let length = headers.len();
        let compressed = [headers, rests].concat();
        let at = format!("{FOLDER}/{name}-{:.16}.bin", Sha256::of(&compressed));
        Ok(Heads {
            compressed,
            document: json!({"at": at, "headers": length, "files": files}),
            at,
        })
    }

    /// Removes the beginnings of earlier tables from the folder of a site.
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
            let is_kept = kept.clone().any(|heads| site.join(&heads.at) == path);
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
