//! The lock of a directory of tables: only its holder writes there.
//!
//! It is a lock of the operating system on the file `granero.lock`. The file exists during a
//! build, and after a build that was killed or interrupted. If another program removes the file
//! or moves the directory, the lock no longer guards it: so the holder checks this again and
//! again.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{
    self,
    ErrorKind::{PermissionDenied, ReadOnlyFilesystem},
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::holder;
use super::medium::Medium;
use crate::bytes::open_directory::{OpenDirectory, is_absent, open_existing_lock};
use crate::error::TableError;
use crate::file::directory::error;
use granero_game::Cycles;

pub(super) const LOCK: &str = "granero.lock";

/// The number of attempts to take the lock, with `PAUSE` between them: a program that checks
/// whether a build is going on holds it for an instant.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// The lock of a directory, held until this is dropped. If the process dies, the operating
/// system releases it.
#[derive(Debug)]
pub struct Lock {
    pub directory: Arc<OpenDirectory>,
    file: File,
    pub(super) medium: Medium,
    /// The lock of the directory around this one, which holds the tables of both conventions.
    whole: Option<Box<Lock>>,
}

impl Lock {
    pub(super) fn take(directory: Arc<OpenDirectory>, medium: Medium) -> Result<Lock, TableError> {
        let path = directory.path_of(LOCK);
        let mut is_shared = true;
        for attempt in 1.. {
            let opened = directory.open_lock(LOCK);
            let file = opened.map_err(|found| not_opened(&directory, found))?;
            match file.try_lock() {
                // The last holder may have removed the file in between: then this lock guards
                // nothing, and the next attempt makes a new file.
                Ok(()) => match directory.holds(LOCK, &file) {
                    Ok(true) => {
                        return Ok(Lock {
                            directory,
                            file,
                            medium,
                            whole: None,
                        });
                    }
                    Ok(false) if attempt >= ATTEMPTS => return Err(held(&directory, false, None)),
                    Ok(false) => {}
                    Err(found) => return Err(error("read", &path)(found)),
                },
                Err(TryLockError::WouldBlock) => {
                    let by = file.metadata().ok().and_then(|file| holder::of(&file));
                    let by = by.map(|(by, _)| by);
                    // A build's lock is exclusive. Every attempt must find a shared lock, since a
                    // build may release its lock at any moment.
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

    /// Holds the lock of the directory around this one, too.
    pub(super) fn within(mut self, whole: Lock) -> Lock {
        self.whole = Some(Box::new(whole));
        self
    }

    /// Checks that the lock still guards the directory: the directory is where it was, and the
    /// lock file in it is this one.
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
        self.whole.as_ref().map_or(Ok(()), |whole| whole.confirm())
    }

    /// The cause of a failure: that the directory or the lock is gone, otherwise `error`.
    pub(super) fn cause(&self, error: TableError) -> TableError {
        self.confirm().err().unwrap_or(error)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Remove the file while the lock is held; a program that has opened it before checks
        // that it still exists. On other systems than Unix that check is impossible, so the
        // file stays. If it cannot be removed, the next build uses it.
        if cfg!(unix) && self.directory.holds(LOCK, &self.file).unwrap_or(false) {
            let _ = self.directory.remove(LOCK);
        }
    }
}

/// The error for a lock file that cannot be opened.
fn not_opened(directory: &OpenDirectory, found: io::Error) -> TableError {
    let path = directory.path_of(LOCK);
    match fs::symlink_metadata(&path) {
        Ok(there) if !there.is_file() => TableError::NoLock { path },
        Ok(there) if found.kind() == PermissionDenied => match holder::of(&there) {
            Some((by, true)) => held(directory, false, Some(by)),
            _ => TableError::LockOfOther {
                path,
                owner: holder::owner(&there),
                source: found,
            },
        },
        _ => error("write", path)(found),
    }
}

/// The error that another program holds the lock.
fn held(directory: &OpenDirectory, is_shared: bool, by: Option<String>) -> TableError {
    if is_shared {
        let path = directory.path_of(LOCK);
        TableError::Locked { path, by }
    } else {
        let path = directory.path().into();
        TableError::Busy { path, by }
    }
}

/// Returns whether a build, in this process or another one, is writing to a directory of tables now.
///
/// The answer is certain if the user may write there. Otherwise it depends on the operating
/// system: Linux lists the locks of the processes that it shows to the user.
///
/// # Errors
///
/// When the lock file cannot be examined.
pub fn is_being_written(directory: impl AsRef<Path>) -> Result<bool, TableError> {
    // A build of the other convention holds both locks.
    let own_side = directory.as_ref().join(Cycles::OwnSide.name());
    Ok(is_locked(directory.as_ref())? && !is_locked(&own_side)?)
}

fn is_locked(directory: &Path) -> Result<bool, TableError> {
    let path = directory.join(LOCK);
    let there = match fs::symlink_metadata(&path) {
        Err(found) if is_absent(&found) => return Ok(false),
        there => there.map_err(error("read", &path))?,
    };
    // No build starts where something else has the name of the lock file.
    if !there.is_file() {
        return Ok(false);
    }
    let file = match open_existing_lock(&path) {
        Ok(file) => file,
        Err(found) if is_absent(&found) => return Ok(false),
        Err(found) if [PermissionDenied, ReadOnlyFilesystem].contains(&found.kind()) => {
            return Ok(is_held(&there));
        }
        Err(found) => return Err(error("read", &path)(found)),
    };
    // A shared lock, so that two programs that check do not take each other for a build. It is
    // released at once.
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        // Some network file systems give no shared lock on a file that is open for writing only.
        Err(TryLockError::Error(_)) => Ok(is_held(&there)),
    }
}

/// Returns whether a process holds the lock exclusively, if the system tells.
fn is_held(lock: &Metadata) -> bool {
    holder::of(lock).is_some_and(|(_, is_exclusive)| is_exclusive)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_lock_of_another_user_is_named_with_its_owner() {
        let place = tempfile::tempdir().unwrap();
        let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
        let denied = || not_opened(&directory, PermissionDenied.into());
        assert!(matches!(denied(), TableError::Io { .. }));
        let lock = Lock::take(directory.clone(), Medium::default()).unwrap();
        // The system's list of locks can miss one while other tests take and release theirs.
        let is_named = |_| matches!(denied(), TableError::Busy { by: Some(_), .. });
        assert_eq!((0..1000).any(is_named), cfg!(target_os = "linux"));
        drop(lock);
        File::create(directory.path_of(LOCK)).unwrap();
        let message = denied().to_string();
        let id = std::os::unix::fs::MetadataExt::uid(&place.path().metadata().unwrap());
        let owner = format!("{LOCK} belongs to user {id}");
        assert!(message.contains(&owner), "{message}");
    }

    /// The file comes and goes with its holders, but there is only one holder at a time.
    #[test]
    fn a_lock_has_one_holder_at_a_time() {
        let place = tempfile::tempdir().unwrap();
        let (holders, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
                        match Lock::take(directory, Medium::default()) {
                            Ok(lock) => {
                                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                                lock.confirm().unwrap();
                                std::thread::yield_now();
                                holders.fetch_sub(1, Ordering::SeqCst);
                                taken.fetch_add(1, Ordering::Relaxed);
                            }
                            // The other threads may be faster every time.
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
