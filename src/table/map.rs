//! Mapping a file into memory: the one `unsafe` of the tables.

use std::io;
use std::path::Path;

use memmap2::Mmap;

use super::mappings::{self, Entry};
use super::open_directory::open_regular;

/// A file that is mapped into memory, to be read.
///
/// # What can go wrong
///
/// The compiler takes for granted that the bytes of a slice do not change while it is
/// borrowed, and the operating system ends a program that reads a mapped page behind the
/// end of its file, or one that the medium does not give (SIGBUS). granero does neither
/// write to a finished file nor cut it off: it makes each under another name, and gives it
/// its name when it is whole; from then on it is only replaced or removed, which leaves the
/// mapped one as it is. Other programs may cut files off, and media fail: for such files
/// there is `Access::Read` (see `docs/format.md`).
///
/// Every block is compared with its checksum just before it is decoded, so that bytes that
/// have changed give an error and no wrong value.
#[derive(Debug)]
pub(super) struct Mapped {
    map: Mmap,
    pub(super) entry: &'static Entry,
}

impl Mapped {
    #[allow(unsafe_code)]
    pub(super) fn open(path: &Path) -> io::Result<Mapped> {
        let file = open_regular(path)?;
        // SAFETY: as above. That the contents may be anything at all is no danger: they are
        // bytes, and whoever reads them checks everything.
        let map = unsafe { Mmap::map(&file)? };
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
