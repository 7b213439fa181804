//! News: the settled positions that their predecessors do not know of yet.
//!
//! News is kept as bits, in rows of all positions with the same opponent's half-board,
//! for these share their predecessors' half-boards: a row is *served* for all its news
//! at once. Rows wait in queues, so that they gather more.

use std::collections::VecDeque;

use super::layout::Layout;
use super::ownership::Local;
use super::prefetch::prefetch;

/// A kind of news: what is known of a child. What it settles is news of the other kind for
/// the next predecessors, because the sides take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    First = 0,
    Second = 1,
}

impl News {
    /// The news that follows for predecessors.
    pub(super) fn other(self) -> News {
        match self {
            News::First => News::Second,
            News::Second => News::First,
        }
    }
}

/// What one kind of news does to the byte of a position: the new byte, and whether the
/// position is settled by it.
pub(super) type Table = [(u8, bool); 256];

/// A settled position, in the terms of the owner of its row of news.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    /// The word of the news that holds its bit.
    pub(super) word: usize,
    /// The opponent's half-board.
    pub(super) local: Local,
    pub(super) opponents_seeds: u8,
    pub(super) bit: u8,
    pub(super) news: News,
}

/// A row of news that waits to be served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// The opponent's half-board.
    pub(super) local: Local,
    pub(super) news: News,
}

/// The rows of news of one worker.
#[derive(Debug)]
pub(super) struct NewsRows<'a> {
    layout: &'a Layout,
    /// By kind: a bit for each position.
    bits: [Vec<u64>; 2],
    /// By kind: whether a row waits.
    waits: [Vec<bool>; 2],
    /// By the opponent's seeds.
    queues: Vec<VecDeque<Waiting>>,
}

impl<'a> NewsRows<'a> {
    /// Rows for a layer with `seeds` seeds, without any news.
    pub(super) fn new(seeds: u8, layout: &'a Layout) -> NewsRows<'a> {
        let bits = || vec![0; layout.news_words()];
        let waits = || vec![false; layout.news_rows()];
        // A row waits at most once for each kind of news.
        let queue = |seeds| VecDeque::with_capacity(2 * layout.half_boards(seeds));
        NewsRows {
            layout,
            bits: [bits(), bits()],
            waits: [waits(), waits()],
            queues: (0..=seeds).map(queue).collect(),
        }
    }

    /// Enters a settled position.
    #[inline(always)]
    pub(super) fn enter(&mut self, settled: Settled) {
        let Settled {
            word,
            local,
            opponents_seeds,
            bit,
            news,
        } = settled;
        self.bits[news as usize][word] |= 1 << bit;
        let row = self.layout.news_row(opponents_seeds, local);
        let waits = &mut self.waits[news as usize][row];
        if !*waits {
            *waits = true;
            self.queues[usize::from(opponents_seeds)].push_back(Waiting { local, news });
        }
    }

    /// Asks for the memory in which a settled position is going to be entered.
    #[inline(always)]
    pub(super) fn prefetch(&self, settled: &Settled) {
        prefetch(&self.bits[settled.news as usize], settled.word);
    }

    /// Asks for the memory of a row that waits.
    pub(super) fn prefetch_row(&self, opponents_seeds: u8, waiting: Waiting) {
        let start = self.layout.news_start(opponents_seeds, waiting.local);
        let bits = &self.bits[waiting.news as usize];
        for line in (0..self.layout.news_len(opponents_seeds).min(32)).step_by(8) {
            prefetch(bits, start + line);
        }
    }

    /// The waiting rows where the opponent has `opponents_seeds` seeds.
    pub(super) fn queue(&self, opponents_seeds: u8) -> &VecDeque<Waiting> {
        &self.queues[usize::from(opponents_seeds)]
    }

    /// Takes the first of these from its queue. It waits again once more news is entered.
    pub(super) fn pop(&mut self, opponents_seeds: u8) -> Option<Waiting> {
        let waiting = self.queues[usize::from(opponents_seeds)].pop_front()?;
        let row = self.layout.news_row(opponents_seeds, waiting.local);
        self.waits[waiting.news as usize][row] = false;
        Some(waiting)
    }

    /// The bits of a row.
    #[inline(always)]
    pub(super) fn row(&mut self, opponents_seeds: u8, waiting: Waiting) -> &mut [u64] {
        let start = self.layout.news_start(opponents_seeds, waiting.local);
        let len = self.layout.news_len(opponents_seeds);
        &mut self.bits[waiting.news as usize][start..][..len]
    }

    /// Whether no row waits.
    pub(super) fn all_served(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty)
    }
}
