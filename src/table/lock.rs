//! The lock of a directory of tables: whoever holds it is the only one who writes there.
//!
//! It is a lock of the operating system on the file `granero.lock`, which is there only as
//! long as somebody writes, or after a build that was killed or interrupted. Somebody else may remove the
//! file or move the whole directory, and then the lock guards nothing any more: its holder
//! asks again and again whether it still does.

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::directory::error;
use super::error::TableError;
use super::holder::{self, Holder};
use super::open_directory::{OpenDirectory, is_nothing, open_existing_lock};

pub(super) const LOCK: &str = "granero.lock";

/// So often the lock is tried, with `PAUSE` in between: whoever only wants to know whether a
/// build is going on holds it for an instant.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// The lock of a directory, held as long as this lives. The operating system gives it back
/// whatever happens.
#[derive(Debug)]
pub(super) struct Lock {
    directory: Arc<OpenDirectory>,
    file: File,
}

impl Lock {
    pub(super) fn take(directory: Arc<OpenDirectory>) -> Result<Lock, TableError> {
        let path = directory.path_of(LOCK);
        let mut is_shared = true;
        for attempt in 1.. {
            let file =
                directory
                    .open_lock(LOCK)
                    .map_err(|found| match fs::symlink_metadata(&path) {
                        Ok(there) if !there.is_file() => TableError::NoLock { path: path.clone() },
                        _ => error("write", &path)(found),
                    })?;
            match file.try_lock() {
                // Its last holder may have removed the file in between: then this is the lock
                // of nothing, and the next try makes another.
                Ok(()) => match directory.holds(LOCK, &file) {
                    Ok(true) => return Ok(Lock { directory, file }),
                    Ok(false) if attempt >= ATTEMPTS => return Err(held(&directory, false, None)),
                    Ok(false) => {}
                    Err(found) => return Err(error("read", &path)(found)),
                },
                Err(TryLockError::WouldBlock) => {
                    let by = file.metadata().ok().and_then(|file| holder::of(&file));
                    // No build ever keeps a lock that it shares. Where one gives its own back
                    // just now, this is not so every time.
                    is_shared &= file.try_lock_shared().is_ok();
                    if attempt >= ATTEMPTS {
                        return Err(held(&directory, is_shared, by));
                    }
                    drop(file);
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(found)) => return Err(error("lock", &path)(found)),
            }
        }
        unreachable!("the last attempt has returned")
    }

    /// The directory that is locked.
    pub(super) fn directory(&self) -> &Arc<OpenDirectory> {
        &self.directory
    }

    /// Makes sure that the lock still guards what it was taken for: that the directory is
    /// where it was, and the lock in it is this one.
    pub(super) fn confirm(&self) -> Result<(), TableError> {
        let directory = &self.directory;
        let in_place = directory.is_in_place();
        if !in_place.map_err(error("read", directory.path()))? {
            return Err(TableError::Moved {
                path: directory.path().into(),
            });
        }
        let path = directory.path_of(LOCK);
        let holds = directory.holds(LOCK, &self.file);
        if !holds.map_err(error("read", &path))? {
            return Err(TableError::LockLost { path });
        }
        Ok(())
    }

    /// Why something failed: if the directory or the lock is gone, that is the cause.
    pub(super) fn cause(&self, error: TableError) -> TableError {
        self.confirm().err().unwrap_or(error)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the lock is held, nobody else may do this; and whoever has opened the file
        // meanwhile finds that it is gone. Elsewhere than on Unix that cannot be found, and
        // the file stays. If it cannot be removed, the next build takes it.
        if cfg!(unix) && self.directory.holds(LOCK, &self.file).unwrap_or(false) {
            let _ = self.directory.remove(LOCK);
        }
    }
}

/// Why a lock cannot be had.
fn held(directory: &OpenDirectory, is_shared: bool, by: Option<Holder>) -> TableError {
    let by = by.map(|holder| holder.to_string());
    if is_shared {
        let path = directory.path_of(LOCK);
        TableError::Locked { path, by }
    } else {
        let path = directory.path().into();
        TableError::Busy { path, by }
    }
}

/// Whether a program, here or elsewhere, is writing to a directory of tables now.
///
/// Whoever may write there can always tell. For others it is as far as the operating system
/// tells which locks there are: Linux does, of processes that can be seen.
///
/// # Errors
///
/// When the system does not let us look.
///
/// ```
/// assert!(!granero::table::is_being_written("/nowhere")?);
/// # Ok::<(), granero::table::TableError>(())
/// ```
pub fn is_being_written(directory: impl AsRef<Path>) -> Result<bool, TableError> {
    let path = directory.as_ref().join(LOCK);
    let there = match fs::symlink_metadata(&path) {
        Err(found) if is_nothing(&found) => return Ok(false),
        there => there.map_err(error("read", &path))?,
    };
    // Nobody builds who finds something else there.
    if !there.is_file() {
        return Ok(false);
    }
    let file = match open_existing_lock(&path) {
        Ok(file) => file,
        Err(found) if is_nothing(&found) => return Ok(false),
        Err(found) if may_not_write(&found) => {
            return Ok(is_held(&there));
        }
        Err(found) => return Err(error("read", &path)(found)),
    };
    // Shared, so that those who look are not taken for writers by each other; it is given
    // back at once.
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        // Some network media share no lock of a file that is open to write only.
        Err(TryLockError::Error(_)) => Ok(is_held(&there)),
    }
}

/// Whether somebody else holds the lock, as far as the system tells.
fn is_held(lock: &Metadata) -> bool {
    holder::of(lock).is_some_and(|holder| holder.alone)
}

fn may_not_write(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// The file comes and goes with its holders, and yet it is one lock.
    #[test]
    fn nobody_else_has_the_lock_that_is_held() {
        let place = tempfile::tempdir().unwrap();
        let (holders, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
                        match Lock::take(directory) {
                            Ok(lock) => {
                                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                                lock.confirm().unwrap();
                                std::thread::yield_now();
                                holders.fetch_sub(1, Ordering::SeqCst);
                                taken.fetch_add(1, Ordering::Relaxed);
                            }
                            // The others may be faster again and again.
                            Err(TableError::Busy { .. } | TableError::LockLost { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
        assert!(!is_being_written(place.path()).unwrap());
    }
}
