//! Scans: going through all positions to find those that are settled.

use crate::graph::{Number, Numbering, PlaneBand};
use crate::known::{News, NewsPlace, NewsRow, NewsRows};
use granero_table::parallel;

/// Takes the settled positions that a thread finds, and enters them as news.
#[derive(Debug)]
pub(super) struct Finder<'a> {
    numbering: &'a Numbering,
    news: &'a NewsRows<'a>,
    seeds: u8,
    /// Where to enter the positions that were found. The memory at these places has been prefetched.
    found: Vec<NewsPlace>,
}

/// The number of positions that are entered at once.
const ENTERED_AT_ONCE: usize = 256;

impl Finder<'_> {
    /// The memory in bytes.
    pub(super) const MEMORY: usize = ENTERED_AT_ONCE * size_of::<NewsPlace>();

    /// Takes a settled position, given the mover's half-board and the opponent's.
    #[inline(always)]
    pub(super) fn settled(&mut self, own_seeds: u8, own: Number, opponents: Number, news: News) {
        let opponents_seeds = self.seeds - own_seeds;
        let half = self.numbering.opponents_half(opponents_seeds, opponents);
        let row = NewsRow { half, news };
        let place = self.news.place(row, (opponents_seeds, opponents), own);
        self.news.prefetch(&place);
        self.found.push(place);
        if self.found.len() == ENTERED_AT_ONCE {
            self.enter();
        }
    }

    /// Enters what was found: no thread takes news during a scan, and no other thread has a band with news
    /// in the same words.
    fn enter(&mut self) {
        for place in self.found.drain(..) {
            self.news.enter_undisturbed(place);
        }
    }
}

/// Goes through bands on all threads; `look` tells the finder which positions of a band are
/// settled. The bands come from [`Layout::bands`](crate::graph::layout::Layout::bands); no thread settles
/// positions during a scan.
pub(super) fn scan<T: Send>(
    seeds: u8,
    numbering: &Numbering,
    news: &NewsRows<'_>,
    bands: Vec<(PlaneBand, T)>,
    look: impl Fn(PlaneBand, T, &mut Finder<'_>) + Sync,
) {
    parallel::for_each(bands, |(band, values)| {
        let mut finder = Finder {
            numbering,
            news,
            seeds,
            found: Vec::with_capacity(ENTERED_AT_ONCE),
        };
        look(band, values, &mut finder);
        finder.enter();
    });
}
