//! Where things lie in the memory of a worker while a layer is solved.

use super::share::Share;
use crate::index::half;

/// A number for each number of seeds.
///
/// Looked up for every settled position, so it takes neither a pointer nor a check: there
/// is room for more seeds than the game has.
#[derive(Clone, Debug)]
struct BySeeds([usize; 64]);

impl BySeeds {
    fn of(numbers: impl IntoIterator<Item = usize>) -> BySeeds {
        let mut by_seeds = BySeeds([0; 64]);
        for (place, number) in by_seeds.0.iter_mut().zip(numbers) {
            *place = number;
        }
        by_seeds
    }

    #[inline(always)]
    fn get(&self, seeds: u8) -> usize {
        self.0[usize::from(seeds % 64)]
    }
}

/// The geometry of one layer, as far as one worker owns it.
///
/// A worker has a byte for each position whose mover's half-board it owns, in rows of
/// all the opponent's half-boards, and a bit for each position whose opponent's
/// half-board it owns, in rows of all the mover's half-boards, for either kind of news.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    seeds: u8,
    /// By the mover's seeds: where the rows of bytes begin. One more at the end, as below.
    value_starts: BySeeds,
    /// By the opponent's seeds: where the rows of bits begin, in words.
    news_starts: BySeeds,
    /// By the opponent's seeds: the number of the first row of bits.
    news_rows: BySeeds,
    /// By seeds: half-boards.
    counts: BySeeds,
    /// By seeds: words that hold a bit for each half-board.
    words: BySeeds,
}

impl Plane {
    pub(super) fn new(seeds: u8, share: Share, worker: usize) -> Plane {
        let counts = BySeeds::of((0..=seeds).map(|s| half::count(s) as usize));
        let words = BySeeds::of((0..=seeds).map(|s| (half::count(s) as usize).div_ceil(64)));
        let starts = |row_len: &dyn Fn(u8) -> usize| {
            let sizes = (0..=seeds).map(|side| {
                let rows = share.count(worker, half::count(side)) as usize;
                rows * row_len(seeds - side)
            });
            let ends = sizes.scan(0, |end, size| {
                *end += size;
                Some(*end)
            });
            BySeeds::of([0].into_iter().chain(ends))
        };
        Plane {
            seeds,
            value_starts: starts(&|other| counts.get(other)),
            news_starts: starts(&|other| words.get(other)),
            news_rows: starts(&|_| 1),
            counts,
            words,
        }
    }

    /// The bytes of all positions.
    pub(super) fn values(&self) -> usize {
        self.value_starts.get(self.seeds + 1)
    }

    /// The words of one kind of news.
    pub(super) fn news_words(&self) -> usize {
        self.news_starts.get(self.seeds + 1)
    }

    /// All rows of one kind of news.
    pub(super) fn all_news_rows(&self) -> usize {
        self.news_rows.get(self.seeds + 1)
    }

    /// The length of the rows of bytes where the mover has so many seeds.
    #[inline(always)]
    pub(super) fn row_len(&self, own_seeds: u8) -> usize {
        self.counts.get(self.seeds - own_seeds)
    }

    /// Where the row of bytes of a half-board of the mover begins.
    #[inline(always)]
    pub(super) fn row_start(&self, own_seeds: u8, local: u32) -> usize {
        self.value_starts.get(own_seeds) + local as usize * self.row_len(own_seeds)
    }

    /// The length of the rows of bits where the opponent has so many seeds.
    #[inline(always)]
    pub(super) fn news_len(&self, opponents_seeds: u8) -> usize {
        self.words.get(self.seeds - opponents_seeds)
    }

    /// Where the row of bits of a half-board of the opponent begins.
    #[inline(always)]
    pub(super) fn news_start(&self, opponents_seeds: u8, local: u32) -> usize {
        let start = self.news_starts.get(opponents_seeds);
        start + local as usize * self.news_len(opponents_seeds)
    }

    /// The number of that row.
    #[inline(always)]
    pub(super) fn news_row(&self, opponents_seeds: u8, local: u32) -> usize {
        self.news_rows.get(opponents_seeds) + local as usize
    }
}
