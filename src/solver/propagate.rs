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

use super::captures::LastResort;
use super::exchange::{Exchange, Next};
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

/// A row of positions of a worker, as a scan finds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScannedRow {
    /// The mover's seeds.
    pub(super) own_seeds: u8,
    /// Where its bytes begin.
    pub(super) start: usize,
}

/// Work for one worker: moves whose child was settled, and positions that were settled.
#[derive(Debug, Default)]
pub(super) struct Parcel {
    groups: Vec<Group>,
    /// The opponent's half-boards of the positions in the groups.
    opponents: Vec<u32>,
    /// How many positions the groups have together.
    positions: usize,
    settled: Vec<Settled>,
}

/// Positions of one row that have a settled child, by one class of moves.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Where the row begins.
    row: usize,
    /// The mover's half-board: the owner's number for it.
    local: u32,
    /// The part of `Parcel::opponents`.
    start: u32,
    count: u32,
    own_seeds: u8,
    news: News,
}

/// A settled position, in the terms of the owner of its row of news.
#[derive(Clone, Copy, Debug)]
struct Settled {
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
/// A worker's own parcel is opened when it holds so many positions.
const OWN_PARCEL: usize = 512;
/// A scan enters what it has found when it is so much.
const ENTERED_AT_ONCE: usize = 256;
/// A scan looks at least after so many rows what others have found.
const ROWS_UNHEARD: u32 = 256;
/// Parcels to others are sent when they hold so many positions.
const SENT_PARCEL: usize = 4096;
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
    exchange: &'a Exchange<Parcel>,
    last_resorts: &'a [LastResort],
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
    /// By worker.
    parcels: Vec<Parcel>,
    lists: Vec<u32>,
    list_lens: [u16; CLASSES],
    /// Room for positions just settled: the group, and the opponent's half-board.
    just_settled: Vec<(u32, u32)>,
    to_enter: Vec<Settled>,
    /// What a row that is scanned holds of news.
    found: Vec<(u32, News)>,
    /// Parcels whose groups wait until the scan is done.
    postponed: Vec<Parcel>,
}

/// What all workers of a layer are given.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) graph: &'a HalfGraph,
    pub(super) seeds: u8,
    pub(super) planes: &'a [Plane],
    pub(super) exchange: &'a Exchange<Parcel>,
    /// Sorted.
    pub(super) last_resorts: &'a [LastResort],
}

impl<'a> Worker<'a> {
    /// A worker and its bytes. If there are two for each position, the first kind of news
    /// concerns the second of them, and the second kind the first.
    pub(super) fn new(id: usize, task: Task<'a>, bytes: Vec<Vec<u8>>) -> Worker<'a> {
        let plane = &task.planes[id];
        let news = || vec![0; plane.news_words()];
        let waits = || vec![false; plane.all_news_rows()];
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
            queues: (0..=task.seeds).map(|_| VecDeque::new()).collect(),
            // To be set before anything is settled.
            tables: [[(0, false); 256]; 2],
            parcels: task.planes.iter().map(|_| Parcel::default()).collect(),
            lists: vec![0; CLASSES * LIST_LEN],
            list_lens: [0; CLASSES],
            just_settled: Vec::new(),
            to_enter: Vec::new(),
            found: Vec::new(),
            postponed: Vec::new(),
        }
    }

    /// Ends the work, and returns the bytes.
    pub(super) fn into_bytes(self) -> Vec<Vec<u8>> {
        self.bytes
    }

    /// Goes through some of the bytes, row by row; `look` says which positions of the row
    /// are settled, by the opponent's half-board.
    ///
    /// What other workers settle meanwhile has to wait: after the last of some scans,
    /// [`settle`](Worker::settle) must be called.
    pub(super) fn scan(
        &mut self,
        which: usize,
        mut look: impl FnMut(ScannedRow, &mut [u8], &mut Vec<(u32, News)>),
    ) {
        let plane = &self.planes[self.id];
        let share = self.graph.share;
        // Taken for the while, so that what is found can be entered.
        let mut bytes = std::mem::take(&mut self.bytes[which]);
        let mut found = std::mem::take(&mut self.found);
        let mut rows = 0;
        for own_seeds in 0..=self.seeds {
            for local in 0..share.count(self.id, half::count(own_seeds)) {
                let start = plane.row_start(own_seeds, local);
                let row = &mut bytes[start..start + plane.row_len(own_seeds)];
                look(ScannedRow { own_seeds, start }, row, &mut found);
                for (opponents, news) in found.drain(..) {
                    self.tell_owner(own_seeds, local, opponents, news);
                }
                rows += 1;
                if self.to_enter.len() >= ENTERED_AT_ONCE || rows % ROWS_UNHEARD == 0 {
                    self.enter_settled();
                    self.receive_during_scan();
                }
                self.send_full_parcels();
            }
        }
        self.bytes[which] = bytes;
        self.found = found;
        self.enter_settled();
    }

    /// Enters what others have settled, so that it does not pile up in their parcels. Their
    /// groups wait: the scan is to find positions as they were when it began.
    fn receive_during_scan(&mut self) {
        if self.parcels.len() == 1 {
            return;
        }
        for mut parcel in self.exchange.take(self.id) {
            self.to_enter.append(&mut parcel.settled);
            if !parcel.is_empty() {
                self.postponed.push(parcel);
            }
        }
        self.enter_settled();
    }

    /// Takes all news to the predecessors, and what it settles to theirs, until no worker
    /// has any work left.
    pub(super) fn settle(&mut self) {
        let postponed = std::mem::take(&mut self.postponed);
        self.open_all(postponed);
        loop {
            self.serve_all();
            for worker in 0..self.parcels.len() {
                self.send(worker);
            }
            match self.exchange.wait(self.id) {
                Next::Parcels(parcels) => self.open_all(parcels),
                Next::Done => return,
            }
        }
    }

    /// Serves the worker's rows until none waits.
    fn serve_all(&mut self) {
        loop {
            let mut served = false;
            for opponents_seeds in 0..=self.seeds {
                let mut queue = std::mem::take(&mut self.queues[usize::from(opponents_seeds)]);
                served |= !queue.is_empty();
                for ahead in queue.iter().take(ROWS_AHEAD) {
                    self.ask_for_row(opponents_seeds, *ahead);
                }
                while let Some(waiting) = queue.pop_front() {
                    if let Some(ahead) = queue.get(ROWS_AHEAD - 1) {
                        self.ask_for_row(opponents_seeds, *ahead);
                    }
                    self.serve(opponents_seeds, waiting);
                }
                // What has come to wait meanwhile is served in the next round.
                let newly = &mut self.queues[usize::from(opponents_seeds)];
                if newly.is_empty() {
                    *newly = queue;
                }
                if self.parcels.len() > 1 {
                    let parcels = self.exchange.take(self.id);
                    self.open_all(parcels);
                }
            }
            if !served {
                self.open_own();
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
        for worker in 0..self.parcels.len() {
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
            for worker in 0..self.parcels.len() {
                self.take_to_predecessors(worker, opponents_seeds, half_board, news);
            }
            self.list_lens = [0; CLASSES];
        }
        if self.parcels[self.id].positions >= OWN_PARCEL {
            self.open_own();
        }
        self.send_full_parcels();
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
        let parcel = &mut self.parcels[worker];
        for (class, half_boards) in self.graph.predecessors(worker, half_board) {
            let crossed = class.crossing().seeds;
            if crossed > own_seeds {
                break;
            }
            let count = self.list_lens[class.index()];
            if count == 0 {
                continue;
            }
            let list = &self.lists[class.index() * LIST_LEN..][..usize::from(count)];
            let start = parcel.opponents.len() as u32;
            parcel.opponents.extend_from_slice(list);
            parcel.positions += list.len() * half_boards.len();
            let before = opponents_seeds + crossed;
            parcel.groups.extend(half_boards.iter().map(|&local| Group {
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
            let parcel = &mut self.parcels[owner];
            parcel.groups.push(Group {
                row: self.planes[owner].row_start(found.own_seeds, local),
                local,
                start: parcel.opponents.len() as u32,
                count: 1,
                own_seeds: found.own_seeds,
                news,
            });
            parcel.opponents.push(found.opponents);
            parcel.positions += 1;
        }
    }

    #[inline(always)]
    fn send_full_parcels(&mut self) {
        for worker in 0..self.parcels.len() {
            if worker != self.id && self.parcels[worker].is_full() {
                self.send(worker);
            }
        }
    }

    fn send(&mut self, worker: usize) {
        if worker != self.id && !self.parcels[worker].is_empty() {
            let parcel = std::mem::take(&mut self.parcels[worker]);
            self.exchange.send(worker, parcel);
        }
    }

    fn open_own(&mut self) {
        let mut parcel = std::mem::take(&mut self.parcels[self.id]);
        self.open(&parcel);
        parcel.clear();
        self.parcels[self.id] = parcel;
    }

    fn open_all(&mut self, parcels: Vec<Parcel>) {
        for parcel in parcels {
            self.open(&parcel);
        }
    }

    /// Carries out the work of a parcel, which is all on the worker's own memory.
    fn open(&mut self, parcel: &Parcel) {
        let plane = &self.planes[self.id];
        for group in parcel.groups.iter().take(GROUPS_AHEAD) {
            self.ask_for_bytes(parcel, group);
        }
        // Whether a position is settled is hard to predict, so it takes no branch: what is
        // written down counts only if it is.
        let mut just_settled = std::mem::take(&mut self.just_settled);
        if just_settled.len() <= parcel.positions {
            just_settled.resize(parcel.positions + 1, (0, 0));
        }
        let mut count = 0;
        for (index, group) in parcel.groups.iter().enumerate() {
            if let Some(ahead) = parcel.groups.get(index + GROUPS_AHEAD) {
                self.ask_for_bytes(parcel, ahead);
            }
            let bytes = &mut self.bytes[self.concerned[group.news as usize]];
            let row = &mut bytes[group.row..][..plane.row_len(group.own_seeds)];
            let table = &self.tables[group.news as usize];
            for &opponents in parcel.opponents_of(group) {
                let byte = &mut row[opponents as usize];
                let (next, settled) = table[usize::from(*byte)];
                *byte = next;
                just_settled[count] = (index as u32, opponents);
                count += usize::from(settled);
            }
        }
        for &(group, opponents) in &just_settled[..count] {
            let group = &parcel.groups[group as usize];
            self.tell_owner(group.own_seeds, group.local, opponents, group.news.other());
        }
        self.just_settled = just_settled;
        for settled in &parcel.settled {
            prefetch(&self.news[settled.news as usize], settled.word);
        }
        self.to_enter.extend_from_slice(&parcel.settled);
        self.enter_settled();
    }

    #[inline(always)]
    fn ask_for_bytes(&self, parcel: &Parcel, group: &Group) {
        let bytes = &self.bytes[self.concerned[group.news as usize]];
        for &opponents in parcel.opponents_of(group) {
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
            self.parcels[owner].settled.push(settled);
        }
    }

    /// Enters settled positions as news.
    fn enter_settled(&mut self) {
        let plane = &self.planes[self.id];
        for settled in self.to_enter.drain(..) {
            let Settled {
                word,
                local,
                opponents_seeds,
                bit,
                news,
            } = settled;
            self.news[news as usize][word] |= 1 << bit;
            let row = plane.news_row(opponents_seeds, local);
            let waits = &mut self.waits[news as usize][row];
            if !*waits {
                *waits = true;
                self.queues[usize::from(opponents_seeds)].push_back(Waiting { local, news });
            }
        }
    }
}

impl Parcel {
    fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.settled.is_empty()
    }

    fn is_full(&self) -> bool {
        self.positions + self.settled.len() >= SENT_PARCEL
    }

    fn clear(&mut self) {
        self.groups.clear();
        self.opponents.clear();
        self.positions = 0;
        self.settled.clear();
    }

    #[inline(always)]
    fn opponents_of(&self, group: &Group) -> &[u32] {
        &self.opponents[group.start as usize..][..group.count as usize]
    }
}
