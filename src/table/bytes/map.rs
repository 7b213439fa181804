//! Mapping files into memory: the only `unsafe` of the tables.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use memmap2::Mmap;
#[cfg(target_os = "linux")]
use memmap2::UncheckedAdvice;

use super::mappings::{self, Mapping};

/// A file that is mapped into memory for reading.
///
/// # What can go wrong
///
/// The compiler assumes that the bytes of a slice do not change while it is borrowed. And the
/// operating system ends a program (SIGBUS) that reads a mapped page beyond the end of the file,
/// or a page that the disk cannot read. granero never writes to a finished file and never
/// truncates it: it writes each file under a temporary name and renames it. After that it only
/// replaces or removes the file, which does not affect a mapping. Other programs may truncate
/// files, and disks may fail: for such files there is `Access::Read` (see `docs/internals/format.md`).
///
/// Every block is compared with its checksum just before it is decoded, so changed bytes cause an
/// error, not a wrong value. The temporary file of a layer that is solved in shares or by several processes has no
/// checksums: only they know its name.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
    pub(super) entry: &'static Mapping,
}

impl Mapped {
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
            // and only for reading. So Linux shows the same bytes to all that read them at the same time or
            // later, and borrowed bytes do not change. A page may fail as when it was read first, see above.
            let advised = unsafe { self.map.unchecked_advise(UncheckedAdvice::DontNeed) };
            // Otherwise the pages only stay in memory.
            let _ = advised;
        }
    }
}

/// Keeps to the most memory that pages of mapped files may take.
#[derive(Debug)]
pub struct MappedMost {
    /// By part of a file: whether it was read.
    were_read: Vec<AtomicBool>,
    /// The number of these, and the most that it may be.
    count: AtomicUsize,
    most: usize,
    /// The most bytes that the system may have mapped.
    most_bytes: u64,
}

/// The bytes of a part as a power of two: Linux maps so much around a byte that is read, and more where its page cache
/// has larger pieces.
const PART_BITS: u32 = 16;

/// Asks the system how much it has mapped whenever so many more of the allowed parts were read.
const SHARE_OF_PARTS: usize = 32;

impl MappedMost {
    /// Allows `files` files of `len` bytes as much memory as brings this process to `resident` bytes, and `least` bytes.
    /// `None` elsewhere than on Linux, and where it does not tell how much memory the process takes.
    pub fn within(resident: u64, least: u64, len: usize, files: u64) -> Option<MappedMost> {
        let [now, mapped] = resident_and_mapped()?;
        let room = resident.saturating_sub(now).saturating_add(least);
        let parts = len.div_ceil(1 << PART_BITS);
        Some(MappedMost {
            were_read: (0..parts).map(|_| AtomicBool::new(false)).collect(),
            count: AtomicUsize::new(0),
            most: usize::try_from((room / files) >> PART_BITS).unwrap_or(usize::MAX),
            most_bytes: mapped.saturating_add(room),
        })
    }

    /// Notes that the bytes of a place will be read. Returns true if the files must be [let go](Mapped::let_go) first.
    #[inline(always)]
    pub fn reads(&self, place: Range<usize>) -> bool {
        let parts = place.start >> PART_BITS..place.end.div_ceil(1 << PART_BITS);
        let are_new = !(self.were_read[parts.clone()].iter()).all(|it| it.load(Relaxed));
        are_new && self.reads_more(parts)
    }

    #[cold]
    fn reads_more(&self, parts: Range<usize>) -> bool {
        let mark = || {
            let parts = self.were_read[parts.clone()].iter();
            let new = parts.filter(|part| !part.swap(true, Relaxed)).count();
            let before = self.count.fetch_add(new, Relaxed);
            [before, before + new]
        };
        let [before, count] = mark();
        let share = (self.most / SHARE_OF_PARTS).max(1);
        let is_exceeded = || resident_and_mapped().is_some_and(|[_, now]| now > self.most_bytes);
        let is_too_much = count > self.most || before / share < count / share && is_exceeded();
        if is_too_much {
            self.count.store(0, Relaxed);
            (self.were_read.iter()).for_each(|part| part.store(false, Relaxed));
            mark();
        }
        is_too_much
    }
}

/// The bytes of memory that this process takes, and the bytes of mapped files among them: the second and the third
/// number, in pages.
#[cfg(target_os = "linux")]
fn resident_and_mapped() -> Option<[u64; 2]> {
    let line = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut numbers = line.split(' ').skip(1);
    let mut bytes = || {
        let pages: u64 = numbers.next()?.parse().ok()?;
        Some(pages * rustix::param::page_size() as u64)
    };
    Some([bytes()?, bytes()?])
}

#[cfg(not(target_os = "linux"))]
fn resident_and_mapped() -> Option<[u64; 2]> {
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
