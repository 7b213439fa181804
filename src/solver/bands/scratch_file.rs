//! A temporary file that a solver reads and writes at any place.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::file::directory::error;

/// A temporary file, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct ScratchFile {
    directory: Arc<OpenDirectory>,
    name: String,
    file: File,
    /// The bytes that were ever read and written.
    pub(super) bytes_read: u64,
    pub(super) bytes_written: u64,
}

impl ScratchFile {
    /// Makes a file in a directory; `name` is the beginning of its name.
    pub(super) fn new(
        directory: Arc<OpenDirectory>,
        name: &str,
    ) -> Result<ScratchFile, TableError> {
        let made = directory.create_temporary(name);
        let (file, name) = made.map_err(error("write", directory.path_of(name)))?;
        Ok(ScratchFile {
            directory,
            name,
            file,
            bytes_read: 0,
            bytes_written: 0,
        })
    }

    /// Reads bytes from a place on.
    pub(super) fn read(&mut self, place: u64, bytes: &mut [u8]) -> Result<(), TableError> {
        self.bytes_read += bytes.len() as u64;
        let read = self.at(place).and_then(|mut file| file.read_exact(bytes));
        read.map_err(error("read", self.directory.path_of(&self.name)))
    }

    /// Writes bytes from a place on.
    pub(super) fn write(&mut self, place: u64, bytes: &[u8]) -> Result<(), TableError> {
        self.bytes_written += bytes.len() as u64;
        let written = self.at(place).and_then(|mut file| file.write_all(bytes));
        written.map_err(error("write", self.directory.path_of(&self.name)))
    }

    fn at(&mut self, place: u64) -> io::Result<&File> {
        self.file.seek(SeekFrom::Start(place))?;
        Ok(&self.file)
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        // If it cannot be removed now, the next build does it.
        let _ = self.directory.remove(&self.name);
    }
}
