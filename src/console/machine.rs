//! The resources of the machine: memory, disk, processors.
//!
//! `sysinfo` is not used: it counts the page cache as used memory of a control group, which is
//! most of it after large tables were written or read; and it has no peak.

use std::fs;
use std::path::Path;

/// The memory that this program may use, in bytes: free memory within the limits of control groups
/// and of this process. `None` if the system does not tell.
pub fn available_memory() -> Option<u64> {
    let free = kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let rooms = [control_group_room(), process_room()];
    Some(rooms.into_iter().flatten().fold(free, u64::min))
}

/// The memory that the limits of this process leave, in bytes: `ulimit -v` for addresses, which stacks
/// and mapped files take as well, and `ulimit -d` for writable memory.
#[cfg(target_os = "linux")]
pub fn process_room() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};

    let status = fs::read_to_string("/proc/self/status").ok()?;
    let limits = [(Resource::As, "VmSize:"), (Resource::Data, "VmData:")];
    let rooms = limits.into_iter().filter_map(|(limit, used)| {
        let limit = getrlimit(limit).current?;
        Some(limit.saturating_sub(kibibytes(&status, used)?))
    });
    rooms.min()
}

/// Unknown on other systems.
#[cfg(not(target_os = "linux"))]
pub fn process_room() -> Option<u64> {
    None
}

/// The most memory that this process has used so far, in bytes.
pub fn peak_memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// A field of a file in `/proc`, given in KiB, in bytes.
fn kibibytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number * 1024)
}

/// The memory that the control groups of this process leave, of version 2 and of version 1, and the
/// groups above them.
fn control_group_room() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let rooms = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (root, limit, usage) = match (fields.next(), fields.next()) {
            (Some("0"), Some("")) => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            (Some(_), Some(controllers)) if controllers.split(',').any(|c| c == "memory") => (
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
            ),
            _ => return Vec::new(),
        };
        let group = fields.next().unwrap_or("/").trim_start_matches('/');
        Path::new(root)
            .join(group)
            .ancestors()
            .take_while(|directory| directory.starts_with(root))
            .filter_map(|directory| {
                let limit = number_in(&directory.join(limit))?;
                // The page cache counts as used, but can be reclaimed.
                let stat = fs::read_to_string(directory.join("memory.stat")).unwrap_or_default();
                let sum = |names: [&str; 2]| -> u64 {
                    stat.lines()
                        .filter_map(|line| line.split_once(' '))
                        .filter(|(name, _)| names.contains(name))
                        .filter_map(|(_, bytes)| bytes.parse::<u64>().ok())
                        .sum()
                };
                // Version 1 also has totals that include the groups below.
                let total = sum(["total_inactive_file", "total_active_file"]);
                let cache = total.max(sum(["inactive_file", "active_file"]));
                let used = number_in(&directory.join(usage)).unwrap_or(0);
                Some(limit.saturating_sub(used.saturating_sub(cache)))
            })
            .collect()
    });
    rooms.min()
}

/// The number in a file; `None` also for `max`.
fn number_in(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The free bytes of the file system of a directory, which need not exist yet.
#[cfg(unix)]
pub fn free_disk(directory: &Path) -> Option<u64> {
    let absolute = std::path::absolute(directory).ok()?;
    let existing = absolute.ancestors().find(|path| path.exists())?;
    let statistics = rustix::fs::statvfs(existing).ok()?;
    Some(statistics.f_bavail * statistics.f_frsize)
}

#[cfg(not(unix))]
pub fn free_disk(_directory: &Path) -> Option<u64> {
    None
}

/// The threads that can run at the same time.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The memory to plan for each thread, in bytes: its stack of 2 MiB, and several times as much for its work.
const PER_THREAD: u64 = 16 << 20;

/// The threads to start: one for each processor, or fewer if the limits of this process leave too
/// little memory.
pub fn threads() -> usize {
    let most = process_room().map_or(u64::MAX, |room| (room / PER_THREAD).max(1));
    processors().min(most as usize)
}
