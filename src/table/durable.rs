//! Writing files so that they are either there as a whole, or not at all.
//!
//! A file is written under a temporary name, flushed to the medium and renamed; then the
//! directory is flushed, so that the name stays.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What the names of files end in that are still being written, or of use to one build
/// only.
pub(super) const TEMPORARY: &str = ".granero-tmp";

/// A step on the way of a file to the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Create,
    Write,
    Flush,
    Rename,
    FlushDirectory,
    Remove,
}

/// Whether a step succeeds.
type Fate = dyn Fn(Step) -> io::Result<()> + Send + Sync;

/// Where files are written. Tests let any step fail.
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

    /// Writes a file so that it is either there as a whole, or not at all.
    pub(super) fn write_durably<T>(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        let temporary = temporary(path);
        let written = (|| {
            self.step(Step::Create)?;
            let mut writer = Writer {
                medium: self,
                file: File::create(&temporary)?,
            };
            let result = write(&mut writer)?;
            self.step(Step::Flush)?;
            writer.file.sync_all()?;
            self.step(Step::Rename)?;
            fs::rename(&temporary, path)?;
            self.step(Step::FlushDirectory)?;
            sync_directory(path)?;
            Ok(result)
        })();
        if written.is_err() {
            // What was written takes room, and can be made again; if it cannot be removed,
            // the next build does it.
            let _ = self.remove(&temporary);
        }
        written
    }

    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(Step::Remove)?;
        fs::remove_file(path)
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

/// The name of a file while it is being written.
pub(super) fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

pub(super) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().ends_with(TEMPORARY)
}

/// Makes a directory and those above it, so that they stay.
pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
        make_directory(parent)?;
    }
    match fs::create_dir(path) {
        // Another build may have been faster.
        Err(found) if found.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| sync_directory(path)),
    }
}

/// Makes the new name of a file durable.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if parent != Path::new("") => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

/// Elsewhere directories cannot be flushed, and renaming is durable by itself.
#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}
