//! Writes files whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use granero_console::Failure;

/// Writes a file under a temporary name and renames it once it is complete and on the disk, so that nothing
/// half-written is mistaken for good.
///
/// If `path` is a link, the file behind it is written, as a shell does. The temporary name is unpredictable and
/// always names a new file.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Failure> {
    // The file behind a link counts. The links of a process to its open pipes lead to something without a name.
    let written = match fs::metadata(path) {
        Ok(there) if there.is_file() => match fs::canonicalize(path) {
            Ok(existing) => replace(&existing, write),
            Err(_) => write_into(path, write),
        },
        // A pipe or a device cannot be replaced.
        Ok(_) => write_into(path, write),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            // A link to a file that does not exist yet.
            Ok(target) => replace(&path.parent().unwrap_or(Path::new("")).join(target), write),
            Err(_) => replace(path, write),
        },
        Err(error) => Err(error),
    };
    written.map_err(|error| cannot_write(path, &error))
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write {}: {error}", path.display());
    Failure::data(
        message,
        match error.kind() {
            io::ErrorKind::NotFound => "make its directory first, or name another place",
            _ => "check that it can be written to and the disk is not full",
        },
    )
}

/// Writes to an existing pipe or device.
fn write_into(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    write(&mut file)
}

/// Writes a file next to `path`, which is removed unless it gets that name.
fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // The name tells what the file is, in case it cannot be removed after an error. It differs from the temporary
    // files of a build, which a build in the same directory removes.
    let mut prefix = OsString::from(path.file_name().unwrap_or_default());
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".granero-part");
    // The usual permissions of new files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let made = builder.tempfile_in(parent.unwrap_or(Path::new(".")));
    // The user does not know the temporary name.
    let mut file = made.map_err(|error| {
        let text = error.to_string();
        io::Error::new(
            error.kind(),
            text.split(" at path ").next().unwrap_or_default(),
        )
    })?;
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
