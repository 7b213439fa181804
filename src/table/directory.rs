//! The directory of tables: its manifest and the names of its files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::TableError;
use super::manifest::{Manifest, layer_file_name};
use super::map::Mapped;
use super::named_file::NamedFile;
use super::open_directory::{OpenDirectory, is_nothing, open_regular};
use super::source::{ByteSource, FileSource};
use crate::cycles::Cycles;
use crate::measured::{Measure, Measured};

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
    /// Files are mapped into memory: the fastest way to look positions up.
    ///
    /// # Risk
    ///
    /// If a part of a mapped file cannot be read, that is no error: the operating system sends
    /// the signal SIGBUS, which ends the program, unless it has a handler
    /// ([`mapped_file`](super::mapped_file) helps it to say what has happened). This takes a
    /// medium that fails or vanishes, or somebody who cuts a file off while it is in use, which
    /// granero never does. Where either is possible, use [`Read`](Access::Read).
    #[default]
    Map,
    /// Files are read block by block, as positions are asked for. Whatever happens to a file is
    /// an error like any other, at most.
    ///
    /// A look-up of a block that is not in the cache takes a third to a half longer; in the cache,
    /// in batches, and where whole layers are read, it makes no difference.
    /// `docs/performance.md` has the figures.
    Read,
}

/// Where the tables of a convention for endless play are, or would be, if a directory is
/// named: it can hold both conventions, and the directory of `own-side` can be named itself.
pub(super) fn place(directory: &Path, cycles: Cycles) -> Result<PathBuf, TableError> {
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
    /// Opens the tables in a directory: those of a convention for endless play, or the first
    /// that are there.
    pub(super) fn open(path: PathBuf, cycles: Option<Cycles>) -> Result<Directory, TableError> {
        let here = match cycles {
            Some(cycles) => place(&path, cycles)?,
            None if read_manifest(&path)?.is_some() => path.clone(),
            None => place(&path, Cycles::OwnSide)?,
        };
        let found = read_manifest(&here)?;
        let wanted = |found| cycles.is_none_or(|cycles| cycles == found);
        match found {
            Some(manifest) if wanted(manifest.cycles) => Ok(Directory {
                path: here,
                manifest,
            }),
            found => Err(missing(path, cycles.unwrap_or_default(), found)),
        }
    }

    pub(super) fn layer_path(&self, seeds: u8, measure: Measure) -> PathBuf {
        self.path.join(layer_file_name(seeds, measure))
    }

    /// Opens the files of a finished layer, and makes sure that they are those of the
    /// manifest.
    pub(super) fn layer_files(
        &self,
        seeds: u8,
        access: Access,
    ) -> Result<Measured<NamedFile>, TableError> {
        let measures = self.manifest.cycles.measures();
        measures.try_map(|measure| self.layer_file(seeds, measure, access))
    }

    fn layer_file(
        &self,
        seeds: u8,
        measure: Measure,
        access: Access,
    ) -> Result<NamedFile, TableError> {
        let path = self.layer_path(seeds, measure);
        let source: io::Result<Box<dyn ByteSource>> = match access {
            Access::Map => Mapped::open(&path).map(|file| Box::new(file) as _),
            Access::Read => FileSource::open(&path).map(|file| Box::new(file) as _),
        };
        let source = source.map_err(error("read", &path))?;
        NamedFile::open(path, source, &self.manifest, seeds, measure)
    }

    /// The files of a finished layer, read from the directory as it was opened, whatever has
    /// taken its place meanwhile.
    pub(super) fn layer_files_in(
        &self,
        opened: &OpenDirectory,
        seeds: u8,
    ) -> Result<Measured<NamedFile>, TableError> {
        self.manifest.cycles.measures().try_map(|measure| {
            let name = layer_file_name(seeds, measure);
            let path = opened.path_of(&name);
            let source = opened.open_regular(&name).and_then(FileSource::of);
            let source = Box::new(source.map_err(error("read", &path))?);
            NamedFile::open(path, source, &self.manifest, seeds, measure)
        })
    }
}

/// That there are no tables of a convention for endless play, although there may be others:
/// those that were `found` in their place, or in another one.
fn missing(path: PathBuf, cycles: Cycles, found: Option<Manifest>) -> TableError {
    let mut places = [path.clone(), path.join(Cycles::OwnSide.name())].into_iter();
    // What cannot be read is not what was asked for.
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

/// The manifest, if the directory has one.
pub(super) fn read_manifest(directory: &Path) -> Result<Option<Manifest>, TableError> {
    let path = directory.join(MANIFEST);
    manifest_in(open_regular(&path), path)
}

/// The manifest of a directory that is open, if it has one.
pub(super) fn manifest_of(directory: &OpenDirectory) -> Result<Option<Manifest>, TableError> {
    manifest_in(
        directory.open_regular(MANIFEST),
        directory.path_of(MANIFEST),
    )
}

/// The manifest in a file. A file that is longer than any manifest is not read.
fn manifest_in(file: io::Result<File>, path: PathBuf) -> Result<Option<Manifest>, TableError> {
    let file = match file {
        Err(found) if is_nothing(&found) => return Ok(None),
        file => file.map_err(error("read", &path))?,
    };
    let mut bytes = Vec::new();
    let read = file.metadata().and_then(|there| {
        if there.len() > Manifest::MAX_BYTES {
            return Ok(there.len());
        }
        // It may become longer meanwhile.
        let read = file.take(Manifest::MAX_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(read as u64)
    });
    if read.map_err(error("read", &path))? > Manifest::MAX_BYTES {
        let what = format!("it has more than {} bytes", Manifest::MAX_BYTES);
        return Err(TableError::damaged(path, what));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Manifest::parse(&text, &path).map(Some),
        Err(_) => Err(TableError::damaged(path, "it is no text".into())),
    }
}
