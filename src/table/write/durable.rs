//! Writing files durably: each is there as a whole, or not at all.
//!
//! A file is written under a temporary name, flushed to the disk and renamed; then the
//! directory is flushed, so that the name is on the disk, too.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::lock::Lock;
use super::medium::Medium;
use crate::error::TableError;
use crate::file::directory::error;

/// A file that is being made, not always from its beginning to its end.
pub trait Target: Read + Write + Seek {}

impl<T: Read + Write + Seek> Target for T {}

impl Lock {
    /// Checks that the lock still guards the directory, as a step of writing.
    pub(super) fn confirm_in_turn(&self) -> Result<(), TableError> {
        let step = self.medium.step();
        step.map_err(error("read", self.directory.path()))?;
        self.confirm()
    }

    /// Writes a file as a whole, or not at all. It gets its name only if the lock still guards
    /// the directory then.
    pub fn write_durably<T>(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Target) -> io::Result<T>,
    ) -> Result<T, TableError> {
        let (directory, medium) = (&self.directory, &self.medium);
        let failed = |found| error("write", directory.path_of(name))(found);
        medium.step().map_err(failed)?;
        let (file, temporary) = directory.create_temporary(name).map_err(failed)?;
        let mut writer = Writer { medium, file };
        let written = write(&mut writer).map_err(failed).and_then(|result| {
            self.name_durably(writer.file, &temporary, name)?;
            Ok(result)
        });
        if written.is_err() {
            // The temporary file is useless now. If it cannot be removed, the next build
            // removes it.
            let removed = medium.step();
            let _ = removed.and_then(|()| directory.remove(&temporary));
        }
        written
    }

    /// Gives a file that is written its name, when it is on the disk, and only if the lock still
    /// guards the directory then.
    pub(super) fn name_durably(
        &self,
        file: File,
        temporary: &str,
        name: &str,
    ) -> Result<(), TableError> {
        let (directory, medium) = (&self.directory, &self.medium);
        let failed = |found| error("write", directory.path_of(name))(found);
        medium.step().map_err(failed)?;
        file.sync_all().map_err(failed)?;
        drop(file);
        self.confirm_in_turn()?;
        let named = || {
            medium.step()?;
            directory.rename(temporary, name)?;
            medium.step()?;
            directory.flush()
        };
        named().map_err(failed)
    }
}

/// A file; the hook can make writing fail.
struct Writer<'a> {
    medium: &'a Medium,
    file: File,
}

impl Read for Writer<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Seek for Writer<'_> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.file.seek(place)
    }
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.medium.step() {
            // Like a full disk: write a part.
            self.file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
