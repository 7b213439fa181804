//! Reports of settled positions: from where a position is settled to where its news is.

use super::news::{News, NewsRows, Settled};
use super::ownership::Local;
use super::parcels::{ORDERED, Reports};
use super::task::Task;

/// What a worker reports, what is reported to it, and the news that comes of it.
#[derive(Debug)]
pub(super) struct Reporter<'a> {
    id: usize,
    task: Task<'a>,
    pub(super) news: NewsRows<'a>,
    /// Settled positions whose news is the worker's own, to be entered.
    to_enter: Vec<Settled>,
    /// To be sent, by worker.
    outgoing: Vec<Reports>,
    /// What has come, while it is opened; otherwise empty.
    received: Reports,
}

/// The settled positions that a scan collects before it enters them.
const ENTERED_AT_ONCE: usize = 256;
/// There are fewer than that before a piece is scanned or orders are carried out, and neither
/// settles more positions than a parcel of orders has room for.
const TO_ENTER: usize = ENTERED_AT_ONCE + ORDERED;

impl<'a> Reporter<'a> {
    /// The memory in bytes that it takes beside news and parcels.
    pub(super) const MEMORY: usize = TO_ENTER * size_of::<Settled>();

    pub(super) fn new(id: usize, task: Task<'a>) -> Reporter<'a> {
        Reporter {
            id,
            task,
            news: NewsRows::new(task.seeds, &task.layouts[id]),
            to_enter: Vec::with_capacity(TO_ENTER),
            outgoing: task.layouts.iter().map(|_| Reports::new()).collect(),
            received: Reports::new(),
        }
    }

    /// Reports that a position of this worker is settled, given the mover's half-board and the
    /// rank of the opponent's.
    #[inline(always)]
    pub(super) fn report(&mut self, own_seeds: u8, own: Local, opponents: u32, news: News) {
        let ownership = self.task.graph.ownership;
        let own = ownership.rank(self.id, own);
        let (owner, local) = ownership.place(opponents);
        let opponents_seeds = self.task.seeds - own_seeds;
        let start = self.task.layouts[owner].news_start(opponents_seeds, local);
        let settled = Settled {
            word: start + own as usize / 64,
            local,
            opponents_seeds,
            bit: (own % 64) as u8,
            news,
        };
        if owner == self.id {
            self.news.prefetch(&settled);
            self.to_enter.push(settled);
        } else {
            self.outgoing[owner].add(settled);
            if self.outgoing[owner].is_full() {
                self.send(owner);
            }
        }
    }

    /// Whether there are enough positions to enter.
    pub(super) fn has_enough_to_enter(&self) -> bool {
        self.to_enter.len() >= ENTERED_AT_ONCE
    }

    /// Enters the settled positions whose news is the worker's own.
    pub(super) fn enter_own(&mut self) {
        for settled in self.to_enter.drain(..) {
            self.news.enter(settled);
        }
    }

    /// Opens all reports that have come.
    pub(super) fn receive(&mut self) {
        if self.task.workers() == 1 {
            return;
        }
        while (self.task.exchange).receive_reports(self.id, &mut self.received) {
            for settled in self.received.settled() {
                self.news.prefetch(settled);
            }
            for &settled in self.received.settled() {
                self.news.enter(settled);
            }
            self.received.clear();
        }
    }

    /// Sends all that is left.
    pub(super) fn send_all(&mut self) {
        for worker in 0..self.outgoing.len() {
            if !self.outgoing[worker].is_empty() {
                self.send(worker);
            }
        }
    }

    /// Sends the reports for another worker. While there is no room, opens the reports that
    /// come. Orders have to wait: they would lead to more reports.
    fn send(&mut self, to: usize) {
        while !(self.task.exchange).send_reports(self.id, to, &mut self.outgoing[to]) {
            self.receive();
        }
    }
}
