//! Files that are there as a whole, or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::failure::Failure;

/// Writes a file under another name and gives it its own when it is whole and on the
/// medium, so that nothing half-written is mistaken for good.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Failure> {
    // What a link leads to counts, and not the link; the links of a process to its open pipes
    // lead to something that has no name.
    let written = match fs::metadata(path) {
        Ok(there) if there.is_file() => match fs::canonicalize(path) {
            Ok(existing) => replace(&existing, write),
            Err(_) => write_into(path, write),
        },
        // A pipe or a device is no file that could be replaced.
        Ok(_) => write_into(path, write),
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(&target(path), write),
        Err(error) => Err(error),
    };
    written.map_err(|error| Failure::Data {
        message: format!("cannot write {}: {error}", path.display()),
        help: "check that it can be written to and the disk is not full".into(),
    })
}

/// Writes to what is there already.
fn write_into(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    write(&mut file)
}

/// The file that is to be made: where a link leads to nothing, what it leads to.
fn target(path: &Path) -> PathBuf {
    match fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(Path::new("")).join(target),
        Err(_) => path.into(),
    }
}

fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // Two that write the same file at the same time do not meet.
    let mut temporary = OsString::from(path);
    temporary.push(format!(".{}.granero-tmp", std::process::id()));
    let written = (|| {
        let mut file = File::create(&temporary)?;
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // If it cannot be removed either, its name says what it is.
        let _ = fs::remove_file(&temporary);
    }
    written
}
