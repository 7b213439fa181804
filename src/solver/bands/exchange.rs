//! News between bands, one of which is in memory.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;

use super::division::Division;
use super::pages::Pages;
use super::queues::Queues;
use super::scratch_file::ScratchFile;
use crate::graph::{LastResortMove, Number, OpponentsHalf};
use crate::known::{NewsRow, read_list};
use crate::passes::{Arrived, Exchange, GatheredRow};
use granero_table::TableError;
use granero_table::first_error::Stopped;
use granero_table::rows::CrossingClass;

/// Exchanges news between the band in memory and the queues of the others.
pub(super) struct BandExchange<'a> {
    pub(super) division: &'a Division,
    /// The band in memory, and by the mover's seeds its rows.
    pub(super) band: usize,
    pub(super) rows: &'a [Range<Number>],
    pub(super) queues: &'a Queues,
    /// The half-boards of the opponent in children of moves of last resort, and the bands of these moves;
    /// sorted.
    pub(super) last_resorts: &'a [(OpponentsHalf, usize)],
    /// The pages of the band, and the file with all bands.
    pub(super) pages: (&'a Pages, &'a ScratchFile),
    /// Keeps the error that ends the work.
    pub(super) fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    pub(super) stopped: OnceLock<Stopped>,
}

impl BandExchange<'_> {
    fn check<T>(&self, result: Result<T, TableError>) -> Option<T> {
        let stop = |error| self.stopped.get_or_init(|| (self.fail)(error));
        result.map_err(stop).ok()
    }
}

impl Exchange for BandExchange<'_> {
    #[inline(always)]
    fn own<'m>(&self, own_seeds: u8, movers: &'m [Number]) -> &'m [Number] {
        let rows = &self.rows[usize::from(own_seeds)];
        let (Some(&first), Some(&last)) = (movers.first(), movers.last()) else {
            return &[];
        };
        // Most matrices are in one band.
        if rows.contains(&first) && rows.contains(&last) {
            movers
        } else if last < rows.start || first >= rows.end {
            &[]
        } else {
            let begin = movers.partition_point(|&own| own < rows.start);
            let end = movers.partition_point(|&own| own < rows.end);
            &movers[begin..end]
        }
    }

    fn pass_on_class(
        &self,
        row: NewsRow,
        class: CrossingClass,
        own_seeds: u8,
        movers: &[Number],
        opponents: &[Number],
    ) {
        self.division.each_band_of(own_seeds, movers, |band| {
            if band != self.band {
                self.check(self.queues.push(band, row, class, opponents));
            }
        });
    }

    #[inline(always)]
    fn touch(&self, plane: &[AtomicU8], place: usize) {
        let (pages, file) = self.pages;
        if !pages.is_changed(place) {
            self.check(pages.prepare(plane, place, file));
        }
    }

    fn pass_on(&self, row: NewsRow, _own_seeds: u8, gathered: &GatheredRow) {
        let last_resorts = self.last_resorts;
        let start = last_resorts.partition_point(|&(half, _)| half < row.half);
        let here = last_resorts[start..].iter();
        for &(_, band) in here.take_while(|&&(half, _)| half == row.half) {
            if band != self.band {
                let own = gathered.own();
                self.check(self.queues.push(band, row, CrossingClass::NONE, own));
            }
        }
    }

    fn poll(&self, _polls: u32, mut serve: impl FnMut(Arrived<'_>)) -> bool {
        let (mut lists, mut numbers) = (Vec::new(), Vec::new());
        while let Some(Some(bytes)) = self.check(self.queues.take(self.band)) {
            lists.clear();
            numbers.clear();
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let list;
                (list, rest) = read_list(rest, &mut numbers).expect("it has its checksum");
                lists.push(list);
            }
            serve(Arrived::Lists(&lists, &numbers));
        }
        self.stopped.get().is_none()
    }

    fn settle(&self, mut serve_all: impl FnMut()) -> Result<(), Stopped> {
        serve_all();
        self.stopped.get().map_or(Ok(()), |&stopped| Err(stopped))
    }
}

/// By child: the bands with moves of last resort.
pub(super) fn bands_of<'m>(
    moves: impl Iterator<Item = (usize, &'m [LastResortMove])>,
) -> Vec<(OpponentsHalf, usize)> {
    let mut all: Vec<_> = moves
        .flat_map(|(band, moves)| moves.iter().map(move |found| (found.child_opponents, band)))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
