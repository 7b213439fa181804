//! Writing files so that they are either there as a whole, or not at all.
//!
//! A file is written under a temporary name, flushed to the medium and renamed; then the
//! directory is flushed, so that the name stays.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};

use super::directory::error;
use super::error::TableError;
use super::lock::Lock;

/// A step on the way of a file to the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Create,
    Write,
    Flush,
    /// Making sure that the lock still guards what it was taken for.
    Confirm,
    Rename,
    FlushDirectory,
    Remove,
}

/// Whether a step succeeds.
type Fate = dyn Fn(Step) -> io::Result<()> + Send + Sync;

/// Where files are written. Tests let any step fail, or do something before it.
#[derive(Default)]
pub(super) struct Medium {
    fate: Option<Box<Fate>>,
}

impl fmt::Debug for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Medium").finish_non_exhaustive()
    }
}

impl Medium {
    #[cfg(test)]
    pub(super) fn with_fate(
        fate: impl Fn(Step) -> io::Result<()> + Send + Sync + 'static,
    ) -> Medium {
        Medium {
            fate: Some(Box::new(fate)),
        }
    }

    fn step(&self, step: Step) -> io::Result<()> {
        self.fate.as_ref().map_or(Ok(()), |fate| fate(step))
    }

    /// Makes sure that the lock still guards what it was taken for.
    pub(super) fn confirm(&self, lock: &Lock) -> Result<(), TableError> {
        let step = self.step(Step::Confirm);
        step.map_err(error("read", lock.directory().path()))?;
        lock.confirm()
    }

    /// Writes a file so that it is either there as a whole, or not at all. It gets its name
    /// only if the lock guards the directory until then.
    pub(super) fn write_durably<T>(
        &self,
        lock: &Lock,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, TableError> {
        let directory = lock.directory();
        let failed = |found| error("write", directory.path_of(name))(found);
        self.step(Step::Create).map_err(failed)?;
        let (file, temporary) = directory.create_temporary(name).map_err(failed)?;
        let whole = || {
            let mut writer = Writer { medium: self, file };
            let result = write(&mut writer)?;
            self.step(Step::Flush)?;
            writer.file.sync_all()?;
            Ok(result)
        };
        let named = || {
            self.step(Step::Rename)?;
            directory.rename(&temporary, name)?;
            self.step(Step::FlushDirectory)?;
            directory.flush()
        };
        let written = whole().map_err(failed).and_then(|result| {
            self.confirm(lock)?;
            named().map_err(failed)?;
            Ok(result)
        });
        if written.is_err() {
            // What was written takes room, and can be made again; if it cannot be removed,
            // the next build does it.
            let removed = self.step(Step::Remove);
            let _ = removed.and_then(|()| directory.remove(&temporary));
        }
        written
    }
}

/// A file to which writing may fail.
struct Writer<'a> {
    medium: &'a Medium,
    file: File,
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.medium.step(Step::Write) {
            // As a full disk does: some of it is written.
            self.file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
