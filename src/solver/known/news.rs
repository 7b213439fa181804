//! News: settled positions that were not yet taken to their predecessors.
//!
//! News is kept as bits, in rows of all positions with the same opponent's half-board, because
//! these share their predecessors' half-boards: a row is *served* for all its news
//! at once. Rows wait, so that they gather more.

use crate::graph::{Layout, Number, OpponentsHalf};
use crate::threads::{AtomicU64, Waiting, prefetch, prefetch_to_write};

/// A kind of news about a child. A position that it settles is news of the other kind for its
/// predecessors, because the sides take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// With values: the child is lost. With bounds: the favoured side is to move in the child.
    First = 0,
    /// With values: the child is won. With bounds: the other side is to move in the child.
    Second = 1,
}

impl News {
    /// The kind of news that follows for predecessors.
    pub fn other(self) -> News {
        match self {
            News::First => News::Second,
            News::Second => News::First,
        }
    }
}

/// The effect of one kind of news on the byte of a position: the new byte, and whether the
/// position is settled by it. A position that is settled by an unchanged byte may have a listed
/// capture: then the list decides, see [`large_losses`](super::large_losses).
pub(crate) type Effect = [(u8, bool); 256];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewsRow {
    /// The opponent's half-board.
    pub half: OpponentsHalf,
    pub news: News,
}

impl NewsRow {
    /// Its number among the rows of both kinds.
    #[inline(always)]
    pub fn number(self) -> usize {
        2 * self.half.0 + self.news as usize
    }

    #[inline]
    pub fn of_number(number: usize) -> NewsRow {
        NewsRow {
            half: OpponentsHalf(number / 2),
            news: [News::First, News::Second][number % 2],
        }
    }
}

/// The place of a settled position in the news.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewsPlace {
    /// The number of its row.
    row: usize,
    /// The word that holds its bit.
    word: usize,
    bit: u8,
}

/// The news of a layer: for either kind, a bit for each position.
#[derive(Debug)]
pub(crate) struct NewsRows<'a> {
    layout: &'a Layout,
    waiting: &'a Waiting,
}

impl<'a> NewsRows<'a> {
    /// The news of a layer in `waiting`.
    pub(crate) fn new(layout: &'a Layout, waiting: &'a Waiting) -> NewsRows<'a> {
        debug_assert!(waiting.bits().len() >= 2 * layout.news_words());
        NewsRows { layout, waiting }
    }

    /// The rows, of which some wait.
    pub(crate) fn waiting(&self) -> &Waiting {
        self.waiting
    }

    /// Adds the waiting rows of the next piece that has any, see [`Waiting::next_piece`].
    pub(crate) fn next_piece(&self, rows: &mut Vec<NewsRow>) -> bool {
        self.waiting
            .next_piece(|number| rows.push(NewsRow::of_number(number)))
    }

    /// Notes that a row no longer waits, because this thread serves it now. Returns false if another
    /// thread has claimed it before.
    pub(crate) fn claim(&self, row: NewsRow) -> bool {
        self.waiting.claim(row.number())
    }

    /// The place of a position in a row, given the opponent's half-board by seeds and number, and
    /// the mover's.
    #[inline(always)]
    pub(crate) fn place(
        &self,
        row: NewsRow,
        (opponents_seeds, opponents): (u8, Number),
        own: Number,
    ) -> NewsPlace {
        let kind = row.news as usize * self.layout.news_words();
        NewsPlace {
            row: row.number(),
            word: kind + self.layout.news_word(opponents_seeds, opponents, own),
            bit: (own % 64) as u8,
        }
    }

    /// Where a row begins.
    #[inline(always)]
    fn start(&self, news: News, (seeds, number): (u8, Number)) -> usize {
        news as usize * self.layout.news_words() + self.layout.news_start(seeds, number)
    }

    /// Enters a settled position.
    #[inline(always)]
    pub(crate) fn enter(&self, NewsPlace { row, word, bit }: NewsPlace) {
        self.waiting.enter(row, word, bit);
    }

    /// Like `enter`, while no other thread enters or takes one in that word.
    #[inline(always)]
    pub(crate) fn enter_undisturbed(&self, NewsPlace { row, word, bit }: NewsPlace) {
        self.waiting.enter_undisturbed(row, word, bit);
    }

    /// Prefetches the memory in which a settled position will be entered.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: &NewsPlace) {
        prefetch_to_write(self.waiting.bits(), place.word);
    }

    pub(crate) fn prefetch_row(&self, row: NewsRow, opponents: (u8, Number)) {
        let start = self.start(row.news, opponents);
        for line in (0..self.layout.news_len(opponents.0).min(32)).step_by(8) {
            prefetch(self.waiting.bits(), start + line);
        }
    }

    /// The words of a row that was claimed.
    #[inline(always)]
    pub(crate) fn row(&self, row: NewsRow, opponents: (u8, Number)) -> &[AtomicU64] {
        let words = &self.waiting.bits()[self.start(row.news, opponents)..];
        &words[..self.layout.news_len(opponents.0)]
    }
}
