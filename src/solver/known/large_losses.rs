//! Captures that a byte has no room for.
//!
//! In the largest layers there are more losses by a capture than bytes, so losses beyond some
//! number of seeds are listed beside the plane, and the byte says that there is no capture. That
//! makes no difference until the last quiet move of the position is gone: only then the list is asked.

use std::sync::atomic::{AtomicU8, Ordering};

use super::value_codes::ValueCodes;

/// Positions whose best capture loses more than their bytes have room for.
#[derive(Debug, Default)]
pub struct LargeLosses {
    /// The place in the plane, and the seeds that the capture loses; sorted.
    positions: Vec<(usize, u8)>,
}

impl LargeLosses {
    pub fn new(mut positions: Vec<(usize, u8)>) -> LargeLosses {
        positions.sort_unstable();
        LargeLosses { positions }
    }

    /// All positions that are listed, in order.
    pub fn positions(&self) -> &[(usize, u8)] {
        &self.positions
    }

    /// The seeds that the best capture of a position loses, if it is listed.
    fn get(&self, place: usize) -> Option<u8> {
        let found = self
            .positions
            .binary_search_by_key(&place, |&(place, _)| place);
        found.ok().map(|found| self.positions[found].1)
    }
}

/// Decides a position whose last quiet move is gone, and whose byte knows of no capture.
#[derive(Clone, Copy)]
pub(crate) struct LastMove<'a> {
    pub large_losses: &'a LargeLosses,
    pub codes: ValueCodes,
    /// The threshold, by which the child is won.
    pub threshold: u8,
}

impl LastMove<'_> {
    /// Changes the byte of a position that has just been found to be settled. Returns false if it is not:
    /// if a listed capture loses less, that capture is the best move, and the position stays open
    /// until its threshold.
    ///
    /// The row of the position is not taken any more. If a table has settled it, no news changes the
    /// byte at this threshold. Otherwise all its children are known to be won, and that was its last
    /// news: no other thread touches the byte.
    pub(crate) fn settles(&self, plane: &[AtomicU8], place: usize) -> bool {
        let byte = &plane[place];
        let before = self.codes.quiet(1);
        if byte.load(Ordering::Relaxed) != before {
            // It was settled by a table.
            return true;
        }
        let lost = match self.large_losses.get(place) {
            Some(lost) if lost < self.threshold => lost,
            _ => self.threshold,
        };
        byte.store(self.codes.loss(lost, 0), Ordering::Relaxed);
        lost == self.threshold
    }
}
