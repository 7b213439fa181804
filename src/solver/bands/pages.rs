//! The bytes of a band, of which pages are in memory as they are needed.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use super::rows_file::RowsFile;
use super::scratch_file::ScratchFile;
use crate::graph::Number;
use crate::tuning::Tuning;
use granero_table::TableError;
use granero_table::first_error::lock;
use granero_table::parallel;

/// The states of a page: only in the file, as in the file, or changed.
const ABSENT: u8 = 0;
const CLEAN: u8 = 1;
const CHANGED: u8 = 2;

/// Some rows of a band: where their bytes lie in the band and in the file.
#[derive(Clone, Debug)]
struct Piece {
    in_band: Range<usize>,
    in_file: u64,
}

/// The pages of the band in memory. The file has the bytes of all bands in the order of a plane of the whole
/// layer.
#[derive(Debug)]
pub(super) struct Pages {
    pieces: Vec<Piece>,
    states: Vec<AtomicU8>,
    /// The bytes of a page, as a power of two.
    page_bits: u32,
    /// The bytes that are read or written at once, about.
    at_once: usize,
    /// By the last bits of a page's number: held while the page is read.
    reading: [Mutex<()>; 64],
}

impl Pages {
    /// The pages of a band with these rows by the mover's seeds, of which none is in memory.
    pub(super) fn of(file: &RowsFile, rows: &[Range<Number>], tuning: &Tuning) -> Pages {
        let mut begin = 0;
        let piece = |(own_seeds, rows): (u8, &Range<Number>)| {
            let end = begin + rows.len() * file.row_bytes(own_seeds);
            let in_band = std::mem::replace(&mut begin, end)..end;
            (!in_band.is_empty()).then(|| Piece {
                in_band,
                in_file: file.place(own_seeds, rows.start),
            })
        };
        let pieces = (0..).zip(rows).filter_map(piece).collect();
        let states = std::iter::repeat_with(|| AtomicU8::new(ABSENT));
        Pages {
            pieces,
            states: states.take(begin.div_ceil(1 << tuning.page_bits)).collect(),
            page_bits: tuning.page_bits,
            at_once: tuning.band,
            reading: [const { Mutex::new(()) }; 64],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.in_band.end)
    }

    /// The bytes of a page, as a part of the band.
    fn page(&self, page: usize) -> Range<usize> {
        page << self.page_bits..self.len().min((page + 1) << self.page_bits)
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

    /// Moves all pages from one state to another; returns the places in the band and in the file of the parts that
    /// these make up.
    fn move_all(&self, from: u8, to: u8) -> impl Iterator<Item = (Range<usize>, u64)> {
        let mut pages = 0..self.states.len();
        let parts = std::iter::from_fn(move || {
            let moves = |&page: &usize| {
                let state = &self.states[page];
                let moves = state.load(Ordering::Relaxed) == from;
                if moves {
                    state.store(to, Ordering::Relaxed);
                }
                moves
            };
            let first = pages.find(moves)?;
            let most = (self.at_once >> self.page_bits) - 1;
            let more = pages.clone().take(most).take_while(moves).count();
            pages.start += more;
            Some(self.page(first).start..self.page(first + more).end)
        });
        parts.flat_map(|part| self.places(part))
    }

    /// Reads the pages that are absent.
    pub(super) fn read_all(&self, plane: &mut [u8], file: &ScratchFile) -> Result<(), TableError> {
        let (mut rest, mut end) = (plane, 0);
        let parts = self.move_all(ABSENT, CLEAN).map(|(part, place)| {
            let bytes = (rest.split_off_mut(..part.end - end)).expect("the band has all parts");
            let bytes = &mut bytes[part.start - end..];
            end = part.end;
            (bytes, place)
        });
        parallel::try_for_each(parts, |(bytes, place)| file.read(place, bytes))
    }

    /// Writes the pages that were changed.
    pub(super) fn write(&self, plane: &[u8], file: &ScratchFile) -> Result<(), TableError> {
        // Linux writes a file for one thread at a time, and others wait actively.
        let mut parts = self.move_all(CHANGED, CLEAN);
        parts.try_for_each(|(part, place)| file.write(place, &plane[part]))
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
        let _reading = lock(&self.reading[page % self.reading.len()]);
        if self.states[page].load(Ordering::Relaxed) == ABSENT {
            for (part, place) in self.places(self.page(page)) {
                let mut bytes = vec![0; part.len()];
                file.read(place, &mut bytes)?;
                for (to, &byte) in plane[part].iter().zip(&bytes) {
                    to.store(byte, Ordering::Relaxed);
                }
            }
        }
        self.states[page].store(CHANGED, Ordering::Release);
        Ok(())
    }
}
