//! Where one worker keeps what it owns of a layer.

use super::ownership::{Local, Ownership};
use crate::index::{Layer, half};
use crate::rows::{Matrix, Row};

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

/// The memory layout of one worker.
///
/// A worker has a byte for each position whose mover's half-board it owns, in rows of
/// all the opponent's half-boards. For either kind of news it has a bit for each position
/// whose opponent's half-board it owns, in rows of all the mover's half-boards.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    layer: Layer,
    ownership: Ownership,
    worker: usize,
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

/// A row of positions that a worker owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnedRow {
    pub(super) matrix: Matrix,
    /// The mover's half-board.
    pub(super) local: Local,
    /// Where its bytes begin.
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Layout {
    pub(super) fn new(layer: Layer, ownership: Ownership, worker: usize) -> Layout {
        let seeds = layer.seeds();
        let counts = BySeeds::of((0..=seeds).map(|s| half::count(s) as usize));
        let words = BySeeds::of((0..=seeds).map(|s| (half::count(s) as usize).div_ceil(64)));
        let starts = |row_len: &dyn Fn(u8) -> usize| {
            let sizes = (0..=seeds).map(|side| {
                let rows = ownership.count(worker, half::count(side)) as usize;
                rows * row_len(seeds - side)
            });
            let ends = sizes.scan(0, |end, size| {
                *end += size;
                Some(*end)
            });
            BySeeds::of([0].into_iter().chain(ends))
        };
        Layout {
            layer,
            ownership,
            worker,
            value_starts: starts(&|other| counts.get(other)),
            news_starts: starts(&|other| words.get(other)),
            news_rows: starts(&|_| 1),
            counts,
            words,
        }
    }

    /// The number of half-boards with `seeds` seeds that the worker owns.
    pub(super) fn half_boards(&self, seeds: u8) -> usize {
        self.ownership.count(self.worker, half::count(seeds)) as usize
    }

    /// The rank of a half-board of the worker.
    #[inline(always)]
    pub(super) fn rank(&self, local: Local) -> u32 {
        self.ownership.rank(self.worker, local)
    }

    /// Goes through the rows of positions, in the order of their bytes.
    #[inline(always)]
    pub(super) fn for_each_row(&self, mut work: impl FnMut(OwnedRow)) {
        for matrix in Matrix::all(self.layer) {
            let mut start = self.value_starts.get(matrix.own_seeds());
            let len = self.row_len(matrix.own_seeds());
            for local in 0..self.half_boards(matrix.own_seeds()) as u32 {
                work(OwnedRow {
                    matrix,
                    local: Local(local),
                    start,
                    len,
                });
                start += len;
            }
        }
    }

    /// A row as all of a layer.
    pub(super) fn row(&self, owned: OwnedRow) -> Row {
        owned.matrix.row(self.rank(owned.local))
    }

    /// The bytes of all positions.
    pub(super) fn values(&self) -> usize {
        self.value_starts.get(self.layer.seeds() + 1)
    }

    /// The words of one kind of news.
    pub(super) fn news_words(&self) -> usize {
        self.news_starts.get(self.layer.seeds() + 1)
    }

    /// The rows of one kind of news.
    pub(super) fn news_rows(&self) -> usize {
        self.news_rows.get(self.layer.seeds() + 1)
    }

    /// The length of the rows of bytes where the mover has `own_seeds` seeds.
    #[inline(always)]
    pub(super) fn row_len(&self, own_seeds: u8) -> usize {
        self.counts.get(self.layer.seeds() - own_seeds)
    }

    /// Where the row of bytes of a half-board of the mover begins.
    #[inline(always)]
    pub(super) fn row_start(&self, own_seeds: u8, Local(local): Local) -> usize {
        self.value_starts.get(own_seeds) + local as usize * self.row_len(own_seeds)
    }

    /// The words in a row of bits where the opponent has `opponents_seeds` seeds.
    #[inline(always)]
    pub(super) fn news_len(&self, opponents_seeds: u8) -> usize {
        self.words.get(self.layer.seeds() - opponents_seeds)
    }

    /// Where the row of bits of a half-board of the opponent begins.
    #[inline(always)]
    pub(super) fn news_start(&self, opponents_seeds: u8, Local(local): Local) -> usize {
        let start = self.news_starts.get(opponents_seeds);
        start + local as usize * self.news_len(opponents_seeds)
    }

    /// The number of that row.
    #[inline(always)]
    pub(super) fn news_row(&self, opponents_seeds: u8, Local(local): Local) -> usize {
        self.news_rows.get(opponents_seeds) + local as usize
    }
}
