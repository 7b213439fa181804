//! The bytes of a band, of which pages are in memory as they are needed.

use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use super::scratch_file::{SECTOR, ScratchFile};
use granero_table::TableError;

/// The states of a page: only in the file, as in the file, or changed.
const ABSENT: u8 = 0;
const CLEAN: u8 = 1;
const CHANGED: u8 = 2;

/// Up to this many pages that are as in the file are written with the changed ones around them, because that takes
/// less time than another write.
const WRITTEN_ALONG: usize = 16;

/// The pages of the band in memory.
#[derive(Debug)]
pub(super) struct Pages {
    /// The place of the band in the file, and its bytes.
    start: u64,
    len: usize,
    states: Vec<AtomicU8>,
    /// The bytes of a page, as a power of two.
    page_bits: u32,
    /// Memory for a page, held while it is read.
    reading: Mutex<Aligned>,
}

impl Pages {
    /// The pages of a band, of which none is in memory.
    pub(super) fn of((start, len): (u64, usize), page_bits: u32) -> Pages {
        let states = std::iter::repeat_with(|| AtomicU8::new(ABSENT));
        Pages {
            start,
            len,
            states: states.take(len.div_ceil(1 << page_bits)).collect(),
            page_bits,
            reading: Mutex::new(Aligned::new(1 << page_bits)),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The bytes of some pages, as a part of the band, which whole sectors follow in the file and in memory.
    fn part(&self, pages: Range<usize>) -> Range<usize> {
        let end = self.len.next_multiple_of(SECTOR);
        pages.start << self.page_bits..end.min(pages.end << self.page_bits)
    }

    /// Moves all pages from one state to another; returns the parts of the band that these make up, with up to
    /// `along` pages between two of them that are in memory.
    fn move_all(&mut self, from: u8, to: u8, along: usize) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for page in 0..self.states.len() {
            if *self.states[page].get_mut() != from {
                continue;
            }
            let is_present = |page: usize| self.states[page].load(Ordering::Relaxed) != ABSENT;
            match parts.last_mut() {
                Some(last) if page - last.end <= along && (last.end..page).all(is_present) => {
                    last.end = page + 1;
                }
                _ => parts.push(page..page + 1),
            }
            *self.states[page].get_mut() = to;
        }
        parts.into_iter().map(|pages| self.part(pages)).collect()
    }

    /// Reads the pages that are absent.
    pub(super) fn read_all(
        &mut self,
        plane: &mut Aligned,
        file: &ScratchFile,
    ) -> Result<(), TableError> {
        (self.move_all(ABSENT, CLEAN, 0).into_iter())
            .try_for_each(|part| file.read(self.start + part.start as u64, &mut plane[part]))
    }

    /// Writes the pages that were changed.
    pub(super) fn write(&mut self, plane: &Aligned, file: &ScratchFile) -> Result<(), TableError> {
        (self.move_all(CHANGED, CLEAN, WRITTEN_ALONG).into_iter())
            .try_for_each(|part| file.write(self.start + part.start as u64, &plane[part]))
    }

    /// Notes that all pages are in memory and changed.
    pub(super) fn change_all(&mut self) {
        let states = self.states.iter_mut();
        states.for_each(|state| *state.get_mut() = CHANGED);
    }

    /// Returns whether a byte is in memory, and noted as changed.
    #[inline(always)]
    pub(super) fn is_changed(&self, place: usize) -> bool {
        // The bytes of the page were stored before.
        self.states[place >> self.page_bits].load(Ordering::Acquire) == CHANGED
    }

    /// Makes sure that a byte is in memory, and notes that it is changed.
    #[cold]
    pub(super) fn prepare(
        &self,
        plane: &[AtomicU8],
        place: usize,
        file: &ScratchFile,
    ) -> Result<(), TableError> {
        let page = place >> self.page_bits;
        let reading = self.reading.lock();
        let mut bytes = reading.unwrap_or_else(PoisonError::into_inner);
        if self.states[page].load(Ordering::Relaxed) == ABSENT {
            let part = self.part(page..page + 1);
            let bytes = &mut bytes[..part.len()];
            file.read(self.start + part.start as u64, bytes)?;
            for (to, &byte) in plane[part.start..].iter().zip(&*bytes) {
                to.store(byte, Ordering::Relaxed);
            }
        }
        self.states[page].store(CHANGED, Ordering::Release);
        Ok(())
    }
}

/// Bytes that begin at a multiple of [`SECTOR`] in memory and are some sectors long.
#[derive(Debug)]
pub(super) struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// At least `len` zeros.
    pub(super) fn new(len: usize) -> Aligned {
        let len = len.next_multiple_of(SECTOR);
        let bytes = vec![0; len + SECTOR];
        let address = bytes.as_ptr().addr();
        Aligned {
            start: address.next_multiple_of(SECTOR) - address,
            bytes,
            len,
        }
    }
}

impl Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..][..self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }
}
