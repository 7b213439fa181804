//! Where things lie in the memory of a worker while a layer is solved.

use super::share::Share;
use crate::index::half;

/// The geometry of one layer, as far as one worker owns it.
///
/// A worker has a byte for each position whose mover's half-board it owns, in rows of
/// all the opponent's half-boards, and a bit for each position whose opponent's
/// half-board it owns, in rows of all the mover's half-boards, for either kind of news.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    seeds: u8,
    /// By the mover's seeds: where the rows of bytes begin. One more at the end.
    value_starts: Vec<usize>,
    /// By the opponent's seeds: where the rows of bits begin, in words.
    news_starts: Vec<usize>,
    /// By the opponent's seeds: the number of the first row of bits.
    news_rows: Vec<usize>,
    /// By seeds: half-boards.
    counts: Vec<usize>,
    /// By seeds: words that hold a bit for each half-board.
    words: Vec<usize>,
}

impl Plane {
    pub(super) fn new(seeds: u8, share: Share, worker: usize) -> Plane {
        let counts: Vec<usize> = (0..=seeds).map(|s| half::count(s) as usize).collect();
        let words: Vec<usize> = counts.iter().map(|count| count.div_ceil(64)).collect();
        let (mut value_starts, mut news_starts, mut news_rows) = (vec![0], vec![0], vec![0]);
        for side in 0..=seeds {
            let other = usize::from(seeds - side);
            let rows = share.count(worker, half::count(side)) as usize;
            let last = usize::from(side);
            value_starts.push(value_starts[last] + rows * counts[other]);
            news_starts.push(news_starts[last] + rows * words[other]);
            news_rows.push(news_rows[last] + rows);
        }
        Plane {
            seeds,
            value_starts,
            news_starts,
            news_rows,
            counts,
            words,
        }
    }

    /// The bytes of all positions.
    pub(super) fn values(&self) -> usize {
        self.value_starts[self.value_starts.len() - 1]
    }

    /// The words of one kind of news.
    pub(super) fn news_words(&self) -> usize {
        self.news_starts[self.news_starts.len() - 1]
    }

    /// All rows of one kind of news.
    pub(super) fn all_news_rows(&self) -> usize {
        self.news_rows[self.news_rows.len() - 1]
    }

    /// The length of the rows of bytes where the mover has so many seeds.
    #[inline(always)]
    pub(super) fn row_len(&self, own_seeds: u8) -> usize {
        self.counts[usize::from(self.seeds - own_seeds)]
    }

    /// Where the row of bytes of a half-board of the mover begins.
    #[inline(always)]
    pub(super) fn row_start(&self, own_seeds: u8, local: u32) -> usize {
        self.value_starts[usize::from(own_seeds)] + local as usize * self.row_len(own_seeds)
    }

    /// The length of the rows of bits where the opponent has so many seeds.
    #[inline(always)]
    pub(super) fn news_len(&self, opponents_seeds: u8) -> usize {
        self.words[usize::from(self.seeds - opponents_seeds)]
    }

    /// Where the row of bits of a half-board of the opponent begins.
    #[inline(always)]
    pub(super) fn news_start(&self, opponents_seeds: u8, local: u32) -> usize {
        let start = self.news_starts[usize::from(opponents_seeds)];
        start + local as usize * self.news_len(opponents_seeds)
    }

    /// The number of that row.
    #[inline(always)]
    pub(super) fn news_row(&self, opponents_seeds: u8, local: u32) -> usize {
        self.news_rows[usize::from(opponents_seeds)] + local as usize
    }
}
