//! A temporary file that a solver reads and writes at any place.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granero_table::TableError;
use granero_table::bytes::map::Mapped;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::bytes::source::read_at;
use granero_table::file::directory::error;

/// The bytes that are written at once: Linux keeps a file in the page cache in pieces as large as they were written, and
/// to write a page later it looks at all pages of its piece. Smaller pieces take more calls.
const PIECE: usize = 1 << 15;

/// An open temporary file.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    place: ClosedFile,
    file: File,
    read: AtomicU64,
    written: AtomicU64,
}

/// A temporary file, which is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct ClosedFile {
    directory: Arc<OpenDirectory>,
    name: String,
    /// Another process has made it, and removes it.
    is_shared: bool,
}

impl ScratchFile {
    /// Makes a file in a directory; `name` is the beginning of its name.
    pub(crate) fn new(
        directory: Arc<OpenDirectory>,
        name: &str,
    ) -> Result<ScratchFile, TableError> {
        let made = directory.create_temporary(name);
        let (file, name) = made.map_err(error("write", directory.path_of(name)))?;
        Ok(ScratchFile::of(directory, name, file, false))
    }

    /// Opens a file that another process has made.
    pub(crate) fn shared(
        directory: Arc<OpenDirectory>,
        name: String,
    ) -> Result<ScratchFile, TableError> {
        let file = directory.open_shared(&name);
        let file = file.map_err(error("write", directory.path_of(&name)))?;
        Ok(ScratchFile::of(directory, name, file, true))
    }

    fn of(directory: Arc<OpenDirectory>, name: String, file: File, is_shared: bool) -> ScratchFile {
        let place = ClosedFile {
            directory,
            name,
            is_shared,
        };
        ScratchFile {
            place,
            file,
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        }
    }

    /// The name, by which other processes open it.
    pub(crate) fn name(&self) -> &str {
        &self.place.name
    }

    /// Flushes what was written: over a network, an error may come only now.
    pub(crate) fn flush(&self) -> Result<(), TableError> {
        let flushed = self.file.sync_data();
        flushed.map_err(|failed| self.error("write", failed))
    }

    /// Closes the file. Only then all processes see what was written, where they see it over a network.
    pub(crate) fn close(self) -> ClosedFile {
        self.place
    }

    pub(crate) fn read(&self, place: u64, bytes: &mut [u8]) -> Result<(), TableError> {
        self.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let read = faults::step().and_then(|()| read_at(&self.file, bytes, place));
        read.map_err(|failed| self.error("read", failed))
    }

    pub(crate) fn write(&self, place: u64, bytes: &[u8]) -> Result<(), TableError> {
        self.written
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let mut pieces = (place..).step_by(PIECE).zip(bytes.chunks(PIECE));
        let written = faults::step().and_then(|()| {
            pieces.try_for_each(|(place, bytes)| write_at(&self.file, bytes, place))
        });
        written.map_err(|failed| self.error("write", failed))
    }

    #[cold]
    fn error(&self, doing: &'static str, failed: io::Error) -> TableError {
        let ClosedFile {
            directory, name, ..
        } = &self.place;
        error(doing, directory.path_of(name))(failed)
    }

    /// The bytes that were read and written.
    pub(crate) fn moved(&self) -> (u64, u64) {
        let [read, written] = [&self.read, &self.written];
        (
            read.load(Ordering::Relaxed),
            written.load(Ordering::Relaxed),
        )
    }
}

impl ClosedFile {
    /// Maps the file into memory for reading: so many bytes.
    pub(crate) fn map(&self, len: u64) -> Result<Mapped, TableError> {
        let path = self.directory.path_of(&self.name);
        let mapped = self.directory.open_regular(&self.name);
        let mapped = mapped.and_then(|file| Mapped::of(&file, &path));
        let mapped = mapped.map_err(error("read", &path))?;
        if mapped.as_ref().len() as u64 != len {
            return Err(TableError::damaged(path, "it is not what was written"));
        }
        Ok(mapped)
    }
}

impl Drop for ClosedFile {
    fn drop(&mut self) {
        if !self.is_shared {
            // If it cannot be removed now, the next build does it.
            let _ = self.directory.remove(&self.name);
        }
    }
}

/// Threads share the file, so each call has its place.
#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, place)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, place)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => (place, bytes) = (place + written as u64, &bytes[written..]),
        }
    }
    Ok(())
}

/// Nothing fails but what the system says.
#[cfg(not(test))]
mod faults {
    #[inline(always)]
    pub(crate) fn step() -> std::io::Result<()> {
        Ok(())
    }
}

/// Test hook: reads and writes of this thread fail after some number of them.
#[cfg(test)]
pub(crate) mod faults {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        pub(crate) static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    }

    pub(crate) fn step() -> io::Result<()> {
        LEFT.set(LEFT.get().saturating_sub(1));
        match LEFT.get() {
            0 => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}
