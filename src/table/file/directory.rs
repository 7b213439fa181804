//! The directory of tables: its manifest and its files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, layer_file_name};
use super::named_file::NamedFile;
use crate::bytes::map::Mapped;
use crate::bytes::open_directory::{OpenDirectory, is_absent, open_regular};
use crate::bytes::source::{ByteSource, FileSource};
use crate::error::TableError;
use granero_game::Cycles;

pub const MANIFEST: &str = Manifest::FILE;

/// The way in which files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Maps files into memory: the fastest way to look positions up.
    ///
    /// # Risk
    ///
    /// If a part of a mapped file cannot be read, there is no error: the operating system sends
    /// the signal SIGBUS, which ends the program unless it has a handler
    /// ([`mapped_file`](crate::bytes::mappings::mapped_file) tells the handler which file it is). This happens
    /// when a disk fails or vanishes, or when another program truncates a file in use; granero never
    /// truncates one. If either is possible, use [`Read`](Access::Read).
    #[default]
    Map,
    /// Reads the blocks that a look-up needs. Whatever happens to the file, the result is an ordinary error.
    ///
    /// A look-up takes longer if its block is not in the cache.
    Read,
}

/// The present or future place of tables with a convention for endless play. The user names a directory
/// for both conventions, or the directory of the `own-side` tables itself.
pub fn place(directory: &Path, cycles: Cycles) -> Result<PathBuf, TableError> {
    let within = directory.join(Cycles::OwnSide.name());
    let is_own_side =
        |manifest: Option<Manifest>| manifest.is_some_and(|found| found.cycles == Cycles::OwnSide);
    match cycles {
        Cycles::Split => Ok(directory.into()),
        Cycles::OwnSide if read_manifest(&within)?.is_some() => Ok(within),
        Cycles::OwnSide if is_own_side(read_manifest(directory)?) => Ok(directory.into()),
        Cycles::OwnSide => Ok(within),
    }
}

/// The directory of tables.
#[derive(Debug)]
pub struct TableDirectory {
    pub path: PathBuf,
    pub manifest: Manifest,
}

/// Adds the name of a file to an error.
pub fn error(
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

impl TableDirectory {
    /// Opens the tables in a directory: with the given convention for endless play, otherwise `split` if
    /// there are such tables, otherwise `own-side`.
    pub fn open(path: PathBuf, cycles: Option<Cycles>) -> Result<TableDirectory, TableError> {
        let here = match cycles {
            Some(cycles) => place(&path, cycles)?,
            None if read_manifest(&path)?.is_some() => path.clone(),
            None => place(&path, Cycles::OwnSide)?,
        };
        let found = read_manifest(&here)?;
        let wanted = |found| cycles.is_none_or(|cycles| cycles == found);
        match found {
            Some(manifest) if wanted(manifest.cycles) => Ok(TableDirectory {
                path: here,
                manifest,
            }),
            found => Err(missing(path, cycles.unwrap_or_default(), found)),
        }
    }

    /// Opens the file of a finished layer, and checks that it matches the manifest.
    pub(crate) fn layer_file(&self, seeds: u8, access: Access) -> Result<NamedFile, TableError> {
        let path = self.path.join(layer_file_name(seeds));
        let source = open_regular(&path).and_then(|file| {
            Ok(match access {
                Access::Map => Box::new(Mapped::of(&file, &path)?) as Box<dyn ByteSource>,
                Access::Read => Box::new(FileSource::of(file)?),
            })
        });
        let source = source.map_err(error("read", &path))?;
        NamedFile::open(path, source, &self.manifest, seeds)
    }
}

/// Opens the file of a finished layer in the open directory, even if another one has its path now.
pub(crate) fn layer_file_in(
    manifest: &Manifest,
    opened: &OpenDirectory,
    seeds: u8,
) -> Result<NamedFile, TableError> {
    let name = layer_file_name(seeds);
    let path = opened.path_of(&name);
    let source = opened.open_regular(&name).and_then(FileSource::of);
    let source = Box::new(source.map_err(error("read", &path))?);
    NamedFile::open(path, source, manifest, seeds)
}

/// The error for missing tables of a convention for endless play. It mentions tables of the other
/// convention, which have the manifest `found` or are in another place.
fn missing(path: PathBuf, cycles: Cycles, found: Option<Manifest>) -> TableError {
    let mut places = [path.clone(), path.join(Cycles::OwnSide.name())].into_iter();
    // Ignore unreadable tables: the user did not ask for them.
    let other = found.or_else(|| places.find_map(|place| read_manifest(&place).ok().flatten()));
    match other {
        Some(other) => TableError::OtherCycles {
            path,
            cycles,
            found: other.cycles,
            rules: other.rules,
        },
        None => TableError::NoTables { path, cycles },
    }
}

/// Reads the manifest, if the directory has one.
pub fn read_manifest(directory: &Path) -> Result<Option<Manifest>, TableError> {
    let path = directory.join(MANIFEST);
    manifest_in(open_regular(&path), path)
}

/// Reads the manifest of an open directory, if it has one.
pub fn manifest_of(directory: &OpenDirectory) -> Result<Option<Manifest>, TableError> {
    manifest_in(
        directory.open_regular(MANIFEST),
        directory.path_of(MANIFEST),
    )
}

/// Reads the manifest in a file, if it exists. Does not read files longer than any manifest.
fn manifest_in(file: io::Result<File>, path: PathBuf) -> Result<Option<Manifest>, TableError> {
    let file = match file {
        Err(found) if is_absent(&found) => return Ok(None),
        file => file.map_err(error("read", &path))?,
    };
    let mut bytes = Vec::new();
    let read = file.metadata().and_then(|there| {
        if there.len() > Manifest::MAX_BYTES {
            return Ok(there.len());
        }
        // The file may grow before it is read.
        let read = file.take(Manifest::MAX_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(read as u64)
    });
    if read.map_err(error("read", &path))? > Manifest::MAX_BYTES {
        let what = format!("it has more than {} bytes", Manifest::MAX_BYTES);
        return Err(TableError::damaged(path, what));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Manifest::parse(&text, &path).map(Some),
        Err(_) => Err(TableError::damaged(path, "it is not text")),
    }
}
