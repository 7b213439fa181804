//! An open directory: operations on it stay in it, even if it is moved or another directory takes its
//! path. Also: opening paths that may be anything.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The ending of the names of temporary files.
pub(super) const TEMPORARY: &str = ".granero-tmp";

/// The number of names to try for a temporary file.
const ATTEMPTS: u32 = 16;

/// Opens a regular file for reading. Does not wait if the path is a pipe. Checks the file after opening
/// it, so that it cannot be exchanged in between.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    regular(system::open(path, File::options().read(true), true)?)
}

/// The file, if it is a regular one: not a pipe, device or directory.
fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        let what = "it is not a regular file";
        Err(io::Error::new(io::ErrorKind::InvalidInput, what))
    }
}

pub fn is_temporary(name: &Path) -> bool {
    name.to_string_lossy().ends_with(TEMPORARY)
}

/// An open directory.
#[derive(Debug)]
pub struct OpenDirectory {
    path: PathBuf,
    #[cfg(unix)]
    handle: std::os::fd::OwnedFd,
}

/// How to open a file in a directory. Only a file that is read may be a link to one elsewhere.
enum Use {
    Read,
    /// To read and write a file that exists.
    Continue,
    /// To read and write a file that does not exist.
    Create,
    /// To write a file, whether it exists or not.
    Lock,
}

impl OpenDirectory {
    /// The path by which the directory was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file for messages.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Tells if the path of the directory still leads to it.
    pub fn is_in_place(&self) -> io::Result<bool> {
        if_present(self.is_at(or_current(&self.path))).map(|same| same == Some(true))
    }

    /// Tells if a name in the directory leads to this open file, without following links.
    pub fn holds(&self, name: &str, file: &File) -> io::Result<bool> {
        if_present(self.has(name, file)).map(|same| same == Some(true))
    }

    /// The length of a file, if there is one.
    pub fn length_of(&self, name: &str) -> io::Result<Option<u64>> {
        let found = self.open_regular(name).and_then(|file| file.metadata());
        Ok(if_present(found)?.map(|found| found.len()))
    }

    /// Like the function [`open_regular`], in the directory.
    pub fn open_regular(&self, name: &str) -> io::Result<File> {
        regular(self.open_at(name, Use::Read)?)
    }

    /// Opens or creates the lock file of the directory, without following links.
    pub fn open_lock(&self, name: &str) -> io::Result<File> {
        regular(self.open_at(name, Use::Lock)?)
    }

    /// Creates a temporary file with a random name, to which no other program writes; returns the file and
    /// the name.
    pub fn create_temporary(&self, name: &str) -> io::Result<(File, String)> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            // Each `RandomState` has new keys.
            let random = RandomState::new().hash_one(attempt);
            let temporary = format!("{name}.{random:016x}{TEMPORARY}");
            match self.open_at(&temporary, Use::Create) {
                Err(found)
                    if found.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {}
                made => return Ok((made?, temporary)),
            }
        }
    }

    /// Opens a temporary file that another process has made, to write to it, without following links.
    pub fn open_shared(&self, name: &str) -> io::Result<File> {
        if !is_temporary(name.as_ref()) || name.contains(['/', '\\']) {
            let what = "it is not a temporary file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        regular(self.open_at(name, Use::Continue)?)
    }

    /// Opens or creates a file that is written in several runs. Anyone can guess its name, so if it is
    /// something that this program would not have made, a link or a file with a second name, it is
    /// replaced instead of written to.
    pub fn open_part(&self, name: &str) -> io::Result<File> {
        let begun = self.open_at(name, Use::Continue).and_then(regular);
        match begun.and_then(|file| Ok((system::is_alone(&file)?, file))) {
            Ok((true, file)) => return Ok(file),
            Err(found) if is_absent(&found) => {}
            _ => self.remove(name)?,
        }
        self.open_at(name, Use::Create)
    }
}

/// The path; an empty one means the current directory.
fn or_current(path: &Path) -> &Path {
    if path == Path::new("") {
        Path::new(".")
    } else {
        path
    }
}

/// Turns the error that nothing has this name into `None`.
fn if_present<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if is_absent(&error) => Ok(None),
        found => found.map(Some),
    }
}

/// Tells if an error means that nothing has this name.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Opens an existing lock file, without following links.
pub fn open_existing_lock(path: &Path) -> io::Result<File> {
    regular(system::open(path, File::options().write(true), false)?)
}

/// Creates a directory and its ancestors, and flushes them to the disk.
pub fn make_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path.parent().unwrap_or(Path::new(""));
    if parent != Path::new("") {
        make_directory(parent)?;
    }
    match fs::create_dir(path) {
        // Another build may have been faster.
        Err(found) if found.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| OpenDirectory::open(parent)?.flush()),
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::{OsStr, OsString};
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags};

    use super::{OpenDirectory, Use, or_current};

    /// The usual mode: the umask decides who may read and write the files of tables.
    const USUAL: Mode = Mode::from_raw_mode(0o666);

    /// A user who can open the lock file, even for reading, can lock it. So only users who may write can
    /// open it: other users must not be able to block builds.
    const LOCK: Mode = Mode::from_raw_mode(0o622);

    /// Does not wait for a pipe, and follows a link only if told to.
    pub(super) fn open(path: &Path, options: &mut OpenOptions, follow: bool) -> io::Result<File> {
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        flags.set(OFlags::NOFOLLOW, !follow);
        options.custom_flags(flags.bits() as i32).open(path)
    }

    /// Tells if a file has no other name.
    pub(super) fn is_alone(file: &File) -> io::Result<bool> {
        Ok(fs::fstat(file.as_fd())?.st_nlink == 1)
    }

    impl OpenDirectory {
        pub fn open(path: &Path) -> io::Result<OpenDirectory> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(OpenDirectory {
                path: path.into(),
                handle: fs::open(or_current(path), flags, Mode::empty())?,
            })
        }

        pub(super) fn open_at(&self, name: &str, to: Use) -> io::Result<File> {
            let (flags, mode) = match to {
                Use::Read => (OFlags::RDONLY, Mode::empty()),
                Use::Continue => (OFlags::RDWR | OFlags::NOFOLLOW, Mode::empty()),
                Use::Create => (
                    OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW,
                    USUAL,
                ),
                Use::Lock => (OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW, LOCK),
            };
            let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
            Ok(fs::openat(&self.handle, name, flags, mode)?.into())
        }

        pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(fs::renameat(&self.handle, from, &self.handle, to)?)
        }

        /// Removes a file, or a link without following it.
        pub fn remove(&self, name: impl AsRef<Path>) -> io::Result<()> {
            Ok(fs::unlinkat(&self.handle, name.as_ref(), AtFlags::empty())?)
        }

        /// Flushes the names in the directory to the disk.
        pub fn flush(&self) -> io::Result<()> {
            Ok(fs::fsync(&self.handle)?)
        }

        pub(super) fn is_at(&self, path: &Path) -> io::Result<bool> {
            let (found, ours) = (fs::stat(path)?, fs::fstat(&self.handle)?);
            Ok((found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino))
        }

        pub(super) fn has(&self, name: &str, file: &File) -> io::Result<bool> {
            let found = fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let open = fs::fstat(file.as_fd())?;
            Ok((found.st_dev, found.st_ino) == (open.st_dev, open.st_ino))
        }

        /// All names in the directory; `true` marks directories.
        pub fn names(&self) -> io::Result<Vec<(OsString, bool)>> {
            let mut names = Vec::new();
            for entry in Dir::read_from(&self.handle)? {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                let is_directory = match entry.file_type() {
                    FileType::Unknown => {
                        let found = fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
                        FileType::from_raw_mode(found.st_mode) == FileType::Directory
                    }
                    kind => kind == FileType::Directory,
                };
                names.push((name.into(), is_directory));
            }
            Ok(names)
        }
    }
}

/// Other systems have no such handles, so the path takes their place. There a directory cannot be moved
/// while files in it are open, and renaming is durable by itself.
#[cfg(not(unix))]
mod system {
    use std::ffi::OsString;
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::path::Path;

    use super::{OpenDirectory, Use, or_current};

    pub(super) fn open(path: &Path, options: &mut OpenOptions, _follow: bool) -> io::Result<File> {
        options.open(path)
    }

    pub(super) fn is_alone(_file: &File) -> io::Result<bool> {
        Ok(true)
    }

    impl OpenDirectory {
        pub fn open(path: &Path) -> io::Result<OpenDirectory> {
            Ok(OpenDirectory { path: path.into() })
        }

        pub(super) fn open_at(&self, name: &str, to: Use) -> io::Result<File> {
            let mut options = File::options();
            match to {
                Use::Read => options.read(true),
                Use::Continue => options.read(true).write(true),
                Use::Create => options.read(true).write(true).create_new(true),
                Use::Lock => options.write(true).create(true).truncate(false),
            };
            options.open(self.path.join(name))
        }

        pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            fs::rename(self.path.join(from), self.path.join(to))
        }

        pub fn remove(&self, name: impl AsRef<Path>) -> io::Result<()> {
            fs::remove_file(self.path.join(name))
        }

        pub fn flush(&self) -> io::Result<()> {
            Ok(())
        }

        pub(super) fn is_at(&self, path: &Path) -> io::Result<bool> {
            fs::metadata(path).map(|found| found.is_dir())
        }

        pub(super) fn has(&self, name: &str, _file: &File) -> io::Result<bool> {
            fs::symlink_metadata(self.path.join(name)).map(|found| found.is_file())
        }

        pub fn names(&self) -> io::Result<Vec<(OsString, bool)>> {
            let entries = fs::read_dir(or_current(&self.path))?.map(|entry| {
                let entry = entry?;
                Ok((entry.file_name(), entry.file_type()?.is_dir()))
            });
            entries.collect()
        }
    }
}
