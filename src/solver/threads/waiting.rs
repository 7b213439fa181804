//! Words of bits that any thread may set, and the rows of them that wait for a thread.
//!
//! Two orders of events make sure that no bit is lost:
//!
//! * a thread that [enters](Waiting::enter) a bit sets it, and then looks whether its row waits;
//! * a thread that serves a row [claims](Waiting::claim) it, so that it no longer waits, and then
//!   [takes](Waiting::take) its bits.
//!
//! If the first finds that the row waits, then the second has not claimed it yet, and will find
//! the bit. All these operations are sequentially consistent, because each side writes one place
//! and then reads another, and weaker orders would let the two change places. While no thread takes bits,
//! and one thread alone has a word, loads and stores do: [`Waiting::enter_undisturbed`].

use super::sync::{AtomicU64, AtomicUsize, Ordering, pause, words};

/// Rows of bits, of which some wait.
#[derive(Debug)]
pub(crate) struct Waiting {
    bits: Vec<AtomicU64>,
    /// A bit for each row that is set while it waits.
    rows: Vec<AtomicU64>,
    /// Where the next thread looks for rows that wait.
    cursor: AtomicUsize,
    /// Set if there is one thread only. It needs no atomic operations, which take long.
    alone: bool,
}

/// The words of [`Waiting::rows`] that a thread looks at, at a time.
const PIECE: usize = 8;

/// The most rows in these.
pub(crate) const ROWS: usize = PIECE * 64;

impl Waiting {
    /// Words without a bit set, and rows of which none waits. `alone` says that there is one
    /// thread only.
    pub(crate) fn new(bits: usize, rows: usize, alone: bool) -> Waiting {
        Waiting {
            bits: words(bits),
            rows: words(rows.div_ceil(64).next_multiple_of(PIECE)),
            cursor: AtomicUsize::new(0),
            alone,
        }
    }

    /// All words.
    #[inline(always)]
    pub(crate) fn bits(&self) -> &[AtomicU64] {
        &self.bits
    }

    /// Sets a bit of a word that belongs to a row, which then waits.
    #[inline(always)]
    pub(crate) fn enter(&self, row: usize, word: usize, bit: u8) {
        self.set(&self.bits[word], 1 << bit);
        pause();
        self.make_wait(row);
    }

    /// Like `enter`, while no other thread sets or takes a bit of that word. Then the bit needs no atomic
    /// operation; the word that says which rows wait does, because others share it.
    #[inline(always)]
    pub(crate) fn enter_undisturbed(&self, row: usize, word: usize, bit: u8) {
        let word = &self.bits[word];
        word.store(word.load(Ordering::Relaxed) | 1 << bit, Ordering::Relaxed);
        self.make_wait(row);
    }

    #[inline(always)]
    fn make_wait(&self, row: usize) {
        let (waits, mask) = (&self.rows[row / 64], 1 << (row % 64));
        if waits.load(Ordering::SeqCst) & mask == 0 {
            pause();
            self.set(waits, mask);
        }
    }

    #[inline(always)]
    fn set(&self, word: &AtomicU64, mask: u64) {
        if self.alone {
            word.store(word.load(Ordering::Relaxed) | mask, Ordering::Relaxed);
        } else {
            word.fetch_or(mask, Ordering::SeqCst);
        }
    }

    /// Calls `found` with each waiting row of the next piece that has any; returns whether there was such a
    /// piece. The threads take pieces in turns.
    ///
    /// Looking at a piece without any changes nothing, so threads that find nothing do not delay
    /// the others.
    pub(crate) fn next_piece(&self, mut found: impl FnMut(usize)) -> bool {
        let pieces = self.rows.len() / PIECE;
        let next = self.cursor.fetch_add(1, Ordering::Relaxed) % pieces;
        for number in (next..pieces).chain(0..next) {
            let piece = &self.rows[number * PIECE..][..PIECE];
            if piece.iter().all(|word| word.load(Ordering::Relaxed) == 0) {
                continue;
            }
            if number != next {
                self.cursor.store(number + 1, Ordering::Relaxed);
            }
            for (number, word) in (number * PIECE..).zip(piece) {
                let mut bits = word.load(Ordering::Relaxed);
                while bits != 0 {
                    found(number * 64 + bits.trailing_zeros() as usize);
                    bits &= bits - 1;
                }
            }
            return true;
        }
        false
    }

    /// Notes that a row no longer waits, because this thread serves it now. Returns false if another
    /// thread has claimed it before.
    pub(crate) fn claim(&self, row: usize) -> bool {
        let (word, mask) = (&self.rows[row / 64], 1 << (row % 64));
        let before = if self.alone {
            let before = word.load(Ordering::Relaxed);
            word.store(before & !mask, Ordering::Relaxed);
            before
        } else {
            word.fetch_and(!mask, Ordering::SeqCst)
        };
        pause();
        before & mask != 0
    }

    /// Takes the bits of a word of a row that was claimed.
    #[inline(always)]
    pub(crate) fn take(&self, word: &AtomicU64) -> u64 {
        // Most words have none.
        match word.load(Ordering::SeqCst) {
            0 => 0,
            bits if self.alone => {
                word.store(0, Ordering::Relaxed);
                bits
            }
            _ => word.swap(0, Ordering::SeqCst),
        }
    }

    /// Returns whether some row waits.
    pub(crate) fn any(&self) -> bool {
        (self.rows.iter()).any(|word| word.load(Ordering::SeqCst) != 0)
    }
}
