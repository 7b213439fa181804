//! Mapping a file into memory: the one `unsafe` of the tables.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

use super::mappings::{self, Mapping};
use super::open_directory::open_regular;

/// A file that is mapped into memory for reading.
///
/// # What can go wrong
///
/// The compiler assumes that the bytes of a slice do not change while it is borrowed. And the
/// operating system ends a program (SIGBUS) that reads a mapped page beyond the end of the file,
/// or a page that the medium cannot read. granero never writes to a finished file and never
/// truncates it: it writes each file under a temporary name and renames it. After that it only
/// replaces or removes the file, which does not affect a mapping. Other programs may truncate
/// files, and media may fail: for such files there is `Access::Read` (see `docs/format.md`).
///
/// Every block is compared with its checksum just before it is decoded, so changed bytes cause an
/// error, not a wrong value. The temporary file of a layer that is solved in bands has no checksums: only the
/// build that has made it knows its name.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
    pub(super) entry: &'static Mapping,
}

impl Mapped {
    pub(crate) fn open(path: &Path) -> io::Result<Mapped> {
        Mapped::of(&open_regular(path)?, path)
    }

    /// Maps an open file, to which this program no longer writes.
    #[allow(unsafe_code)]
    pub fn of(file: &File, path: &Path) -> io::Result<Mapped> {
        // SAFETY: see above. The contents may be arbitrary bytes; readers check everything.
        let map = unsafe { Mmap::map(file)? };
        let start = map.as_ptr().addr();
        Ok(Mapped {
            entry: mappings::enter(path, start..start + map.len()),
            map,
        })
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.entry.clear();
    }
}
