//! The directory of tables: its manifest and the names of its files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::durable::Medium;
use super::error::TableError;
use super::manifest::{Manifest, layer_file_name};
use super::map;
use super::named_file::NamedFile;
use super::source::{ByteSource, FileSource};

pub(super) const MANIFEST: &str = Manifest::FILE;

/// How files are read.
///
/// ```
/// use granero::table::Access;
///
/// assert_eq!(Access::default(), Access::Map);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Files are mapped into memory: the fastest way. If somebody cuts a file off while it
    /// is in use, or its medium vanishes, the operating system ends the program (SIGBUS).
    #[default]
    Map,
    /// Files are read block by block. Whatever happens to a file, that is an error at
    /// most.
    Read,
}

/// The directory of tables.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    pub(super) manifest: Manifest,
}

/// What went wrong with a file, said with its name.
pub(super) fn error(
    action: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> TableError {
    let path = path.into();
    move |source| TableError::Io {
        action,
        path,
        source,
    }
}

impl Directory {
    pub(super) fn open(path: PathBuf) -> Result<Directory, TableError> {
        match read_manifest(&path)? {
            Some(manifest) => Ok(Directory { path, manifest }),
            None => Err(TableError::NoTables { path }),
        }
    }

    pub(super) fn layer_path(&self, seeds: u8) -> PathBuf {
        self.path.join(layer_file_name(seeds))
    }

    /// Opens the file of a finished layer, and makes sure that it is the one of the
    /// manifest.
    pub(super) fn layer_file(&self, seeds: u8, access: Access) -> Result<NamedFile, TableError> {
        let path = self.layer_path(seeds);
        let source: io::Result<Box<dyn ByteSource>> = match access {
            Access::Map => map::map(&path).map(|map| Box::new(map) as _),
            Access::Read => FileSource::open(&path).map(|file| Box::new(file) as _),
        };
        let source = source.map_err(error("read", &path))?;
        NamedFile::open(path, source, &self.manifest, seeds)
    }

    pub(super) fn write_manifest(&self, medium: &Medium) -> Result<(), TableError> {
        let path = self.path.join(MANIFEST);
        let written = medium.write_durably(&path, |file| {
            let mut text = serde_json::to_vec(&self.manifest)?;
            text.push(b'\n');
            file.write_all(&text)
        });
        written.map_err(error("write", path))
    }
}

/// The manifest, if the directory has one.
pub(super) fn read_manifest(directory: &Path) -> Result<Option<Manifest>, TableError> {
    let path = directory.join(MANIFEST);
    match fs::read_to_string(&path) {
        Err(found) if found.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(found) if found.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(found) if found.kind() == io::ErrorKind::InvalidData => Err(TableError::Damaged {
            path,
            what: "it is no text".into(),
        }),
        Err(found) => Err(error("read", path)(found)),
        Ok(text) => Manifest::parse(&text, &path).map(Some),
    }
}
