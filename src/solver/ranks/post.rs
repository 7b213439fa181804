//! What a process has to do with others that solve the same layer: settled positions are news for
//! predecessors that others own, and theirs are news here. `docs/cluster.md` explains it, and why
//! nothing is lost.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::checkpoint::state::{Checkpoints, Known, Resumed, Wanted};
use crate::checkpoint::{self, joint};
use crate::cluster::{
    Cluster, ClusterError, Kind, Parcel, Patience, Sizes, Taken, read_number, write_number,
};
use crate::graph::half_graph::{HalfGraph, Owner};
use crate::graph::last_resort::LastResortMove;
use crate::graph::numbering::{Number, OpponentsHalf};
use crate::known::news::NewsRow;
use crate::passes::gathered::{AT_ONCE, Gathered};
use granero_table::first_error::Stopped;
use granero_table::index::half;

/// What carries news to other processes, and from them.
pub(crate) trait Post: Sync {
    /// Whether there are no other processes.
    const ALONE: bool;

    /// Why others cannot be reached.
    type Error;

    /// The half-board of the mover in a row.
    fn number(&self, own_seeds: u8, row: Number) -> Number;

    /// Begins a step in which news is taken to all predecessors.
    fn begin(&self) -> Result<(), Self::Error>;

    /// Passes on the news of a row that was gathered, to those who own predecessors.
    fn pass_on(&self, row: NewsRow, own_seeds: u8, gathered: &Gathered);

    /// Whether more can be passed on now.
    fn has_room(&self) -> bool;

    /// Sends and receives what can be sent and received now.
    fn turn(&self);

    /// News that has arrived from others.
    fn arrived(&self) -> Option<Arrived>;

    /// Notes that news from others cannot be read.
    fn refuse(&self, from: usize, what: &'static str);

    /// Whether others cannot be reached any more. Then what is left to do here is in vain.
    fn has_failed(&self) -> bool;

    /// Called when nothing is left to do here: waits until more arrives, or until nothing is left
    /// anywhere. Says whether more has arrived.
    fn rest(&self) -> Result<bool, Self::Error>;

    /// Adds up what all processes have counted.
    fn sum(&self, counts: [u64; 2]) -> Result<[u64; 2], Self::Error>;

    /// Has a checkpoint kept if it is time for one, with the rows of all processes. Nothing must be left
    /// to do anywhere.
    fn keep(&self, checkpoints: &mut dyn Checkpoints, known: &Known<'_>)
    -> Result<(), Self::Error>;

    /// What a checkpoint says of the rows of this process, if there is one.
    fn resume(
        &self,
        checkpoints: &mut dyn Checkpoints,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Resumed>, Self::Error>;
}

/// There are no other processes.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Post for Nobody {
    const ALONE: bool = true;

    type Error = Stopped;

    #[inline(always)]
    fn number(&self, _: u8, row: Number) -> Number {
        row
    }

    fn begin(&self) -> Result<(), Stopped> {
        Ok(())
    }

    #[inline(always)]
    fn pass_on(&self, _: NewsRow, _: u8, _: &Gathered) {}

    #[inline(always)]
    fn has_room(&self) -> bool {
        true
    }

    #[inline(always)]
    fn turn(&self) {}

    #[inline(always)]
    fn arrived(&self) -> Option<Arrived> {
        None
    }

    fn refuse(&self, _: usize, _: &'static str) {}

    #[inline(always)]
    fn has_failed(&self) -> bool {
        false
    }

    fn rest(&self) -> Result<bool, Stopped> {
        Ok(false)
    }

    fn sum(&self, counts: [u64; 2]) -> Result<[u64; 2], Stopped> {
        Ok(counts)
    }

    fn keep(&self, checkpoints: &mut dyn Checkpoints, known: &Known<'_>) -> Result<(), Stopped> {
        match checkpoints.is_due() {
            true => checkpoint::keep(checkpoints, known),
            false => Ok(()),
        }
    }

    fn resume(
        &self,
        checkpoints: &mut dyn Checkpoints,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Resumed>, Stopped> {
        checkpoint::resume(checkpoints, wanted)
    }
}

/// The post of a rank among others.
pub(crate) struct Office<'a> {
    graph: &'a HalfGraph,
    sizes: Sizes,
    /// By rank: a parcel that is being filled.
    filling: Vec<Mutex<Parcel>>,
    /// Parcels that are full, and with which rank they are meant for.
    full: Mutex<VecDeque<(usize, Parcel)>>,
    /// How many parcels are full and not sent.
    waiting: AtomicUsize,
    inbox: Mutex<VecDeque<Arrived>>,
    /// How many are in it.
    in_inbox: AtomicUsize,
    desk: Mutex<Desk<'a>>,
    /// Whether something went wrong: then nothing is sent or received any more.
    has_failed: AtomicBool,
    failure: Mutex<Option<ClusterError>>,
    /// The half-boards of the opponent in children of moves of last resort of other ranks, sorted.
    last_resorts: Vec<(OpponentsHalf, usize)>,
}

/// What one thread at a time deals with.
struct Desk<'a> {
    cluster: &'a mut Cluster,
    /// By rank: parcels that are on their way out.
    outgoing: Vec<VecDeque<Parcel>>,
    /// By rank: how many parcels of news were sent there in this step, and how many have arrived from
    /// there.
    sent: Vec<u64>,
    received: Vec<u64>,
    /// What was reported last.
    reported: Option<Vec<u64>>,
    /// A report that is not sent yet.
    report: Option<Parcel>,
    /// At rank 0, by rank: the last report.
    reports: Vec<Option<Vec<u64>>>,
    /// The step is over.
    is_over: bool,
}

/// A parcel of news that has arrived.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) from: usize,
    parcel: Parcel,
    /// Where the next row begins.
    next: usize,
}

impl Arrived {
    /// The next row: which one it is, and the mover's half-boards, ascending, which take the place of
    /// those in `own`. `None` at the end.
    pub(crate) fn next_row(
        &mut self,
        seeds: u8,
        graph: &HalfGraph,
        own: &mut Vec<Number>,
    ) -> Result<Option<NewsRow>, &'static str> {
        const DAMAGED: &str = "has news that cannot be";
        own.clear();
        let rest = &self.parcel.body()[self.next..];
        if rest.is_empty() {
            return Ok(None);
        }
        let (number, after) = rest.split_first_chunk().ok_or(DAMAGED)?;
        let row = NewsRow::of_number(u32::from_le_bytes(*number) as usize);
        if row.half.0 >= graph.numbering.opponents_halves(seeds) {
            return Err(DAMAGED);
        }
        let (opponents_seeds, _) = graph.numbering.seeds_and_number(row.half);
        let count = u64::from(half::count(seeds - opponents_seeds));
        let (&positions, mut after) = after.split_first().ok_or(DAMAGED)?;
        let mut next = 0;
        for place in 0..positions {
            let (step, others) = read_number(after).ok_or(DAMAGED)?;
            after = others;
            next = match place {
                0 => step.into(),
                _ => next + 1 + u64::from(step),
            };
            if next >= count {
                return Err(DAMAGED);
            }
            own.push(next as Number);
        }
        if own.is_empty() || own.len() > AT_ONCE {
            return Err(DAMAGED);
        }
        self.next = self.parcel.body().len() - after.len();
        Ok(Some(row))
    }
}

/// Writes a row of news.
fn write_row(bytes: &mut Vec<u8>, row: NewsRow, own: &[Number]) {
    // Most numbers are short.
    bytes.reserve(5 + 2 * own.len());
    bytes.extend((row.number() as u32).to_le_bytes());
    bytes.push(own.len() as u8);
    let mut next = 0;
    for &own in own {
        write_number(bytes, own - next);
        next = own + 1;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Office<'a> {
    /// The memory in bytes for parcels at hand and under way.
    pub(crate) fn memory(ranks: usize) -> u64 {
        let Sizes {
            news,
            inbox,
            under_way,
        } = Sizes::USUAL;
        // For each other rank one that is filled, those under way, and one that was held back.
        (((ranks - 1) * (under_way + 2) + 2 * inbox) * news) as u64
    }

    /// The post of a rank for a layer.
    pub(crate) fn new(graph: &'a HalfGraph, cluster: &'a mut Cluster) -> Office<'a> {
        let ranks = cluster.ranks();
        Office {
            graph,
            sizes: cluster.sizes(),
            filling: (0..ranks).map(|_| Mutex::new(Parcel::new())).collect(),
            full: Mutex::default(),
            waiting: AtomicUsize::new(0),
            inbox: Mutex::default(),
            in_inbox: AtomicUsize::new(0),
            desk: Mutex::new(Desk {
                cluster,
                outgoing: (0..ranks).map(|_| VecDeque::new()).collect(),
                sent: vec![0; ranks],
                received: vec![0; ranks],
                reported: None,
                report: None,
                reports: vec![None; ranks],
                is_over: false,
            }),
            has_failed: AtomicBool::new(false),
            failure: Mutex::default(),
            last_resorts: Vec::new(),
        }
    }

    /// Tells the others of the moves of last resort of this rank, as all ranks do before the first step.
    pub(crate) fn tell(&mut self, last_resorts: &[LastResortMove]) -> Result<(), ClusterError> {
        let mut children: Vec<u64> = last_resorts
            .iter()
            .map(|found| found.child_opponents.0 as u64)
            .collect();
        children.dedup();
        let desk = self.desk.get_mut().unwrap_or_else(PoisonError::into_inner);
        let all = desk.cluster.exchange(&children)?;
        let of_others = all.into_iter().enumerate();
        let of_others = of_others.filter(|&(rank, _)| rank != desk.cluster.rank());
        let of_others = of_others.flat_map(|(rank, halves)| {
            let halves = halves.into_iter();
            halves.map(move |half| (OpponentsHalf(half as usize), rank))
        });
        self.last_resorts = of_others.collect();
        self.last_resorts.sort_unstable();
        Ok(())
    }

    /// Adds a row to the parcel for a rank.
    fn write(&self, to: usize, row: NewsRow, own: &[Number]) {
        let mut parcel = lock(&self.filling[to]);
        write_row(parcel.bytes(), row, own);
        if parcel.has(self.sizes.news) {
            let full = std::mem::replace(&mut *parcel, Parcel::new());
            drop(parcel);
            self.waiting.fetch_add(1, Ordering::Relaxed);
            lock(&self.full).push_back((to, full));
            self.turn();
        }
    }

    fn fail(&self, error: ClusterError) {
        lock(&self.failure).get_or_insert(error);
        self.has_failed.store(true, Ordering::Relaxed);
    }

    /// Sends and receives what is possible. Says whether anything was.
    fn work_at(&self, desk: &mut Desk<'_>) -> Result<bool, ClusterError> {
        for (to, parcel) in lock(&self.full).drain(..) {
            desk.outgoing[to].push_back(parcel);
        }
        let mut any = false;
        for to in desk.cluster.others() {
            while let Some(parcel) = desk.outgoing[to].pop_front() {
                let mut parcel = Some(parcel);
                if !desk.cluster.try_send(to, Kind::News, &mut parcel)? {
                    desk.outgoing[to].extend(parcel);
                    desk.outgoing[to].rotate_right(1);
                    break;
                }
                desk.sent[to] += 1;
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                any = true;
            }
        }
        for from in desk.cluster.others() {
            while self.in_inbox.load(Ordering::Relaxed) < self.sizes.inbox {
                let Some(Taken { kind, parcel }) = desk.cluster.take(from)? else {
                    break;
                };
                any = true;
                match kind {
                    Kind::News => {
                        desk.received[from] += 1;
                        let next = 0;
                        lock(&self.inbox).push_back(Arrived { from, parcel, next });
                        self.in_inbox.fetch_add(1, Ordering::Relaxed);
                    }
                    Kind::Report if desk.cluster.rank() == 0 => {
                        let (numbers, []) = parcel.body().as_chunks() else {
                            let what = "is a report that cannot be";
                            return Err(ClusterError::BadParcel { from, what });
                        };
                        let numbers = numbers.iter().map(|&number| u64::from_le_bytes(number));
                        let numbers: Vec<u64> = numbers.collect();
                        if numbers.len() != 2 * desk.reports.len() {
                            let what = "is a report of another number of ranks";
                            return Err(ClusterError::BadParcel { from, what });
                        }
                        desk.reports[from] = Some(numbers);
                    }
                    Kind::Over if from == 0 => {
                        desk.is_over = true;
                        return Ok(true);
                    }
                    _ => {
                        let what = "is not what was expected";
                        return Err(ClusterError::BadParcel { from, what });
                    }
                }
            }
        }
        Ok(any)
    }

    /// What [`rest`](Post::rest) does; the desk is that of this thread.
    fn wait(&self, desk: &mut Desk<'_>) -> Result<bool, ClusterError> {
        let mut patience = Patience::default();
        loop {
            if let Some(failure) = lock(&self.failure).take() {
                return Err(failure);
            }
            for (to, parcel) in self.filling.iter().enumerate() {
                let mut parcel = lock(parcel);
                if !parcel.is_empty() {
                    let parcel = std::mem::replace(&mut *parcel, Parcel::new());
                    self.waiting.fetch_add(1, Ordering::Relaxed);
                    desk.outgoing[to].push_back(parcel);
                }
            }
            let any = self.work_at(desk)?;
            if self.in_inbox.load(Ordering::Relaxed) > 0 {
                desk.cluster.waits_no_more();
                return Ok(true);
            }
            if self.waiting.load(Ordering::Relaxed) == 0 {
                desk.report()?;
            }
            if desk.is_over {
                return Ok(false);
            }
            if any {
                patience = Patience::default();
            } else {
                for rank in desk.awaited() {
                    if rank != desk.cluster.rank() {
                        desk.cluster.waits_for(rank);
                    }
                }
                patience.wait();
            }
        }
    }
}

impl Desk<'_> {
    /// Tells rank 0 what was sent and received, unless it knows. Rank 0 looks whether the step is
    /// over, and tells the others.
    fn report(&mut self) -> Result<(), ClusterError> {
        let counts = || self.sent.iter().chain(&self.received).copied();
        if self.cluster.rank() > 0 {
            if !self
                .reported
                .as_ref()
                .is_some_and(|last| counts().eq(last.iter().copied()))
            {
                let body: Vec<u8> = counts().flat_map(u64::to_le_bytes).collect();
                self.reported = Some(counts().collect());
                // A report that was not sent yet is out of date.
                self.report = Some(Parcel::of(&body));
            }
            self.cluster.try_send(0, Kind::Report, &mut self.report)?;
            return Ok(());
        }
        self.reports[0] = Some(counts().collect());
        if self.awaited().is_empty() {
            for other in self.cluster.others() {
                self.cluster.send(other, Kind::Over, Parcel::new())?;
            }
            self.is_over = true;
        }
        Ok(())
    }

    /// Whose report is missing: at rank 0, the ranks that do not report as many parcels from each other
    /// one as that one reports to have sent there; elsewhere, rank 0, which says when the step is over.
    fn awaited(&self) -> Vec<usize> {
        if self.cluster.rank() > 0 {
            return vec![0];
        }
        let ranks = self.reports.len();
        let number = |rank: usize, place: usize| Some(self.reports[rank].as_ref()?[place]);
        let has_arrived = |from: usize, to: usize| {
            let sent = number(from, to);
            sent.is_none_or(|sent| number(to, ranks + from) == Some(sent))
        };
        let is_awaited = |&to: &usize| {
            self.reports[to].is_none() || !(0..ranks).all(|from| has_arrived(from, to))
        };
        (0..ranks).filter(is_awaited).collect()
    }
}

impl Post for Office<'_> {
    const ALONE: bool = false;

    type Error = ClusterError;

    #[inline(always)]
    fn number(&self, own_seeds: u8, row: Number) -> Number {
        self.graph.number(own_seeds, row)
    }

    fn begin(&self) -> Result<(), ClusterError> {
        let mut desk = lock(&self.desk);
        desk.cluster.begin_step();
        desk.sent.fill(0);
        desk.received.fill(0);
        desk.reported = None;
        desk.report = None;
        desk.reports.fill(None);
        desk.is_over = false;
        Ok(())
    }

    fn pass_on(&self, row: NewsRow, own_seeds: u8, gathered: &Gathered) {
        if self.has_failed() {
            return;
        }
        let owners = || (self.graph.distant(row.half)).chunk_by(|a, b| a.rank() == b.rank());
        // Without a position that a move of these classes leads to, an owner has nothing to do.
        let has_predecessors = |owners: &[Owner]| {
            owners.iter().any(|owner| {
                let class = owner.class();
                class.crossing().seeds <= own_seeds && gathered.list(class).is_some()
            })
        };
        for owners in owners().filter(|owners| has_predecessors(owners)) {
            self.write(owners[0].rank(), row, gathered.own());
        }
        let start = (self.last_resorts).partition_point(|&(half, _)| half < row.half);
        let here = self.last_resorts[start..].iter();
        for &(_, rank) in here.take_while(|&&(half, _)| half == row.half) {
            // News is counted, so nobody must get it twice.
            let got_it = |owners: &[Owner]| owners[0].rank() == rank && has_predecessors(owners);
            if !owners().any(got_it) {
                self.write(rank, row, gathered.own());
            }
        }
    }

    fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0 || self.has_failed()
    }

    fn turn(&self) {
        if self.has_failed() {
            return;
        }
        if let Ok(mut desk) = self.desk.try_lock()
            && let Err(error) = self.work_at(&mut desk)
        {
            self.fail(error);
        }
    }

    fn arrived(&self) -> Option<Arrived> {
        if self.in_inbox.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let arrived = lock(&self.inbox).pop_front();
        if arrived.is_some() {
            self.in_inbox.fetch_sub(1, Ordering::Relaxed);
        }
        arrived
    }

    fn refuse(&self, from: usize, what: &'static str) {
        self.fail(ClusterError::BadParcel { from, what });
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn rest(&self) -> Result<bool, ClusterError> {
        self.wait(&mut lock(&self.desk))
    }

    fn sum(&self, counts: [u64; 2]) -> Result<[u64; 2], ClusterError> {
        let mut desk = lock(&self.desk);
        let sums = desk.cluster.sum(counts.to_vec())?;
        Ok([sums[0], sums[1]])
    }

    fn keep(
        &self,
        checkpoints: &mut dyn Checkpoints,
        known: &Known<'_>,
    ) -> Result<(), ClusterError> {
        let mut desk = lock(&self.desk);
        joint::keep(desk.cluster, self.graph, checkpoints, known)
    }

    fn resume(
        &self,
        checkpoints: &mut dyn Checkpoints,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Resumed>, ClusterError> {
        joint::resume(lock(&self.desk).cluster, checkpoints, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granero_game::Cycles;
    use granero_game::rules::Ruleset;
    use granero_table::rows::RowMoves;

    const SEEDS: u8 = 7;

    /// All rows of a parcel with these bytes.
    fn rows(graph: &HalfGraph, body: &[u8]) -> Result<Vec<(usize, Vec<Number>)>, &'static str> {
        let (parcel, next) = (Parcel::of(body), 0);
        let from = 1;
        let mut arrived = Arrived { from, parcel, next };
        let (mut rows, mut own) = (Vec::new(), Vec::new());
        while let Some(row) = arrived.next_row(SEEDS, graph, &mut own)? {
            rows.push((row.number(), own.clone()));
        }
        Ok(rows)
    }

    #[test]
    fn rows_of_news_are_read_as_they_were_written_and_others_are_refused() {
        let graph = HalfGraph::new(RowMoves::new((Ruleset::Abapa, Cycles::Split), SEEDS));
        let half = graph.numbering.opponents_half(1, 2);
        let row = NewsRow::of_number(2 * half.0 + 1);
        // The mover has six seeds: 462 half-boards.
        let lists: [&[Number]; 4] = [&[0], &[461], &[0, 1, 130, 461], &[127, 128, 129]];
        let mut body = Vec::new();
        for own in lists {
            write_row(&mut body, row, own);
        }
        let expected = lists.map(|own| (row.number(), own.to_vec()));
        assert_eq!(rows(&graph, &body), Ok(expected.to_vec()));

        for length in 0..body.len() {
            if let Ok(found) = rows(&graph, &body[..length]) {
                assert!(expected.starts_with(&found));
            }
        }
        for place in 0..body.len() {
            for bit in 0..8 {
                let mut bad = body.clone();
                bad[place] ^= 1 << bit;
                // Whatever comes of it, it is an error or news that can be.
                for (row, own) in rows(&graph, &bad).unwrap_or_default() {
                    let half = NewsRow::of_number(row).half;
                    let (seeds, _) = graph.numbering.seeds_and_number(half);
                    assert!(own.is_sorted_by(|a, b| a < b));
                    assert!(own.iter().all(|&own| own < half::count(SEEDS - seeds)));
                }
            }
        }
        let beyond = NewsRow::of_number(2 * graph.numbering.opponents_halves(SEEDS));
        let mut body = Vec::new();
        write_row(&mut body, beyond, &[0]);
        assert!(rows(&graph, &body).is_err());
        let mut body = Vec::new();
        write_row(&mut body, row, &[462]);
        assert!(rows(&graph, &body).is_err());
        let mut body = Vec::new();
        write_row(&mut body, row, &[]);
        assert!(rows(&graph, &body).is_err());
    }
}
