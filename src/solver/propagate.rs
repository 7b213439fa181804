//! Retrograde analysis of one layer: news of settled positions goes to their
//! predecessors, and settles some of them.
//!
//! What that means is up to whoever uses it: what is known of a position is a byte, and
//! two tables say what each kind of news makes of it (see `split` and `bounds`).
//!
//! News is kept as bits, in rows of all positions with the same opponent's half-board,
//! for these share their predecessors' half-boards: a row is *served* for all its news
//! at once. Rows wait in queues, so that they gather more.

use std::collections::VecDeque;

use super::captures::LastResortMove;
use super::exchange::{self, Exchange};
use super::graph::{CLASSES, HalfGraph, Tagged};
use super::plane::Plane;
use super::prefetch::prefetch;
use crate::index::half;
use crate::rows::Class;

/// A kind of news: what is known of a child. What its predecessors are settled by one is
/// news of the other kind, for sides take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    First = 0,
    Second = 1,
}

impl News {
    /// The news that follows for predecessors.
    fn other(self) -> News {
        match self {
            News::First => News::Second,
            News::Second => News::First,
        }
    }
}

/// What news does to the byte of a position: the new byte, and whether the position
/// is settled by it.
pub(super) type Table = [(u8, bool); 256];

/// A piece of a row of positions of a worker, as a scan finds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScannedPiece {
    /// The mover's seeds.
    pub(super) own_seeds: u8,
    /// Where its bytes begin.
    pub(super) start: usize,
}

/// Positions of one worker that have a settled child. The worker is to note that.
#[derive(Debug, Default)]
pub(super) struct Orders {
    groups: Vec<Group>,
    /// The opponent's half-boards of the positions in the groups.
    opponents: Vec<u32>,
    /// How many positions the groups have together.
    positions: usize,
}

/// Positions that were settled: news for the owner of their rows of news.
pub(super) type Reports = Vec<Settled>;

/// Positions of one row that have a settled child, by one class of moves.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Where the row begins.
    row: usize,
    /// The mover's half-board: the owner's number for it.
    local: u32,
    /// The part of `Orders::opponents`.
    start: u32,
    count: u32,
    own_seeds: u8,
    news: News,
}

/// A settled position, in the terms of the owner of its row of news.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    /// The word of the news that holds its bit.
    word: usize,
    /// The opponent's half-board: the owner's number for it.
    local: u32,
    opponents_seeds: u8,
    bit: u8,
    news: News,
}

/// A row of news that waits to be served.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    local: u32,
    news: News,
}

/// So much of a row of news is served at once.
const SERVED_AT_ONCE: usize = 128;
/// The classes' lists of opponents hold what is served at once, and the list of
/// `Class::NONE` up to twice as many.
const LIST_LEN: usize = 2 * (SERVED_AT_ONCE + 64);
/// A worker carries out its own orders when they are for so many positions.
const OWN_ORDERS: usize = 512;
/// A parcel of orders has room for so many positions, in so many groups: more than the
/// predecessors by one class that are served at once, which are six groups at most.
const ORDERED: usize = 4096;
const GROUPS: usize = 2048;
/// A parcel of reports has room for so many positions.
const REPORTED: usize = 2048;
/// So many parcels of either kind may be in an inbox.
pub(super) const UNDER_WAY: usize = 64;
/// A scan looks at so many positions at once.
const SCANNED_AT_ONCE: usize = 4096;
/// A scan enters what it has found when it is so much.
const ENTERED_AT_ONCE: usize = 256;
/// A scan looks at least after so many pieces of rows what others have found.
const PIECES_UNHEARD: u32 = 256;
/// How many rows ahead the memory of a row to be served is asked for.
const ROWS_AHEAD: usize = 12;
/// How many groups ahead the bytes of positions are asked for.
const GROUPS_AHEAD: usize = 8;

/// One worker and all that it owns.
pub(super) struct Worker<'a> {
    pub(super) id: usize,
    graph: &'a HalfGraph,
    pub(super) seeds: u8,
    /// The geometry of all workers.
    planes: &'a [Plane],
    exchange: &'a Exchange<Reports, Orders>,
    last_resorts: &'a [LastResortMove],
    /// What is known of positions: once, or twice if each can be reached by either side.
    bytes: Vec<Vec<u8>>,
    /// Which of the bytes a kind of news concerns.
    concerned: [usize; 2],
    /// Bits for each position whose opponent's half-board is the worker's.
    news: [Vec<u64>; 2],
    /// Whether a row of news waits.
    waits: [Vec<bool>; 2],
    /// By the opponent's seeds.
    queues: Vec<VecDeque<Waiting>>,
    /// What news does to bytes.
    pub(super) tables: [Table; 2],
    /// To be sent, by worker; and the worker's own.
    orders: Vec<Orders>,
    /// To be sent, by worker.
    reports: Vec<Reports>,
    /// What has come from others is here while it is opened.
    received_orders: Orders,
    received_reports: Reports,
    lists: Vec<u32>,
    list_lens: [u16; CLASSES],
    /// Room for positions just settled: the group, and the opponent's half-board.
    just_settled: Vec<(u32, u32)>,
    /// The worker's own positions that were settled and are not entered yet.
    to_enter: Vec<Settled>,
    /// What a piece that is scanned holds of news.
    found: Vec<(u32, News)>,
}

/// What all workers of a layer are given.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) seeds: u8,
    pub(super) planes: &'a [Plane],
    pub(super) exchange: &'a Exchange<Reports, Orders>,
    /// Sorted.
    pub(super) last_resorts: &'a [LastResortMove],
}

impl<'a> Worker<'a> {
    /// A worker and its bytes. If there are two for each position, the first kind of news
    /// concerns the second of them, and the second kind the first.
    pub(super) fn new(id: usize, task: Task<'a>, bytes: Vec<Vec<u8>>) -> Worker<'a> {
        let plane = &task.planes[id];
        let news = || vec![0; plane.news_words()];
        let waits = || vec![false; plane.all_news_rows()];
        let rows = |seeds| task.graph.share.count(id, half::count(seeds)) as usize;
        // A row waits at most once for each kind of news.
        let queue = |seeds| VecDeque::with_capacity(2 * rows(seeds));
        Worker {
            id,
            graph: task.graph,
            seeds: task.seeds,
            planes: task.planes,
            exchange: task.exchange,
            last_resorts: task.last_resorts,
            concerned: if bytes.len() == 2 { [1, 0] } else { [0, 0] },
            bytes,
            news: [news(), news()],
            waits: [waits(), waits()],
            queues: (0..=task.seeds).map(queue).collect(),
            // To be set before anything is settled.
            tables: [[(0, false); 256]; 2],
            orders: task.planes.iter().map(|_| Orders::new()).collect(),
            reports: task.planes.iter().map(|_| new_reports()).collect(),
            received_orders: Orders::new(),
            received_reports: new_reports(),
            lists: vec![0; CLASSES * LIST_LEN],
            list_lens: [0; CLASSES],
            just_settled: vec![(0, 0); ORDERED + 1],
            to_enter: Vec::with_capacity(ENTERED_AT_ONCE + SCANNED_AT_ONCE),
            found: Vec::with_capacity(SCANNED_AT_ONCE),
        }
    }

    /// Ends the work, and returns the bytes.
    pub(super) fn into_bytes(self) -> Vec<Vec<u8>> {
        self.bytes
    }

    /// Goes through some of the bytes, by pieces of rows; `look` says which positions of
    /// the piece are settled, by their places in it.
    ///
    /// It finds the positions as they were when it began: the orders of other workers wait.
    /// After the last of some scans, [`settle`](Worker::settle) must be called.
    pub(super) fn scan(
        &mut self,
        which: usize,
        mut look: impl FnMut(ScannedPiece, &mut [u8], &mut Vec<(u32, News)>),
    ) {
        let plane = &self.planes[self.id];
        let share = self.graph.share;
        // Taken for the while, so that what is found can be entered.
        let mut bytes = std::mem::take(&mut self.bytes[which]);
        let mut found = std::mem::take(&mut self.found);
        let mut pieces = 0;
        for own_seeds in 0..=self.seeds {
            for local in 0..share.count(self.id, half::count(own_seeds)) {
                let start = plane.row_start(own_seeds, local);
                let row = &mut bytes[start..start + plane.row_len(own_seeds)];
                for (number, piece) in row.chunks_mut(SCANNED_AT_ONCE).enumerate() {
                    let before = number * SCANNED_AT_ONCE;
                    let start = start + before;
                    look(ScannedPiece { own_seeds, start }, piece, &mut found);
                    for (place, news) in found.drain(..) {
                        self.tell_owner(own_seeds, local, before as u32 + place, news);
                    }
                    pieces += 1;
                    if self.to_enter.len() >= ENTERED_AT_ONCE || pieces % PIECES_UNHEARD == 0 {
                        self.enter_settled();
                        self.receive_reports();
                    }
                }
            }
        }
        self.bytes[which] = bytes;
        self.found = found;
        self.enter_settled();
    }

    /// Takes all news to the predecessors, and what it settles to theirs, until no worker
    /// has any work left.
    pub(super) fn settle(&mut self) {
        loop {
            self.serve_all();
            // What comes meanwhile may lead to more reports, but not to orders.
            for worker in 0..self.orders.len() {
                self.send_orders(worker);
            }
            for worker in 0..self.reports.len() {
                self.send_reports(worker);
            }
            let to_serve = self.queues.iter().any(|queue| !queue.is_empty());
            if !to_serve && !self.exchange.wait_for_work(self.id) {
                return;
            }
        }
    }

    /// Opens all reports that have come.
    fn receive_reports(&mut self) {
        if self.is_alone() {
            return;
        }
        let mut reports = std::mem::take(&mut self.received_reports);
        while self.exchange.receive_reports(self.id, &mut reports) {
            for settled in &reports {
                prefetch(&self.news[settled.news as usize], settled.word);
            }
            for &settled in &reports {
                self.enter(settled);
            }
            reports.clear();
        }
        self.received_reports = reports;
    }

    /// Carries out orders that have come, and says whether there were any.
    fn receive_orders(&mut self) -> bool {
        if self.is_alone() {
            return false;
        }
        let mut orders = std::mem::take(&mut self.received_orders);
        let received = self.exchange.receive_orders(self.id, &mut orders);
        self.carry_out(&orders);
        orders.clear();
        self.received_orders = orders;
        received
    }

    fn is_alone(&self) -> bool {
        self.planes.len() == 1
    }

    /// Serves the worker's rows until none waits.
    fn serve_all(&mut self) {
        loop {
            let mut served = false;
            for opponents_seeds in 0..=self.seeds {
                let queue = usize::from(opponents_seeds);
                for ahead in 0..ROWS_AHEAD.min(self.queues[queue].len()) {
                    self.ask_for_row(opponents_seeds, self.queues[queue][ahead]);
                }
                // What comes to wait meanwhile is served in the next round.
                for _ in 0..self.queues[queue].len() {
                    let Some(waiting) = self.queues[queue].pop_front() else {
                        break;
                    };
                    if let Some(&ahead) = self.queues[queue].get(ROWS_AHEAD - 1) {
                        self.ask_for_row(opponents_seeds, ahead);
                    }
                    self.serve(opponents_seeds, waiting);
                    served = true;
                }
                self.receive_reports();
                while self.receive_orders() {}
            }
            if !served {
                self.carry_out_own();
                if self.queues.iter().all(VecDeque::is_empty) {
                    return;
                }
            }
        }
    }

    fn ask_for_row(&self, opponents_seeds: u8, waiting: Waiting) {
        let plane = &self.planes[self.id];
        let start = plane.news_start(opponents_seeds, waiting.local);
        let news = &self.news[waiting.news as usize];
        for line in (0..plane.news_len(opponents_seeds).min(32)).step_by(8) {
            prefetch(news, start + line);
        }
        let rank = self.graph.share.rank(self.id, waiting.local);
        let half_board = self.graph.number(opponents_seeds, rank);
        for worker in 0..self.planes.len() {
            prefetch(self.graph.predecessors(worker, half_board).memory(), 0);
        }
    }

    /// Takes the news of a row to all predecessors.
    fn serve(&mut self, opponents_seeds: u8, waiting: Waiting) {
        let Waiting { local, news } = waiting;
        let plane = &self.planes[self.id];
        let own_seeds = self.seeds - opponents_seeds;
        self.waits[news as usize][plane.news_row(opponents_seeds, local)] = false;
        let rank = self.graph.share.rank(self.id, local);
        let half_board = self.graph.number(opponents_seeds, rank);
        let first_own = self.graph.number(own_seeds, 0);

        let start = plane.news_start(opponents_seeds, local);
        let end = start + plane.news_len(opponents_seeds);
        let mut word_at = start;
        while word_at < end {
            // Gather the children's half-boards, and the half-boards of the opponent that
            // they come from, class by class.
            let mut children = 0;
            while word_at < end && children < SERVED_AT_ONCE {
                let mut word = std::mem::take(&mut self.news[news as usize][word_at]);
                let first = ((word_at - start) * 64) as u32;
                word_at += 1;
                while word != 0 {
                    let own = first + word.trailing_zeros();
                    word &= word - 1;
                    self.lists[children] = own;
                    children += 1;
                    let origins = self.graph.origins(first_own + own as usize);
                    for origin in origins.first_two() {
                        self.gather(origin);
                    }
                    if origins.has_more() {
                        for &origin in self.graph.more_origins(first_own + own as usize) {
                            self.gather(origin);
                        }
                    }
                }
            }
            if children == 0 {
                continue;
            }
            // A child whose mover has no seeds was not made by feeding.
            let stays = if own_seeds == 0 { 0 } else { children };
            self.list_lens[Class::STAYS.index()] = stays as u16;
            if !self.last_resorts.is_empty() {
                self.take_to_last_resorts(half_board, children, news);
            }
            for worker in 0..self.planes.len() {
                self.take_to_predecessors(worker, opponents_seeds, half_board, news);
            }
            self.list_lens = [0; CLASSES];
        }
        if self.orders[self.id].positions >= OWN_ORDERS {
            self.carry_out_own();
        }
    }

    #[inline(always)]
    fn gather(&mut self, origin: Tagged) {
        let class = origin.class().index();
        let len = &mut self.list_lens[class];
        self.lists[class * LIST_LEN + usize::from(*len)] = origin.number();
        *len += 1;
    }

    /// Packs the gathered origins for all predecessors of one worker.
    #[inline(always)]
    fn take_to_predecessors(
        &mut self,
        worker: usize,
        opponents_seeds: u8,
        half_board: usize,
        news: News,
    ) {
        let own_seeds = self.seeds - opponents_seeds;
        let plane = &self.planes[worker];
        for (class, half_boards) in self.graph.predecessors(worker, half_board) {
            let crossed = class.crossing().seeds;
            if crossed > own_seeds {
                break;
            }
            let count = self.list_lens[class.index()];
            if count == 0 {
                continue;
            }
            let positions = usize::from(count) * half_boards.len();
            if !self.orders[worker].has_room(half_boards.len(), positions) {
                self.make_room(worker);
            }
            let orders = &mut self.orders[worker];
            let list = &self.lists[class.index() * LIST_LEN..][..usize::from(count)];
            let start = orders.opponents.len() as u32;
            orders.opponents.extend_from_slice(list);
            orders.positions += positions;
            let before = opponents_seeds + crossed;
            orders.groups.extend(half_boards.iter().map(|&local| Group {
                row: plane.row_start(before, local),
                local,
                start,
                count: count.into(),
                own_seeds: before,
                news,
            }));
        }
    }

    /// Packs the predecessors by moves that are legal only as a last resort.
    #[cold]
    fn take_to_last_resorts(&mut self, half_board: usize, children: usize, news: News) {
        let all = self.last_resorts;
        let start = all.partition_point(|found| found.child_opponents < half_board);
        let here = all[start..]
            .iter()
            .take_while(|found| found.child_opponents == half_board);
        for found in here {
            if !self.lists[..children].contains(&found.child_own) {
                continue;
            }
            let (owner, local) = self.graph.share.place(found.own);
            if !self.orders[owner].has_room(1, 1) {
                self.make_room(owner);
            }
            let orders = &mut self.orders[owner];
            orders.groups.push(Group {
                row: self.planes[owner].row_start(found.own_seeds, local),
                local,
                start: orders.opponents.len() as u32,
                count: 1,
                own_seeds: found.own_seeds,
                news,
            });
            orders.opponents.push(found.opponents);
            orders.positions += 1;
        }
    }

    /// Empties the orders for a worker.
    #[cold]
    fn make_room(&mut self, worker: usize) {
        if worker == self.id {
            self.carry_out_own();
        } else {
            self.send_orders(worker);
        }
    }

    /// Sends the orders for another worker. While there is no room, carries out what comes,
    /// so that others need not wait for this worker.
    fn send_orders(&mut self, worker: usize) {
        if worker == self.id || self.orders[worker].groups.is_empty() {
            return;
        }
        while !(self.exchange).send_orders(self.id, worker, &mut self.orders[worker]) {
            self.receive_reports();
            self.receive_orders();
        }
    }

    /// Sends the reports for another worker. While there is no room, opens the reports that
    /// come; orders would lead to more reports.
    fn send_reports(&mut self, worker: usize) {
        if worker == self.id || self.reports[worker].is_empty() {
            return;
        }
        while !(self.exchange).send_reports(self.id, worker, &mut self.reports[worker]) {
            self.receive_reports();
        }
    }

    fn carry_out_own(&mut self) {
        let mut orders = std::mem::take(&mut self.orders[self.id]);
        self.carry_out(&orders);
        orders.clear();
        self.orders[self.id] = orders;
    }

    /// Carries out orders, which are all on the worker's own memory.
    fn carry_out(&mut self, orders: &Orders) {
        let plane = &self.planes[self.id];
        for group in orders.groups.iter().take(GROUPS_AHEAD) {
            self.ask_for_bytes(orders, group);
        }
        // Whether a position is settled is hard to predict, so it takes no branch: what is
        // written down counts only if it is.
        let mut just_settled = std::mem::take(&mut self.just_settled);
        let mut count = 0;
        for (index, group) in orders.groups.iter().enumerate() {
            if let Some(ahead) = orders.groups.get(index + GROUPS_AHEAD) {
                self.ask_for_bytes(orders, ahead);
            }
            let bytes = &mut self.bytes[self.concerned[group.news as usize]];
            let row = &mut bytes[group.row..][..plane.row_len(group.own_seeds)];
            let table = &self.tables[group.news as usize];
            for &opponents in orders.opponents_of(group) {
                let byte = &mut row[opponents as usize];
                let (next, settled) = table[usize::from(*byte)];
                *byte = next;
                just_settled[count] = (index as u32, opponents);
                count += usize::from(settled);
            }
        }
        for &(group, opponents) in &just_settled[..count] {
            let group = &orders.groups[group as usize];
            self.tell_owner(group.own_seeds, group.local, opponents, group.news.other());
        }
        self.just_settled = just_settled;
        self.enter_settled();
    }

    #[inline(always)]
    fn ask_for_bytes(&self, orders: &Orders, group: &Group) {
        let bytes = &self.bytes[self.concerned[group.news as usize]];
        for &opponents in orders.opponents_of(group) {
            prefetch(bytes, group.row + opponents as usize);
        }
    }

    /// Tells the owner of its row of news that a position of this worker's is settled.
    #[inline(always)]
    fn tell_owner(&mut self, own_seeds: u8, own_local: u32, opponents: u32, news: News) {
        let share = self.graph.share;
        let own = share.rank(self.id, own_local);
        let (owner, local) = share.place(opponents);
        let opponents_seeds = self.seeds - own_seeds;
        let word = self.planes[owner].news_start(opponents_seeds, local) + own as usize / 64;
        let settled = Settled {
            word,
            local,
            opponents_seeds,
            bit: (own % 64) as u8,
            news,
        };
        if owner == self.id {
            prefetch(&self.news[news as usize], word);
            self.to_enter.push(settled);
        } else {
            self.reports[owner].push(settled);
            if self.reports[owner].len() == REPORTED {
                self.send_reports(owner);
            }
        }
    }

    /// Enters the worker's own settled positions as news.
    fn enter_settled(&mut self) {
        let mut to_enter = std::mem::take(&mut self.to_enter);
        for settled in to_enter.drain(..) {
            self.enter(settled);
        }
        self.to_enter = to_enter;
    }

    /// Enters a settled position as news.
    #[inline(always)]
    fn enter(&mut self, settled: Settled) {
        let Settled {
            word,
            local,
            opponents_seeds,
            bit,
            news,
        } = settled;
        self.news[news as usize][word] |= 1 << bit;
        let row = self.planes[self.id].news_row(opponents_seeds, local);
        let waits = &mut self.waits[news as usize][row];
        if !*waits {
            *waits = true;
            self.queues[usize::from(opponents_seeds)].push_back(Waiting { local, news });
        }
    }
}

impl Orders {
    /// With all the memory that it may need.
    pub(super) fn new() -> Orders {
        Orders {
            groups: Vec::with_capacity(GROUPS),
            opponents: Vec::with_capacity(ORDERED),
            positions: 0,
        }
    }

    /// Whether there is room for so many groups with so many positions together.
    #[inline(always)]
    fn has_room(&self, groups: usize, positions: usize) -> bool {
        self.groups.len() + groups <= GROUPS && self.positions + positions <= ORDERED
    }

    fn clear(&mut self) {
        self.groups.clear();
        self.opponents.clear();
        self.positions = 0;
    }

    #[inline(always)]
    fn opponents_of(&self, group: &Group) -> &[u32] {
        &self.opponents[group.start as usize..][..group.count as usize]
    }
}

/// Reports with all the memory that they may need.
pub(super) fn new_reports() -> Reports {
    Vec::with_capacity(REPORTED)
}

/// The most memory in bytes that workers take for what they tell each other, whatever the
/// order of their work, and for what they have at hand.
pub(super) fn memory(workers: usize) -> u64 {
    let orders = GROUPS * size_of::<Group>() + ORDERED * size_of::<u32>();
    let reports = REPORTED * size_of::<Settled>();
    let at_hand = (ORDERED + 1) * size_of::<(u32, u32)>()
        + (ENTERED_AT_ONCE + SCANNED_AT_ONCE) * size_of::<Settled>()
        + SCANNED_AT_ONCE * size_of::<(u32, News)>()
        + CLASSES * LIST_LEN * size_of::<u32>();
    let parcels = exchange::most_parcels(workers, UNDER_WAY);
    (parcels * (orders + reports) + workers * at_hand) as u64
}
