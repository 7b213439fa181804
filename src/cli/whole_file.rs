//! Files that are there as a whole, or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::failure::Failure;

/// Writes a file under another name and gives it its own when it is whole and on the
/// medium, so that nothing half-written is mistaken for good.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Failure> {
    let written = match fs::canonicalize(path) {
        // A pipe or a device is no file that could be replaced.
        Ok(existing) if !existing.is_file() => {
            let special = File::options().write(true).open(path);
            special.and_then(|mut file| write(&mut file))
        }
        // What a symbolic link leads to is replaced, and not the link.
        Ok(existing) => replace(&existing, write),
        Err(_) => replace(path, write),
    };
    written.map_err(|error| Failure::Data {
        message: format!("cannot write {}: {error}", path.display()),
        help: "check that it can be written to and the disk is not full".into(),
    })
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
