//! The list of mapped files and their addresses, which a signal handler can search.
//!
//! So reading it takes no lock, and entries are never freed: an entry that is no longer needed is used
//! again for the same path. There is an entry for each path that was ever mapped, and several for a path
//! that was mapped several times at once.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use once_cell::race::OnceBox;

/// An entry of the list.
#[derive(Debug, Default)]
pub(super) struct Mapping {
    path: PathBuf,
    is_taken: AtomicBool,
    start: AtomicUsize,
    end: AtomicUsize,
    next: Link,
}

type Link = OnceBox<Mapping>;

static FIRST: Link = Link::new();

impl Mapping {
    /// Notes that the file is no longer mapped there.
    pub(super) fn clear(&self) {
        self.end.store(0, Ordering::Release);
        self.is_taken.store(false, Ordering::Release);
    }
}

/// Notes that a file is mapped at some addresses, until the entry is cleared.
pub(super) fn enter(path: &Path, addresses: Range<usize>) -> &'static Mapping {
    let mut link = &FIRST;
    loop {
        let entry = link.get_or_init(|| {
            Box::new(Mapping {
                path: path.into(),
                ..Mapping::default()
            })
        });
        if entry.path == path && !entry.is_taken.swap(true, Ordering::AcqRel) {
            entry.start.store(addresses.start, Ordering::Release);
            entry.end.store(addresses.end, Ordering::Release);
            return entry;
        }
        link = &entry.next;
    }
}

/// The layer file that is mapped at an address, if there is one.
///
/// Programs that use [`Access::Map`](crate::file::directory::Access::Map) can call this in a handler of the
/// signal SIGBUS, to report which file cannot be read. It takes no lock and allocates no memory, as a
/// signal handler demands.
pub fn mapped_file(address: usize) -> Option<&'static Path> {
    let mut link = &FIRST;
    while let Some(entry) = link.get() {
        let start = entry.start.load(Ordering::Acquire);
        let end = entry.end.load(Ordering::Acquire);
        if (start..end).contains(&address) {
            return Some(&entry.path);
        }
        link = &entry.next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::map::Mapped;

    fn open(path: &Path) -> Mapped {
        Mapped::of(&std::fs::File::open(path).unwrap(), path).unwrap()
    }

    fn address(mapped: &Mapped) -> usize {
        mapped.as_ref().as_ptr().addr()
    }

    #[test]
    fn an_address_gives_the_file_as_long_as_it_is_mapped() {
        let place = tempfile::tempdir().unwrap();
        let paths = ["one", "two"].map(|name| place.path().join(name));
        for path in &paths {
            std::fs::write(path, [7; 10_000]).unwrap();
        }
        let [one, two] = [0, 1].map(|number| open(&paths[number]));
        let again = open(&paths[0]);
        for (mapped, path) in [(&one, &paths[0]), (&two, &paths[1]), (&again, &paths[0])] {
            let start = address(mapped);
            assert_eq!(mapped_file(start), Some(&**path));
            assert_eq!(mapped_file(start + 9_999), Some(&**path));
        }
        let entry: *const Mapping = one.entry;
        let before = address(&one);
        drop(one);
        assert_eq!(mapped_file(before), None);
        assert_eq!(mapped_file(address(&again)), Some(&*paths[0]));
        // An entry is used again for its file, so the list does not grow.
        let once_more = open(&paths[0]);
        assert!(std::ptr::eq(entry, once_more.entry));
        drop((two, again, once_more));
    }

    #[test]
    fn threads_can_map_at_the_same_time() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        std::fs::write(&path, [7; 100]).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let mapped = open(&path);
                        assert_eq!(mapped_file(address(&mapped)), Some(&*path));
                    }
                });
            }
        });
    }
}
