//! Copying tables into a directory: files arrive in pieces, and count when they are whole.
//!
//! A file that arrives has a name that ends in `.part`, and stays when the program ends, so that the
//! copy can go on. It gets its own name when it is what the manifest of the tables promises; then
//! its layer is listed.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::writer::TableWriter;
use crate::bytes::source::FileSource;
use crate::error::TableError;
use crate::file::directory::error;
use crate::file::manifest::{FileEntry, Manifest, part_name};
use crate::file::named_file::NamedFile;
use crate::index::Layer;

/// A directory into which tables are copied. No other program can write to it
/// until this is dropped. All that it does fails when the directory cannot be read or written to.
///
/// ```
/// use std::io::Write;
/// use granero::{Tables, table::{Manifest, TableCopy}};
///
/// # let place = tempfile::tempdir()?;
/// # let from = std::path::Path::new("../table/sample");
/// # let directory = place.path().join("granero-db");
/// let manifest = std::fs::read_to_string(from.join(Manifest::FILE))?;
/// let mut copy = TableCopy::open(&directory, Manifest::from_text(&manifest)?)?;
/// while let Some(mut part) = copy.next(6)? {
///     // What arrived earlier need not be fetched again.
///     let file = std::fs::read(from.join(&part.entry().name))?;
///     part.write_all(&file[part.length() as usize..])?;
///     copy.add(part)?;
/// }
/// drop(copy);
/// assert_eq!(Tables::open(directory)?.max_seeds(), Some(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TableCopy {
    writer: TableWriter,
    /// The manifest of the tables that are copied.
    origin: Manifest,
}

/// A file of tables, as far as it has arrived. Bytes are added at its end.
#[derive(Debug)]
pub struct Part {
    layer: Layer,
    entry: FileEntry,
    path: PathBuf,
    file: File,
    length: u64,
}

impl TableCopy {
    /// Opens a directory to copy tables into, or creates it; `origin` is their manifest. As in a
    /// build, tables with endless play by `own-side` are in its subdirectory `own-side`.
    ///
    /// # Errors
    ///
    /// Like [`TableWriter::open`], and when the layers that are there have other values.
    pub fn open(path: impl Into<PathBuf>, origin: Manifest) -> Result<TableCopy, TableError> {
        let mut writer = TableWriter::open(path, origin.kind())?;
        let layers = writer.manifest().layers.iter().zip(&origin.layers);
        for (here, there) in layers {
            if here.statistics != there.statistics {
                return Err(TableError::OtherValues {
                    path: writer.path().into(),
                    seeds: here.statistics.seeds,
                });
            }
        }
        // A layer beyond the tables that are copied cannot be fetched again.
        let most = origin.finished().checked_sub(1);
        if let Some(most) = most {
            writer.find_lacking(most, |_| {})?;
        }
        Ok(TableCopy { writer, origin })
    }

    /// The directory of the tables.
    pub fn path(&self) -> &Path {
        self.writer.path()
    }

    /// The manifest of the directory.
    pub fn manifest(&self) -> &Manifest {
        self.writer.manifest()
    }

    /// The files that are still missing of the layers with at most `seeds` seeds, and those of finished layers that are
    /// gone or damaged, each with the length that has arrived. They are checked only when they are whole.
    pub fn missing(&self, seeds: u8) -> Result<Vec<(FileEntry, u64)>, TableError> {
        let directory = &self.writer.lock.directory;
        let arrived = |(layer, entry): (Layer, &FileEntry)| {
            let length = |name: &str| {
                let length = directory.length_of(name);
                length.map_err(error("read", directory.path_of(name)))
            };
            let arrived = match length(&entry.name)? {
                Some(length) if length == entry.bytes && self.is_new(layer) => length,
                _ => length(&part_name(&entry.name))?.unwrap_or(0),
            };
            Ok((entry.clone(), arrived.min(entry.bytes)))
        };
        self.wanted(seeds).map(arrived).collect()
    }

    /// The next of the [`missing`](TableCopy::missing) files, as far as it has arrived; `None` when all are there.
    pub fn next(&mut self, seeds: u8) -> Result<Option<Part>, TableError> {
        loop {
            let Some((layer, entry)) = self.wanted(seeds).next() else {
                return Ok(None);
            };
            let directory = &self.writer.lock.directory;
            let whole = directory.open_regular(&entry.name);
            if whole.is_ok_and(|file| self.check(layer, file).is_ok()) {
                self.list(layer)?;
                continue;
            }
            let entry = entry.clone();
            let name = part_name(&entry.name);
            let path = directory.path_of(&name);
            let opened = directory.open_part(&name).and_then(|mut file| {
                let length = file.seek(SeekFrom::End(0))?;
                Ok((file, length))
            });
            let (file, length) = opened.map_err(error("write", &path))?;
            let mut part = Part {
                layer,
                entry,
                path,
                file,
                length,
            };
            if part.length > part.entry.bytes {
                part.restart()?;
            }
            return Ok(Some(part));
        }
    }

    /// The files to fetch: those that are missing up to `seeds` seeds, and all that are gone or damaged.
    fn wanted(&self, seeds: u8) -> impl Iterator<Item = (Layer, &FileEntry)> {
        let files = Layer::all().zip(self.origin.files());
        files.filter(move |&(layer, _)| {
            self.writer.lacks(layer) && (layer.seeds() <= seeds || !self.is_new(layer))
        })
    }

    fn is_new(&self, layer: Layer) -> bool {
        layer.seeds() >= self.manifest().finished()
    }

    /// Adds a file that has arrived, if it is what the manifest promises. When this returns, it is on
    /// the disk.
    ///
    /// # Errors
    ///
    /// When it is something else, which is removed ([`TableError::Damaged`],
    /// [`TableError::OtherTable`] or [`TableError::OtherFormat`]); or when the directory or its lock has been moved or
    /// removed.
    pub fn add(&mut self, part: Part) -> Result<(), TableError> {
        let name = part_name(&part.entry.name);
        let file = part.file.try_clone().map_err(error("read", &part.path))?;
        let checked = self.check(part.layer, file);
        let directory = &self.writer.lock.directory;
        match checked {
            Ok(()) => {}
            Err(found @ TableError::Io { .. }) => return Err(self.writer.cause(found)),
            Err(found) => {
                self.writer.lock.confirm()?;
                directory
                    .remove(&name)
                    .map_err(error("remove", part.path))?;
                return Err(found);
            }
        }
        let named = (self.writer.lock).name_durably(part.file, &name, &part.entry.name);
        named.map_err(|error| self.writer.cause(error))?;
        self.list(part.layer)
    }

    /// Lists a layer: its file is there.
    fn list(&mut self, layer: Layer) -> Result<(), TableError> {
        let layer = self.origin.layers[usize::from(layer.seeds())].clone();
        let listed = self.writer.list(layer);
        listed.map_err(|error| self.writer.cause(error))
    }

    /// Checks that the directory holds the copied layers.
    ///
    /// # Errors
    ///
    /// When it does not, or it or its lock has been moved or removed.
    pub fn confirm(&self) -> Result<(), TableError> {
        self.writer.confirm()
    }

    /// Reads the file of a layer, and compares it with its checksums and with the manifest.
    fn check(&self, layer: Layer, file: File) -> Result<(), TableError> {
        let entry = &self.origin.layers[usize::from(layer.seeds())].file;
        let path = self.writer.lock.directory.path_of(&entry.name);
        let source = FileSource::of(file).map_err(error("read", &path))?;
        let source = Box::new(source);
        let named = NamedFile::open(path, source, &self.origin, layer.seeds())?;
        named.verify(entry.sha256, &|_| {})
    }
}

impl Part {
    /// The entry of the file in the manifest.
    pub fn entry(&self) -> &FileEntry {
        &self.entry
    }

    /// The length that has arrived.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Forgets what has arrived.
    ///
    /// # Errors
    ///
    /// When it cannot be written to.
    pub fn restart(&mut self) -> Result<(), TableError> {
        let cut = self.file.set_len(0).and_then(|()| self.file.rewind());
        cut.map_err(error("write", &self.path))?;
        self.length = 0;
        Ok(())
    }
}

/// Takes nothing beyond the length of the file.
impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.entry.bytes.saturating_sub(self.length);
        let taken = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let written = self.file.write(&bytes[..taken])?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
