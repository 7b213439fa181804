//! Serving rows of news: the news of a row goes to the predecessors of its positions.

use super::exchange::{Arrived, Exchange, List};
use super::gathered_row::{ENOUGH_TO_SERVE, GatheredRow};
use super::update_batch::{UpdateBatch, Updates};
use crate::graph::{HalfGraph, LastResortMove, Number, count_of_opponent, leading_to};
use crate::known::NewsRow;
use crate::threads::{Crew, ROWS, prefetch};
use crate::tuning::Tuning;
use granero_table::rows::CrossingClass;

/// The number of rows ahead of which the memory of a row is prefetched.
const ROWS_AHEAD: usize = 12;

/// The number of rows after which a thread calls another one to help.
const CALL_AFTER: u32 = 128;

/// The scratch memory of a thread that serves rows.
#[derive(Debug)]
pub(super) struct Scratch {
    gathered: GatheredRow,
    batch: UpdateBatch,
    rows: Vec<NewsRow>,
    /// Rows served since another thread was called.
    served: u32,
    /// Calls of [`Exchange::poll`] by this thread.
    polls: u32,
}

impl Scratch {
    /// The memory in bytes.
    pub(super) const MEMORY: usize =
        GatheredRow::MEMORY + UpdateBatch::MEMORY + ROWS * size_of::<NewsRow>();

    pub(super) fn new(tuning: &Tuning) -> Scratch {
        Scratch {
            gathered: GatheredRow::new(),
            batch: UpdateBatch::new(tuning),
            rows: Vec::with_capacity(ROWS),
            served: 0,
            polls: 0,
        }
    }

    /// Returns the number of positions that were settled since the last call.
    pub(super) fn take_settled(&mut self) -> u64 {
        std::mem::take(&mut self.batch.settled)
    }
}

/// A layer whose news is taken to the predecessors, by all threads of a crew.
pub(super) struct RowServer<'a, X> {
    pub(super) graph: &'a HalfGraph,
    pub(super) updates: &'a Updates<'a, X>,
    /// Sorted.
    pub(super) last_resorts: &'a [LastResortMove],
    pub(super) crew: &'a Crew,
    pub(super) exchange: &'a X,
}

impl<X: Exchange> RowServer<'_, X> {
    /// Takes all news to the predecessors, and news of those to their predecessors, until no thread of
    /// the crew has anything left to do.
    pub(super) fn take_part(&self, scratch: &mut Scratch) {
        self.crew.take_part(|| self.serve_all(scratch));
    }

    /// Serves rows until none waits, or the work must end.
    fn serve_all(&self, scratch: &mut Scratch) {
        let news = self.updates.news;
        loop {
            loop {
                let mut rows = std::mem::take(&mut scratch.rows);
                let found = news.next_piece(&mut rows);
                let goes_on = self.serve_rows(&rows, scratch);
                rows.clear();
                scratch.rows = rows;
                if !goes_on {
                    return;
                }
                if !found {
                    break;
                }
            }
            let goes_on = self.poll(scratch);
            scratch.batch.carry_out(self.updates);
            // No row waits, and so none with news that this thread has entered. Other threads may
            // still work and enter more.
            if !goes_on || !news.waiting().any() {
                return;
            }
        }
    }

    /// Serves rows until all are served, or the work must end; returns false then.
    fn serve_rows(&self, rows: &[NewsRow], scratch: &mut Scratch) -> bool {
        for &ahead in rows.iter().take(ROWS_AHEAD) {
            self.prefetch_row(ahead);
        }
        for (number, &row) in rows.iter().enumerate() {
            if let Some(&ahead) = rows.get(number + ROWS_AHEAD) {
                self.prefetch_row(ahead);
            }
            if !self.poll(scratch) {
                return false;
            }
            if self.updates.news.claim(row) {
                self.serve(row, scratch);
                scratch.served += 1;
                if scratch.served == CALL_AFTER {
                    scratch.served = 0;
                    self.crew.call();
                }
            }
        }
        true
    }

    /// Sends and receives, see [`Exchange::poll`]; serves what has arrived.
    #[inline(always)]
    fn poll(&self, scratch: &mut Scratch) -> bool {
        scratch.polls = scratch.polls.wrapping_add(1);
        self.exchange.poll(scratch.polls, |arrived| {
            self.serve_arrived(arrived, scratch);
        })
    }

    /// Takes news from another process or band to the predecessors that are here.
    fn serve_arrived(&self, arrived: Arrived<'_>, scratch: &mut Scratch) {
        match arrived {
            Arrived::Children(row, own) => {
                let numbering = &self.graph.numbering;
                let (opponents_seeds, _) = numbering.seeds_and_number(row.half);
                let own_seeds = self.updates.layout.seeds() - opponents_seeds;
                let first = numbering.half_board(own_seeds, 0);
                for &own in own {
                    scratch.gathered.add(own, first.after(own), self.graph);
                }
                self.take_gathered(row, opponents_seeds, scratch, false);
                scratch.batch.carry_out_enough(self.updates);
            }
            Arrived::Lists(lists, numbers) => self.serve_lists(lists, numbers, &mut scratch.batch),
        }
    }

    /// Takes lists of news from another band to the predecessors that are here.
    fn serve_lists(&self, lists: &[List], mut numbers: &[Number], batch: &mut UpdateBatch) {
        let prefetch = |list: &List| prefetch(self.graph.predecessors(list.row.half).memory(), 0);
        lists.iter().take(ROWS_AHEAD).for_each(prefetch);
        for (place, &List { row, class, count }) in lists.iter().enumerate() {
            lists.get(place + ROWS_AHEAD).map(prefetch);
            let (list, rest) = numbers.split_at(count as usize);
            numbers = rest;
            if class == CrossingClass::NONE {
                self.take_to_last_resorts(row, list, batch);
                continue;
            }
            let mut groups = self.graph.predecessors(row.half);
            if let Some((_, movers)) = groups.find(|&(found, _)| found == class) {
                let (opponents_seeds, _) = self.graph.numbering.seeds_and_number(row.half);
                let before = opponents_seeds + class.crossing().seeds;
                let movers = self.exchange.own(before, movers);
                batch.add(before, movers, list, row.news, self.updates);
                batch.carry_out_enough(self.updates);
            }
        }
    }

    fn prefetch_row(&self, row: NewsRow) {
        let opponents = self.graph.numbering.seeds_and_number(row.half);
        self.updates.news.prefetch_row(row, opponents);
        prefetch(self.graph.predecessors(row.half).memory(), 0);
    }

    /// Takes the news of a row to all predecessors.
    fn serve(&self, row: NewsRow, scratch: &mut Scratch) {
        let numbering = &self.graph.numbering;
        let (opponents_seeds, opponents) = numbering.seeds_and_number(row.half);
        let own_seeds = self.updates.layout.seeds() - opponents_seeds;
        let first = numbering.half_board(own_seeds, 0);

        let words = self.updates.news.row(row, (opponents_seeds, opponents));
        let first_row = self.updates.layout.first_row(own_seeds);
        let mut words = (first_row..).step_by(64).zip(words);
        loop {
            // Gather the children's half-boards, and the half-boards of the opponent that
            // they come from, class by class.
            for (number, word) in words.by_ref() {
                let mut word = self.updates.news.waiting().take(word);
                while word != 0 {
                    let own = self
                        .exchange
                        .half_board(own_seeds, number + word.trailing_zeros());
                    word &= word - 1;
                    scratch.gathered.add(own, first.after(own), self.graph);
                }
                if scratch.gathered.positions() >= ENOUGH_TO_SERVE {
                    break;
                }
            }
            if scratch.gathered.positions() == 0 {
                break;
            }
            self.take_gathered(row, opponents_seeds, scratch, true);
            // Nothing is gathered now. If the work must end, it does after this row.
            self.poll(scratch);
        }
        scratch.batch.carry_out_enough(self.updates);
    }

    /// Takes the gathered news to the predecessors; `pass_on` says whether other processes get it, too.
    #[inline(always)]
    fn take_gathered(
        &self,
        row: NewsRow,
        opponents_seeds: u8,
        scratch: &mut Scratch,
        pass_on: bool,
    ) {
        let (gathered, batch) = (&mut scratch.gathered, &mut scratch.batch);
        let own_seeds = self.updates.layout.seeds() - opponents_seeds;
        // A move that sends no seeds across leaves the half-board of the child's mover as it was. That has
        // seeds, because otherwise the move would have to send some; and it has an empty house, because
        // otherwise the position before is unreachable.
        let may_stay = match own_seeds {
            0 => 0,
            _ => count_of_opponent(own_seeds),
        };
        gathered.stay(gathered.own().partition_point(|&own| own < may_stay));
        if pass_on {
            self.exchange.pass_on(row, own_seeds, gathered);
        }
        if !self.last_resorts.is_empty() {
            self.take_to_last_resorts(row, gathered.own(), batch);
        }
        self.take_to_predecessors(row, opponents_seeds, gathered, batch);
        gathered.clear();
    }

    /// Adds all predecessors of the gathered positions to the batch.
    #[inline(always)]
    fn take_to_predecessors(
        &self,
        row: NewsRow,
        opponents_seeds: u8,
        gathered: &GatheredRow,
        batch: &mut UpdateBatch,
    ) {
        let own_seeds = self.updates.layout.seeds() - opponents_seeds;
        for (class, movers) in self.graph.predecessors(row.half) {
            let crossed = class.crossing().seeds;
            if crossed > own_seeds {
                break;
            }
            if let Some(opponents) = gathered.list(class) {
                let before = opponents_seeds + crossed;
                let own = self.exchange.own(before, movers);
                if own.len() < movers.len() {
                    (self.exchange).pass_on_class(row, class, before, movers, opponents);
                }
                batch.add(before, own, opponents, row.news, self.updates);
            }
        }
    }

    /// Adds the predecessors by moves that are legal only as a last resort.
    #[cold]
    fn take_to_last_resorts(&self, row: NewsRow, own: &[Number], batch: &mut UpdateBatch) {
        for found in leading_to(self.last_resorts, row.half) {
            if own.contains(&found.child_own) {
                let (own, opponents) = ([found.own], [found.opponents]);
                batch.add(found.own_seeds, &own, &opponents, row.news, self.updates);
            }
        }
    }
}
