//! Scanning: going through all positions of a worker to find those that are settled.

use super::layout::Layout;
use super::news::News;
use super::reporter::Reporter;

/// The most positions in a piece.
const PIECE: usize = 4096;
/// After this number of pieces at the latest, a scan opens the reports that have come.
const PIECES_UNHEARD: u32 = 256;

/// A piece of a row of positions of a worker, as a scan finds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScannedPiece {
    /// The mover's seeds.
    pub(super) own_seeds: u8,
    /// Where its bytes begin.
    pub(super) start: usize,
}

/// The positions that were found in a piece: their places in it, and what news they are.
pub(super) type Found = Vec<(u32, News)>;

/// Scans positions, and reports those that are found.
#[derive(Debug)]
pub(super) struct Scanner {
    /// What the piece at hand holds.
    found: Found,
}

impl Scanner {
    /// The memory in bytes.
    pub(super) const MEMORY: usize = PIECE * size_of::<(u32, News)>();

    pub(super) fn new() -> Scanner {
        Scanner {
            found: Vec::with_capacity(PIECE),
        }
    }

    /// Goes through bytes, by pieces of rows; `look` says which positions of the piece are
    /// settled. No orders are carried out meanwhile.
    pub(super) fn scan(
        &mut self,
        layout: &Layout,
        bytes: &mut [u8],
        reporter: &mut Reporter<'_>,
        mut look: impl FnMut(ScannedPiece, &mut [u8], &mut Found),
    ) {
        let mut pieces = 0;
        layout.for_each_row(|owned| {
            let own_seeds = owned.matrix.own_seeds();
            let row = &mut bytes[owned.start..][..owned.len];
            for (number, piece) in row.chunks_mut(PIECE).enumerate() {
                let before = number * PIECE;
                let start = owned.start + before;
                look(ScannedPiece { own_seeds, start }, piece, &mut self.found);
                for (place, news) in self.found.drain(..) {
                    reporter.report(own_seeds, owned.local, before as u32 + place, news);
                }
                pieces += 1;
                if reporter.has_enough_to_enter() || pieces % PIECES_UNHEARD == 0 {
                    reporter.enter_own();
                    reporter.receive();
                }
            }
        });
        reporter.enter_own();
    }
}
