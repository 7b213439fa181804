//! The process that holds a lock on a file, if the operating system tells, and the owner of the file.

use std::fs::Metadata;

/// A process that holds a lock on a file, with the name of its program; and whether its lock is exclusive.
pub(super) type Holder = (String, bool);

/// The process that holds a lock on a file, if the system tells.
#[cfg(target_os = "linux")]
pub(super) fn of(file: &Metadata) -> Option<Holder> {
    use std::os::unix::fs::MetadataExt;

    let (major, minor) = (rustix::fs::major(file.dev()), rustix::fs::minor(file.dev()));
    let id = format!("{major:02x}:{minor:02x}:{}", file.ino());
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let (process, exclusive) = locks.lines().find_map(|line| holder_in(line, &id))?;
    let name = std::fs::read_to_string(format!("/proc/{process}/comm"));
    // It may contain anything, also control characters.
    let name = name.map(|name| format!(" ({})", name.trim_end().escape_debug()));
    let process = format!("process {process}{}", name.unwrap_or_default());
    Some((process, exclusive))
}

/// Reads a line of `/proc/locks` about a file: returns the process, and whether its lock is
/// exclusive.
#[cfg(target_os = "linux")]
fn holder_in(line: &str, id: &str) -> Option<(u32, bool)> {
    // For instance `1: FLOCK  ADVISORY  WRITE 4711 fe:00:10010680 0 EOF`. A process that waits
    // has an arrow after the number.
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [_, "FLOCK", _, kind, process, found, ..] if found == id => {
            Some((process.parse().ok()?, kind == "WRITE"))
        }
        _ => None,
    }
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub(super) fn of(_file: &Metadata) -> Option<Holder> {
    None
}

/// The user who owns a file, by number and name.
#[cfg(unix)]
pub(super) fn owner(file: &Metadata) -> Option<String> {
    let id = std::os::unix::fs::MetadataExt::uid(file);
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut fields = users.lines().map(|user| user.split(':'));
    let name = fields.find_map(|mut user| {
        let name = user.next()?;
        (user.nth(1)? == id.to_string()).then_some(name)
    });
    let name = name.map(|name| format!(" ({})", name.escape_debug()));
    Some(format!("user {id}{}", name.unwrap_or_default()))
}

#[cfg(not(unix))]
pub(super) fn owner(_file: &Metadata) -> Option<String> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_files_and_of_waiting_processes_are_ignored() {
        let id = "fe:00:77";
        let held = "1: FLOCK  ADVISORY  WRITE 4711 fe:00:77 0 EOF";
        assert_eq!(holder_in(held, id), Some((4711, true)));
        let shared = "2: FLOCK  ADVISORY  READ 4711 fe:00:77 0 EOF";
        assert_eq!(holder_in(shared, id), Some((4711, false)));
        for line in [
            "1: -> FLOCK  ADVISORY  WRITE 4712 fe:00:77 0 EOF",
            "1: POSIX  ADVISORY  WRITE 4711 fe:00:77 0 EOF",
            "1: FLOCK  ADVISORY  WRITE 4711 fe:00:778 0 EOF",
            "1: FLOCK  ADVISORY  WRITE -1 fe:00:77 0 EOF",
            "",
        ] {
            assert_eq!(holder_in(line, id), None, "{line}");
        }
    }
}
