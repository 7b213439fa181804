//! News between bands, one of which is in memory.

use std::sync::{Mutex, PoisonError};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::division::Division;
use super::pages::Pages;
use super::queues::Queues;
use super::scratch_file::ScratchFile;
use crate::graph::half_graph::HalfGraph;
use crate::graph::last_resort::LastResortMove;
use crate::graph::numbering::{Number, OpponentsHalf};
use crate::known::news::NewsRow;
use crate::known::packed_news::read_row;
use crate::passes::exchange::Exchange;
use crate::passes::gathered_row::GatheredRow;
use granero_table::TableError;
use granero_table::first_error::Stopped;

/// Exchanges news between the band in memory and the queues of the others.
pub(super) struct BandExchange<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) division: &'a Division,
    pub(super) queues: &'a Queues,
    /// The half-boards of the opponent in children of moves of last resort, and the bands of these moves;
    /// sorted.
    pub(super) last_resorts: &'a [(OpponentsHalf, usize)],
    /// The pages of the band in memory, and the file with all bands.
    pub(super) pages: &'a Pages,
    pub(super) file: Mutex<&'a mut ScratchFile>,
    /// Keeps the error that ends the work.
    pub(super) fail: &'a (dyn Fn(TableError) -> Stopped + Sync),
    pub(super) seeds: u8,
    /// The band in memory.
    pub(super) band: usize,
    pub(super) has_failed: AtomicBool,
    pub(super) stopped: Mutex<Option<Stopped>>,
}

impl BandExchange<'_> {
    fn check<T>(&self, result: Result<T, TableError>) -> Option<T> {
        result.map_err(|error| self.stop((self.fail)(error))).ok()
    }

    fn stop(&self, stopped: Stopped) {
        let mut place = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(stopped);
        self.has_failed.store(true, Ordering::Relaxed);
    }
}

impl Exchange for BandExchange<'_> {
    #[inline(always)]
    fn own<'m>(&self, own_seeds: u8, movers: &'m [Number]) -> &'m [Number] {
        let rows = self.division.rows(self.band, own_seeds);
        let begin = movers.partition_point(|&own| own < rows.start);
        let end = movers.partition_point(|&own| own < rows.end);
        &movers[begin..end]
    }

    #[inline(always)]
    fn touch(&self, plane: &[AtomicU8], place: usize) {
        self.check(self.pages.touch(plane, place, &self.file));
    }

    fn pass_on(&self, row: NewsRow, own_seeds: u8, gathered: &GatheredRow) {
        let opponents_seeds = self.seeds - own_seeds;
        let mut bands: u64 = 0;
        for (class, movers) in self.graph.predecessors(row.half) {
            let crossed = class.crossing().seeds;
            if crossed > own_seeds {
                break;
            }
            if gathered.list(class).is_some() {
                self.division
                    .each_band_of(opponents_seeds + crossed, movers, |band| bands |= 1 << band);
            }
        }
        let start = self
            .last_resorts
            .partition_point(|&(half, _)| half < row.half);
        let here = self.last_resorts[start..].iter();
        for &(_, band) in here.take_while(|&&(half, _)| half == row.half) {
            bands |= 1 << band;
        }
        bands &= !(1 << self.band);
        while bands != 0 {
            let pushed = self
                .queues
                .push(bands.trailing_zeros() as usize, row, gathered.own());
            self.check(pushed);
            bands &= bands - 1;
        }
    }

    fn poll(&self, _polls: u32, mut serve: impl FnMut(NewsRow, &[Number])) -> bool {
        while let Some(Some(rows)) = self.check(self.queues.take(self.band)) {
            let (mut rest, mut own) = (&rows[..], Vec::new());
            while !rest.is_empty() {
                let (row, after) = read_row(rest, self.seeds, self.graph, &mut own)
                    .expect("what was written");
                serve(row, &own);
                rest = after;
            }
        }
        !self.has_failed.load(Ordering::Relaxed)
    }

    fn settle(&self, mut serve_all: impl FnMut()) -> Result<(), Stopped> {
        serve_all();
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        stopped.take().map_or(Ok(()), Err)
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
