//! The codes of a row of positions in a plane: a byte for each, or half a byte where there are few codes.

use std::sync::atomic::{AtomicU8, Ordering};

use super::news::Effect;
use super::search::for_each_equal;
use granero_table::rows::NO_CAPTURE;

/// A width of codes, see [`Width`](crate::graph::layout::Width).
pub(crate) trait Cells {
    /// The byte of a row before anything is known.
    const NO_CAPTURES: u8;

    /// The code for the best result of captures while these are gathered.
    fn of_best(best: i8) -> u8;

    /// The best result of captures that a code stands for.
    fn best(code: u8) -> i8;

    /// The place of a position's byte in its row.
    fn place(at: usize) -> usize;

    fn get(row: &[u8], at: usize) -> u8;

    fn set(row: &mut [u8], at: usize, code: u8);

    /// Changes a code by an effect, and returns whether that settles the position. The row is taken, so no other
    /// thread comes between.
    fn update(row: &[AtomicU8], at: usize, effect: &Effect) -> bool;

    /// Calls `found` with the places of all positions with a code, which is not 0.
    fn for_each_equal(row: &[u8], code: u8, found: impl FnMut(u32));
}

/// A byte for each position.
pub(crate) struct Whole;

impl Cells for Whole {
    const NO_CAPTURES: u8 = NO_CAPTURE as u8;

    #[inline(always)]
    fn of_best(best: i8) -> u8 {
        best as u8
    }

    #[inline(always)]
    fn best(code: u8) -> i8 {
        code as i8
    }

    #[inline(always)]
    fn place(at: usize) -> usize {
        at
    }

    #[inline(always)]
    fn get(row: &[u8], at: usize) -> u8 {
        row[at]
    }

    #[inline(always)]
    fn set(row: &mut [u8], at: usize, code: u8) {
        row[at] = code;
    }

    #[inline(always)]
    fn update(row: &[AtomicU8], at: usize, effect: &Effect) -> bool {
        let byte = &row[at];
        let (next, settled) = effect[usize::from(byte.load(Ordering::Relaxed))];
        byte.store(next, Ordering::Relaxed);
        settled
    }

    #[inline(always)]
    fn for_each_equal(row: &[u8], code: u8, found: impl FnMut(u32)) {
        for_each_equal(row, code, found);
    }
}

/// Half a byte for each position; the lower half is the first. A half that is left over at the end of a row is 0.
pub(crate) struct Half;

impl Half {
    #[inline(always)]
    fn shift(at: usize) -> u32 {
        at as u32 % 2 * 4
    }
}

impl Cells for Half {
    const NO_CAPTURES: u8 = 0;

    #[inline(always)]
    fn of_best(best: i8) -> u8 {
        if best == NO_CAPTURE {
            0
        } else {
            (best + 8) as u8
        }
    }

    #[inline(always)]
    fn best(code: u8) -> i8 {
        if code == 0 {
            NO_CAPTURE
        } else {
            code as i8 - 8
        }
    }

    #[inline(always)]
    fn place(at: usize) -> usize {
        at / 2
    }

    #[inline(always)]
    fn get(row: &[u8], at: usize) -> u8 {
        row[at / 2] >> Half::shift(at) & 0xf
    }

    #[inline(always)]
    fn set(row: &mut [u8], at: usize, code: u8) {
        let byte = &mut row[at / 2];
        *byte = *byte & !(0xf << Half::shift(at)) | code << Half::shift(at);
    }

    #[inline(always)]
    fn update(row: &[AtomicU8], at: usize, effect: &Effect) -> bool {
        let (byte, shift) = (&row[at / 2], Half::shift(at));
        let before = byte.load(Ordering::Relaxed);
        let (next, settled) = effect[usize::from(before >> shift & 0xf)];
        byte.store(before & !(0xf << shift) | next << shift, Ordering::Relaxed);
        settled
    }

    #[inline(always)]
    fn for_each_equal(row: &[u8], code: u8, mut found: impl FnMut(u32)) {
        for (piece, bytes) in (0..).step_by(128).zip(row.chunks(64)) {
            let equal = |byte: u8| [byte & 0xf == code, byte >> 4 == code];
            // Most pieces hold none; this test is done for many bytes at once.
            let any = |any, &byte: &u8| any | (byte & 0xf == code) | (byte >> 4 == code);
            if bytes.iter().fold(false, any) {
                for (at, &byte) in (piece..).step_by(2).zip(bytes) {
                    for (at, is_equal) in (at..).zip(equal(byte)) {
                        if is_equal {
                            found(at);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks rows against codes that lie apart.
    fn check<C: Cells>(codes: u8) {
        // Every code becomes another, and some of them settle.
        let effect: Effect = std::array::from_fn(|code| {
            let next = (code * 7 + 3) % usize::from(codes);
            (next as u8, code % 3 == 0)
        });
        for length in [1, 2, 7, 64, 127, 128, 129, 300] {
            let mut apart: Vec<u8> = (0..length).map(|at| (at * at % 97) as u8 % codes).collect();
            let mut row = vec![0; C::place(length - 1) + 1];
            for (at, &code) in apart.iter().enumerate() {
                C::set(&mut row, at, code);
            }
            for wanted in 1..codes {
                let places = (0..length as u32).filter(|&at| apart[at as usize] == wanted);
                let mut found = Vec::new();
                C::for_each_equal(&row, wanted, |at| found.push(at));
                assert!(places.eq(found));
            }
            let atomic: Vec<AtomicU8> = row.into_iter().map(AtomicU8::new).collect();
            for at in (0..length).step_by(3).chain((0..length).step_by(2)) {
                let (next, settled) = effect[usize::from(apart[at])];
                apart[at] = next;
                assert_eq!(C::update(&atomic, at, &effect), settled);
            }
            let row: Vec<u8> = atomic.into_iter().map(AtomicU8::into_inner).collect();
            assert!((0..length).all(|at| C::get(&row, at) == apart[at]));
        }
    }

    #[test]
    fn codes_in_bytes_and_in_halves_do_not_disturb_each_other() {
        check::<Whole>(255);
        check::<Half>(16);
    }

    #[test]
    fn best_captures_are_what_was_put_there() {
        for best in [NO_CAPTURE, -2, -1, 0, 1, 2] {
            assert_eq!(Half::best(Half::of_best(best)), best);
            assert_eq!(Whole::best(Whole::of_best(best)), best);
        }
        for (none, of_best) in [
            (Whole::NO_CAPTURES, Whole::of_best(NO_CAPTURE)),
            (Half::NO_CAPTURES, Half::of_best(NO_CAPTURE)),
        ] {
            assert_eq!(none, of_best);
        }
    }
}
