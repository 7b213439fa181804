//! Mapping files into memory: the only `unsafe` of the tables.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;
#[cfg(target_os = "linux")]
use memmap2::UncheckedAdvice;

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

    /// Takes the pages of the file out of memory: those that are read again come from the file again. Does
    /// nothing elsewhere than on Linux.
    #[allow(unsafe_code)]
    pub fn let_go(&self) {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: this advice loses what was written to private pages, but these are shared with the file
            // and only for reading. So Linux shows the same bytes to whoever reads them at the same time or
            // later, and borrowed bytes do not change. A page may fail as when it was read first, see above.
            let advised = unsafe { self.map.unchecked_advise(UncheckedAdvice::DontNeed) };
            // Otherwise the pages only stay in memory.
            let _ = advised;
        }
    }
}

/// The most memory that pages of mapped files may take.
#[derive(Debug)]
pub struct MappedMost {
    /// Tells how much memory this process takes.
    statm: File,
    bytes: u64,
}

impl MappedMost {
    /// Allows as much as is mapped now, and as much more as brings the memory of this process to `resident` bytes. `None`
    /// elsewhere than on Linux, and where it does not tell.
    pub fn within(resident: u64) -> Option<MappedMost> {
        let statm = File::open("/proc/self/statm").ok()?;
        let [now, mapped] = resident_and_mapped(&statm)?;
        let bytes = mapped + resident.saturating_sub(now);
        Some(MappedMost { statm, bytes })
    }

    /// Returns whether they take more.
    pub fn is_exceeded(&self) -> bool {
        resident_and_mapped(&self.statm).is_some_and(|[_, mapped]| mapped > self.bytes)
    }
}

/// The bytes of memory that this process takes, and those of mapped files among them: the second and the third
/// number, in pages.
#[cfg(target_os = "linux")]
fn resident_and_mapped(statm: &File) -> Option<[u64; 2]> {
    let mut line = [0; 128];
    let len = std::os::unix::fs::FileExt::read_at(statm, &mut line, 0).ok()?;
    let mut numbers = std::str::from_utf8(&line[..len]).ok()?.split(' ').skip(1);
    let mut bytes = || {
        let pages: u64 = numbers.next()?.parse().ok()?;
        Some(pages * rustix::param::page_size() as u64)
    };
    Some([bytes()?, bytes()?])
}

#[cfg(not(target_os = "linux"))]
fn resident_and_mapped(_: &File) -> Option<[u64; 2]> {
    None
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
