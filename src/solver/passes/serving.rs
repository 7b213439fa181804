//! Serving rows of news: the news of a row goes to the predecessors of its positions, those that this
//! process owns and those of others.

use super::gathered::{Gathered, SERVED_AT_ONCE};
use super::updating::{Batch, Updates};
use crate::cluster::Patience;
use crate::graph::half_graph::HalfGraph;
use crate::graph::last_resort::{LastResortMove, leading_to};
use crate::graph::numbering::{Number, of_opponent};
use crate::known::news::NewsRow;
use crate::ranks::post::{Arrived, Post};
use crate::threads::crew::Crew;
use crate::threads::prefetch::prefetch;
use crate::threads::waiting::ROWS;

/// How many rows ahead the memory of a row to be served is asked for.
const ROWS_AHEAD: usize = 12;

/// After how many rows a thread calls another one to help.
const CALL_AFTER: u32 = 128;

/// After how many rows a thread sends and receives.
const TURN_AFTER: usize = 128;

/// What a thread has at hand while it serves rows.
#[derive(Debug)]
pub(super) struct Hands {
    gathered: Gathered,
    batch: Batch,
    rows: Vec<NewsRow>,
    /// Rows served since another thread was called.
    served: u32,
    /// The mover's half-boards in a row from another process.
    arrived: Vec<Number>,
}

impl Hands {
    /// The memory in bytes.
    pub(super) const MEMORY: usize = Gathered::MEMORY + Batch::MEMORY + ROWS * size_of::<NewsRow>();

    pub(super) fn new() -> Hands {
        Hands {
            gathered: Gathered::new(),
            batch: Batch::new(),
            rows: Vec::with_capacity(ROWS),
            served: 0,
            arrived: Vec::new(),
        }
    }
}

/// A layer whose news is taken to the predecessors, by all threads of a crew.
pub(super) struct Serving<'a, P> {
    pub(super) graph: &'a HalfGraph,
    pub(super) updates: Updates<'a>,
    /// Sorted.
    pub(super) last_resorts: &'a [LastResortMove],
    pub(super) crew: &'a Crew,
    pub(super) post: &'a P,
}

impl<P: Post> Serving<'_, P> {
    /// Takes all news to the predecessors, and what it settles to theirs, until no thread of the
    /// crew has anything left to do.
    pub(super) fn take_part(&self, hands: &mut Hands) {
        self.crew.take_part(|| self.serve_all(hands));
    }

    /// Serves rows until none waits, or others cannot be reached any more.
    fn serve_all(&self, hands: &mut Hands) {
        let news = self.updates.news;
        let mut until_turn = 0;
        loop {
            self.serve_arrived(hands);
            while !self.post.has_failed() {
                let mut rows = std::mem::take(&mut hands.rows);
                let found = news.next_piece(&mut rows);
                self.serve_rows(&rows, hands);
                if !P::ALONE {
                    until_turn += rows.len();
                    if until_turn >= TURN_AFTER {
                        until_turn = 0;
                        self.post.turn();
                        self.serve_arrived(hands);
                    }
                }
                rows.clear();
                hands.rows = rows;
                if !found {
                    break;
                }
            }
            self.serve_arrived(hands);
            hands.batch.carry_out(&self.updates);
            // Other threads may be at work on what is not done yet; this one has seen that
            // nothing which it has entered waits any more.
            if self.post.has_failed() || !news.waiting().any() {
                return;
            }
        }
    }

    /// Serves what has arrived from other processes.
    #[inline(always)]
    fn serve_arrived(&self, hands: &mut Hands) {
        if P::ALONE {
            return;
        }
        while let Some(arrived) = self.post.arrived() {
            self.serve_parcel(arrived, hands);
        }
    }

    /// Waits until others take news, and serves theirs meanwhile: so they do not wait for this
    /// process.
    #[cold]
    fn wait_for_room(&self, hands: &mut Hands) {
        let mut patience = Patience::default();
        while !self.post.has_room() {
            self.post.turn();
            match self.post.arrived() {
                Some(arrived) => {
                    self.serve_parcel(arrived, hands);
                    patience = Patience::default();
                }
                None => patience.wait(),
            }
        }
    }

    /// Takes the news in a parcel to the predecessors that this process owns.
    fn serve_parcel(&self, mut arrived: Arrived, hands: &mut Hands) {
        let mut own = std::mem::take(&mut hands.arrived);
        let seeds = self.updates.layout.seeds();
        loop {
            match arrived.next_row(seeds, self.graph, &mut own) {
                Ok(Some(row)) => {
                    let (opponents_seeds, _) = self.graph.numbering.seeds_and_number(row.half);
                    let own_seeds = seeds - opponents_seeds;
                    let first = self.graph.numbering.half_board(own_seeds, 0);
                    for &own in &own {
                        hands.gathered.add(own, first.after(own), self.graph);
                    }
                    self.take_gathered(row, opponents_seeds, hands, false);
                    hands.batch.carry_out_enough(&self.updates);
                }
                Ok(None) => break,
                Err(what) => {
                    self.post.refuse(arrived.from, what);
                    break;
                }
            }
        }
        hands.arrived = own;
    }

    fn serve_rows(&self, rows: &[NewsRow], hands: &mut Hands) {
        for &ahead in rows.iter().take(ROWS_AHEAD) {
            self.prefetch_row(ahead);
        }
        for (number, &row) in rows.iter().enumerate() {
            if let Some(&ahead) = rows.get(number + ROWS_AHEAD) {
                self.prefetch_row(ahead);
            }
            if !P::ALONE && !self.post.has_room() {
                self.wait_for_room(hands);
            }
            if self.updates.news.claim(row) {
                self.serve(row, hands);
                hands.served += 1;
                if hands.served == CALL_AFTER {
                    hands.served = 0;
                    self.crew.call();
                }
            }
        }
    }

    fn prefetch_row(&self, row: NewsRow) {
        let opponents = self.graph.numbering.seeds_and_number(row.half);
        self.updates.news.prefetch_row(row, opponents);
        prefetch(self.graph.predecessors(row.half).memory(), 0);
    }

    /// Takes the news of a row to all predecessors.
    fn serve(&self, row: NewsRow, hands: &mut Hands) {
        let numbering = &self.graph.numbering;
        let (opponents_seeds, opponents) = numbering.seeds_and_number(row.half);
        let own_seeds = self.updates.layout.seeds() - opponents_seeds;
        let first = numbering.half_board(own_seeds, 0);

        let words = self.updates.news.row(row, (opponents_seeds, opponents));
        let mut words = (0..).step_by(64).zip(words);
        loop {
            // Gather the children's half-boards, and the half-boards of the opponent that
            // they come from, class by class.
            for (number, word) in words.by_ref() {
                let mut word = self.updates.news.waiting().take(word);
                while word != 0 {
                    let own = self.post.number(own_seeds, number + word.trailing_zeros());
                    word &= word - 1;
                    hands.gathered.add(own, first.after(own), self.graph);
                }
                if hands.gathered.positions() >= SERVED_AT_ONCE {
                    break;
                }
            }
            if hands.gathered.positions() == 0 {
                break;
            }
            self.take_gathered(row, opponents_seeds, hands, true);
            // Nothing is gathered now.
            if !P::ALONE && !self.post.has_room() {
                self.wait_for_room(hands);
            }
        }
        hands.batch.carry_out_enough(&self.updates);
    }

    /// Takes what was gathered to the predecessors, also those of others if that is wanted.
    #[inline(always)]
    fn take_gathered(&self, row: NewsRow, opponents_seeds: u8, hands: &mut Hands, pass_on: bool) {
        let Hands {
            gathered, batch, ..
        } = hands;
        let own_seeds = self.updates.layout.seeds() - opponents_seeds;
        // A child whose mover has no seeds was not made by feeding, and one whose mover has seeds
        // in all houses was made by sending some there.
        let may_stay = match own_seeds {
            0 => 0,
            _ => of_opponent(own_seeds),
        };
        gathered.stay(gathered.own().partition_point(|&own| own < may_stay));
        if pass_on {
            self.post.pass_on(row, own_seeds, gathered);
        }
        if !self.last_resorts.is_empty() {
            self.take_to_last_resorts(row, gathered, batch);
        }
        self.take_to_predecessors(row, opponents_seeds, gathered, batch);
        gathered.clear();
    }

    /// Adds all predecessors of what was gathered to the batch.
    #[inline(always)]
    fn take_to_predecessors(
        &self,
        row: NewsRow,
        opponents_seeds: u8,
        gathered: &Gathered,
        batch: &mut Batch,
    ) {
        let own_seeds = self.updates.layout.seeds() - opponents_seeds;
        for (class, movers) in self.graph.predecessors(row.half) {
            let crossed = class.crossing().seeds;
            if crossed > own_seeds {
                break;
            }
            if let Some(opponents) = gathered.list(class) {
                let before = opponents_seeds + crossed;
                batch.add(before, movers, opponents, row.news, &self.updates);
            }
        }
    }

    /// Adds the predecessors by moves that are legal only as a last resort.
    #[cold]
    fn take_to_last_resorts(&self, row: NewsRow, gathered: &Gathered, batch: &mut Batch) {
        for found in leading_to(self.last_resorts, row.half) {
            if gathered.own().contains(&found.child_own) {
                let opponents: [Number; 1] = [found.opponents];
                batch.add(
                    found.own_seeds,
                    &[found.own],
                    &opponents,
                    row.news,
                    &self.updates,
                );
            }
        }
    }
}
