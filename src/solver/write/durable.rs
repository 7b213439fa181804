//! Writing files durably: each is there as a whole, or not at all.
//!
//! A file is written under a temporary name, flushed to the medium and renamed; then the
//! directory is flushed, so that the name is on the medium, too.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::lock::Lock;
use super::target::Target;
use granero_table::TableError;
use granero_table::file::directory::error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteStep {
    Create,
    Write,
    Flush,
    /// Checking that the lock still guards the directory.
    Confirm,
    Rename,
    FlushDirectory,
    Remove,
}

/// Called before each step; an error makes the step fail.
type Hook = dyn Fn(WriteStep) -> io::Result<()> + Send + Sync;

/// Writes files. Tests have a hook that makes steps fail, or does something before them.
#[derive(Default)]
pub(crate) struct Medium {
    hook: Option<Box<Hook>>,
}

impl fmt::Debug for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Medium").finish_non_exhaustive()
    }
}

impl Medium {
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn with_hook(
        hook: impl Fn(WriteStep) -> io::Result<()> + Send + Sync + 'static,
    ) -> Medium {
        Medium {
            hook: Some(Box::new(hook)),
        }
    }

    fn step(&self, step: WriteStep) -> io::Result<()> {
        self.hook.as_ref().map_or(Ok(()), |hook| hook(step))
    }

    /// Checks that the lock still guards the directory.
    pub(super) fn confirm(&self, lock: &Lock) -> Result<(), TableError> {
        let step = self.step(WriteStep::Confirm);
        step.map_err(error("read", lock.directory().path()))?;
        lock.confirm()
    }

    /// Writes a file as a whole, or not at all. It gets its name only if the lock still guards
    /// the directory then.
    pub(crate) fn write_durably<T>(
        &self,
        lock: &Lock,
        name: &str,
        write: impl FnOnce(&mut dyn Target) -> io::Result<T>,
    ) -> Result<T, TableError> {
        let directory = lock.directory();
        let failed = |found| error("write", directory.path_of(name))(found);
        self.step(WriteStep::Create).map_err(failed)?;
        let (file, temporary) = directory.create_temporary(name).map_err(failed)?;
        let mut writer = Writer { medium: self, file };
        let written = write(&mut writer).map_err(failed).and_then(|result| {
            self.name_durably(lock, writer.file, &temporary, name)?;
            Ok(result)
        });
        if written.is_err() {
            // The temporary file is useless now. If it cannot be removed, the next build
            // removes it.
            let removed = self.step(WriteStep::Remove);
            let _ = removed.and_then(|()| directory.remove(&temporary));
        }
        written
    }

    /// Gives a file that is written its name, when it is on the medium, and only if the lock still
    /// guards the directory then.
    pub(super) fn name_durably(
        &self,
        lock: &Lock,
        file: File,
        temporary: &str,
        name: &str,
    ) -> Result<(), TableError> {
        let directory = lock.directory();
        let failed = |found| error("write", directory.path_of(name))(found);
        self.step(WriteStep::Flush).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        drop(file);
        self.confirm(lock)?;
        let named = || {
            self.step(WriteStep::Rename)?;
            directory.rename(temporary, name)?;
            self.step(WriteStep::FlushDirectory)?;
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
        if let Err(error) = self.medium.step(WriteStep::Write) {
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
