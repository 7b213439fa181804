//! News to the other processes that solve the same layer, and from them. `docs/large-builds.md` explains
//! it, and why nothing is lost.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::carry::{Cluster, ClusterError, Message, Patience, Purpose, Received, Sizes, bad};
use crate::owners::Owners;
use crate::recipients::{Recipient, Recipients};
use crate::step::Step;
use granero_solver::graph::{HalfGraph, LastResortMove, Number, OpponentsHalf};
use granero_solver::news::{Arrived, Exchange, GatheredRow, NewsRow, read_row, write_row};
use granero_table::first_error::{FirstError, Stopped, lock};

/// Exchanges news with the other processes while they solve a layer.
pub(crate) struct NewsExchange<'a> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) owners: &'a Owners,
    recipients: &'a Recipients,
    seeds: u8,
    sizes: Sizes,
    /// By process: a message that is being filled.
    filling: Vec<Mutex<Message>>,
    /// Full messages, each with the process that it is for.
    full: Mutex<VecDeque<(usize, Message)>>,
    /// The number of full messages that are not sent.
    unsent: AtomicUsize,
    /// Messages with news that have arrived, each with the process that has sent it.
    inbox: Mutex<VecDeque<(usize, Message)>>,
    in_inbox: AtomicUsize,
    step: Mutex<Step<'a>>,
    /// Gets the error that ends the work.
    pub(crate) first: &'a FirstError<ClusterError>,
    /// Set when something went wrong: then nothing is sent or received any more.
    stopped: OnceLock<Stopped>,
    /// The half-boards of the opponent in children of moves of last resort of other processes, sorted.
    last_resorts: OnceLock<Vec<(OpponentsHalf, usize)>>,
}

/// The number of polls of a thread after which it sends and receives messages.
const POLLS_A_TURN: u32 = 128;

impl<'a> NewsExchange<'a> {
    /// The memory in bytes for messages that are filled, under way or have arrived.
    pub(crate) fn memory(processes: usize) -> u64 {
        let Sizes {
            news,
            inbox,
            under_way,
        } = Sizes::USUAL;
        // For each other process one that is filled, those under way, and one that was held back.
        (((processes - 1) * (under_way + 2) + 2 * inbox) * news) as u64
    }

    pub(crate) fn new(
        graph: &'a HalfGraph,
        owners: &'a Owners,
        recipients: &'a Recipients,
        seeds: u8,
        cluster: &'a mut Cluster,
        first: &'a FirstError<ClusterError>,
    ) -> NewsExchange<'a> {
        NewsExchange {
            graph,
            owners,
            recipients,
            seeds,
            sizes: cluster.sizes,
            filling: (0..cluster.processes())
                .map(|_| Mutex::new(Message::new()))
                .collect(),
            full: Mutex::default(),
            unsent: AtomicUsize::new(0),
            inbox: Mutex::default(),
            in_inbox: AtomicUsize::new(0),
            step: Mutex::new(Step::new(cluster)),
            first,
            stopped: OnceLock::new(),
            last_resorts: OnceLock::new(),
        }
    }

    /// Lets `work` go through steps of its own with the other processes.
    pub(crate) fn with_cluster<T>(&self, work: impl FnOnce(&mut Cluster) -> T) -> T {
        work(lock(&self.step).cluster)
    }

    /// Adds a row to the message for a process.
    fn write(&self, to: usize, row: NewsRow, own: &[Number]) {
        let mut message = lock(&self.filling[to]);
        write_row(message.bytes(), row, own);
        if message.has(self.sizes.news) {
            let full = std::mem::replace(&mut *message, Message::new());
            drop(message);
            self.unsent.fetch_add(1, Ordering::Relaxed);
            lock(&self.full).push_back((to, full));
            self.turn();
        }
    }

    fn fail(&self, error: ClusterError) {
        self.stopped.get_or_init(|| self.first.keep(error));
    }

    fn has_failed(&self) -> bool {
        self.stopped.get().is_some()
    }

    /// Returns whether more can be passed on now.
    fn has_room(&self) -> bool {
        self.unsent.load(Ordering::Relaxed) == 0
    }

    /// Sends and receives what can be sent and received now.
    fn turn(&self) {
        if self.has_failed() {
            return;
        }
        if let Ok(mut step) = self.step.try_lock()
            && let Err(error) = self.send_and_receive(&mut step)
        {
            self.fail(error);
        }
    }

    /// Sends and receives what is possible. Returns whether anything was.
    fn send_and_receive(&self, step: &mut Step<'_>) -> Result<bool, ClusterError> {
        for (to, message) in lock(&self.full).drain(..) {
            step.outgoing[to].push_back(message);
        }
        let mut any = false;
        for to in step.cluster.others() {
            while step.send_next(to)? {
                self.unsent.fetch_sub(1, Ordering::Relaxed);
                any = true;
            }
        }
        for from in step.cluster.others() {
            while self.in_inbox.load(Ordering::Relaxed) < self.sizes.inbox {
                let Some(Received { purpose, message }) = step.cluster.take(from)? else {
                    break;
                };
                any = true;
                if purpose == Purpose::News {
                    step.received[from] += 1;
                    lock(&self.inbox).push_back((from, message));
                    self.in_inbox.fetch_add(1, Ordering::Relaxed);
                } else {
                    step.take(from, purpose, &message)?;
                    if step.is_over {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(any)
    }

    /// Passes the next message that has arrived to `serve`, row by row. Returns whether there was one.
    fn serve_next(&self, serve: &mut impl FnMut(Arrived<'_>)) -> bool {
        if self.in_inbox.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let Some((from, message)) = lock(&self.inbox).pop_front() else {
            return false;
        };
        self.in_inbox.fetch_sub(1, Ordering::Relaxed);
        let (mut rest, mut own) = (message.body(), Vec::new());
        while !rest.is_empty() {
            let Some((row, after)) = read_row(rest, self.seeds, self.graph, &mut own) else {
                self.fail(bad(from, "has news that the layer cannot have"));
                break;
            };
            serve(Arrived::Children(row, &own));
            rest = after;
        }
        true
    }

    /// Called when nothing is left to do here: waits until more arrives, or until nothing is left
    /// anywhere. Returns whether more has arrived.
    fn rest(&self, step: &mut Step<'_>) -> Result<bool, ClusterError> {
        let mut patience = Patience::default();
        loop {
            for (to, message) in self.filling.iter().enumerate() {
                let mut message = lock(message);
                if !message.is_empty() {
                    let message = std::mem::replace(&mut *message, Message::new());
                    self.unsent.fetch_add(1, Ordering::Relaxed);
                    step.outgoing[to].push_back(message);
                }
            }
            let any = self.send_and_receive(step)?;
            if self.in_inbox.load(Ordering::Relaxed) > 0 {
                step.cluster.silence.is_over();
                return Ok(true);
            }
            if self.has_room() {
                step.report()?;
            }
            if step.is_over {
                return Ok(false);
            }
            if any {
                patience = Patience::default();
            } else {
                for process in step.awaited() {
                    if process != step.cluster.process() {
                        step.cluster.silence.waits_for(process);
                    }
                }
                patience.wait();
            }
        }
    }
}

impl Exchange for NewsExchange<'_> {
    #[inline(always)]
    fn half_board(&self, own_seeds: u8, row: Number) -> Number {
        self.graph.number(own_seeds, row)
    }

    /// Tells the others of the moves of last resort of this process.
    fn begin(&self, last_resorts: &[LastResortMove]) -> Result<(), Stopped> {
        let mut children: Vec<u64> = last_resorts
            .iter()
            .map(|found| found.child_opponents.0 as u64)
            .collect();
        children.dedup();
        let all = self.with_cluster(|cluster| cluster.exchange(&children));
        let all = all.map_err(|error| self.first.keep(error))?;
        let of_others = (all.into_iter().enumerate())
            .filter(|&(process, _)| process != self.owners.process())
            .flat_map(|(process, halves)| {
                let halves = halves.into_iter();
                halves.map(move |half| (OpponentsHalf(half as usize), process))
            });
        let mut of_others: Vec<_> = of_others.collect();
        of_others.sort_unstable();
        self.last_resorts.set(of_others).expect("one begin");
        Ok(())
    }

    fn pass_on(&self, row: NewsRow, own_seeds: u8, gathered: &GatheredRow) {
        if self.has_failed() {
            return;
        }
        let recipients =
            || (self.recipients.of(row.half)).chunk_by(|a, b| a.process() == b.process());
        // Without a position that a move of these classes leads to, a process has nothing to do.
        let has_predecessors = |classes: &[Recipient]| {
            classes.iter().any(|recipient| {
                let class = recipient.class();
                class.crossing().seeds <= own_seeds && gathered.list(class).is_some()
            })
        };
        for classes in recipients().filter(|classes| has_predecessors(classes)) {
            self.write(classes[0].process(), row, gathered.own());
        }
        let last_resorts = self.last_resorts.get().map_or(&[][..], |all| all);
        let start = last_resorts.partition_point(|&(half, _)| half < row.half);
        let here = last_resorts[start..].iter();
        for &(_, process) in here.take_while(|&&(half, _)| half == row.half) {
            // News is counted, so no process must get it twice.
            let got_it = |classes: &[Recipient]| {
                classes[0].process() == process && has_predecessors(classes)
            };
            if !recipients().any(got_it) {
                self.write(process, row, gathered.own());
            }
        }
    }

    fn poll(&self, polls: u32, mut serve: impl FnMut(Arrived<'_>)) -> bool {
        if polls.is_multiple_of(POLLS_A_TURN) {
            self.turn();
        }
        while self.serve_next(&mut serve) {}
        if !self.has_room() {
            // Serving what arrives keeps the other processes from waiting for this one.
            let mut patience = Patience::default();
            while !self.has_room() && !self.has_failed() {
                self.turn();
                if self.serve_next(&mut serve) {
                    patience = Patience::default();
                } else {
                    patience.wait();
                }
            }
        }
        !self.has_failed()
    }

    fn settle(&self, mut serve_all: impl FnMut()) -> Result<(), Stopped> {
        lock(&self.step).begin();
        loop {
            serve_all();
            if let Some(&stopped) = self.stopped.get() {
                return Err(stopped);
            }
            let goes_on = self.rest(&mut lock(&self.step));
            if !goes_on.map_err(|error| self.first.keep(error))? {
                return Ok(());
            }
        }
    }

    fn sum(&self, counts: [u64; 2]) -> Result<[u64; 2], Stopped> {
        let sums = self.with_cluster(|cluster| cluster.sum(counts.to_vec()));
        let sums = sums.map_err(|error| self.first.keep(error))?;
        Ok([sums[0], sums[1]])
    }
}
