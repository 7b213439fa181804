//! The bytes of a band, of which pages are in memory as they are needed.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use super::division::Division;
use super::scratch_file::ScratchFile;
use crate::graph::layout::Layout;
use granero_table::TableError;

/// The bytes of a page: as many as systems read at least.
const PAGE: usize = 4096;

/// The states of a page: only in the file, as in the file, or changed.
const ABSENT: u8 = 0;
const CLEAN: u8 = 1;
const CHANGED: u8 = 2;

/// The rows of a band: where the bytes of some of them lie in the band and in the file.
#[derive(Clone, Debug)]
struct Piece {
    in_band: Range<usize>,
    in_file: u64,
}

/// The pages of the band in memory.
#[derive(Debug)]
pub(super) struct Pages {
    pieces: Vec<Piece>,
    states: Vec<AtomicU8>,
}

impl Pages {
    /// The pages of a band, of which none is in memory.
    pub(super) fn of(division: &Division, band: usize, whole: &Layout) -> Pages {
        let mut begin = 0;
        let piece = |own_seeds| {
            let rows = division.rows(band, own_seeds);
            let end = begin + rows.len() * whole.row_len(own_seeds);
            let in_band = std::mem::replace(&mut begin, end)..end;
            (!in_band.is_empty()).then(|| Piece {
                in_band,
                in_file: whole.row_start(own_seeds, rows.start) as u64,
            })
        };
        let pieces = (0..=whole.seeds()).filter_map(piece).collect();
        let states = std::iter::repeat_with(|| AtomicU8::new(ABSENT));
        Pages {
            pieces,
            states: states.take(begin.div_ceil(PAGE)).collect(),
        }
    }

    /// The bytes of the band.
    pub(super) fn len(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.in_band.end)
    }

    /// The places in the band and in the file of a part of the band, piece by piece.
    fn places(&self, part: Range<usize>) -> impl Iterator<Item = (Range<usize>, u64)> {
        let first = (self.pieces).partition_point(|piece| piece.in_band.end <= part.start);
        let pieces = self.pieces[first..].iter();
        let pieces = pieces.take_while(move |piece| piece.in_band.start < part.end);
        pieces.map(move |piece| {
            let begin = part.start.max(piece.in_band.start);
            let place = piece.in_file + (begin - piece.in_band.start) as u64;
            (begin..part.end.min(piece.in_band.end), place)
        })
    }

    /// The runs of pages for whose states `is_wanted` returns true, as parts of the band.
    fn runs(&mut self, is_wanted: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
        let len = self.len();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (page, state) in self.states.iter_mut().enumerate() {
            if is_wanted(*state.get_mut()) {
                let (begin, end) = (page * PAGE, len.min((page + 1) * PAGE));
                match runs.last_mut() {
                    Some(run) if run.end == begin => run.end = end,
                    _ => runs.push(begin..end),
                }
            }
        }
        runs
    }

    /// Reads the pages that are absent.
    pub(super) fn read_all(
        &mut self,
        plane: &mut [u8],
        file: &mut ScratchFile,
    ) -> Result<(), TableError> {
        for run in self.runs(|state| state == ABSENT) {
            for (part, place) in self.places(run) {
                file.read(place, &mut plane[part])?;
            }
        }
        for state in &mut self.states {
            let state = state.get_mut();
            *state = CLEAN.max(*state);
        }
        Ok(())
    }

    /// Writes the pages that were changed.
    pub(super) fn write(&mut self, plane: &[u8], file: &mut ScratchFile) -> Result<(), TableError> {
        for run in self.runs(|state| state == CHANGED) {
            for (part, place) in self.places(run) {
                file.write(place, &plane[part])?;
            }
        }
        for state in &mut self.states {
            let state = state.get_mut();
            *state = CLEAN.min(*state);
        }
        Ok(())
    }

    /// Notes that all pages are in memory and changed.
    pub(super) fn change_all(&mut self) {
        self.states
            .iter_mut()
            .for_each(|state| *state.get_mut() = CHANGED);
    }

    /// Returns whether a byte is in memory, and was prepared.
    #[inline(always)]
    pub(super) fn is_changed(&self, place: usize) -> bool {
        self.states[place / PAGE].load(Ordering::Acquire) == CHANGED
    }

    /// Makes sure that a byte is in memory, because it will be changed.
    #[cold]
    pub(super) fn prepare(
        &self,
        plane: &[AtomicU8],
        place: usize,
        file: &Mutex<&mut ScratchFile>,
    ) -> Result<(), TableError> {
        let page = place / PAGE;
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if self.states[page].load(Ordering::Acquire) == ABSENT {
            let mut bytes = [0; PAGE];
            let part = page * PAGE..self.len().min((page + 1) * PAGE);
            for (part, place) in self.places(part) {
                let bytes = &mut bytes[..part.len()];
                file.read(place, bytes)?;
                for (to, &byte) in plane[part].iter().zip(&*bytes) {
                    to.store(byte, Ordering::Relaxed);
                }
            }
        }
        self.states[page].store(CHANGED, Ordering::Release);
        Ok(())
    }
}
