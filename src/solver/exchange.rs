//! Parcels between workers, a bounded number of them, and finding out that there is no
//! more work.
//!
//! There are two kinds of parcels. *Reports* can be opened at any time, and nothing is to
//! be sent because of them. *Orders* lead to reports, and wait until their receiver is
//! ready for them. A worker that finds no room in an inbox waits, and meanwhile opens what
//! comes for itself: reports if it has reports to send, all if it has orders to send.
//! `docs/solver.md` shows that no worker waits for ever.
//!
//! One lock guards all inboxes and what every worker does, rather than a channel each (as of the
//! crate `crossbeam-channel`): only both together show that there is no more work, and let a test
//! hold up a worker as long as any other can go on; and as a parcel holds thousands of positions,
//! the lock takes less than a hundredth of the time.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What the workers share: their inboxes, one for reports `R` and one for orders `O`.
#[derive(Debug)]
pub(super) struct Exchange<R, O> {
    state: Mutex<State<R, O>>,
    changed: Condvar,
    /// For tests, by worker: one with a higher rank is held up here as long as one with a lower
    /// rank can go on.
    #[cfg(test)]
    ranks: Vec<usize>,
}

#[derive(Debug)]
struct State<R, O> {
    reports: Lane<R>,
    orders: Lane<O>,
    /// By worker.
    doing: Vec<Doing>,
    /// Counts how often all work was done.
    rounds: u64,
    /// A worker has stopped without doing its work, so there is nothing to wait for.
    broken: bool,
}

/// The inboxes for one kind of parcels.
#[derive(Debug)]
struct Lane<P> {
    /// By worker.
    inboxes: Vec<VecDeque<P>>,
    /// The most parcels in an inbox.
    room: usize,
    /// Parcels that were opened, to be filled again.
    empty: Vec<P>,
    new: fn() -> P,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Working,
    /// It waits for room in an inbox for reports.
    SendingReports {
        to: usize,
    },
    /// It waits for room in an inbox for orders.
    SendingOrders {
        to: usize,
    },
    /// It has nothing to do in this round.
    Idle {
        round: u64,
    },
    /// It has stopped.
    Gone,
}

/// To be held by a worker while it works. Breaks the exchange if the worker panics, so
/// that the others do not wait for it.
#[derive(Debug)]
pub(super) struct Guard<'a, R, O> {
    exchange: &'a Exchange<R, O>,
    worker: usize,
}

impl<R, O> Drop for Guard<'_, R, O> {
    fn drop(&mut self) {
        let mut state = self.exchange.lock();
        state.doing[self.worker] = Doing::Gone;
        state.broken |= std::thread::panicking();
        drop(state);
        self.exchange.changed.notify_all();
    }
}

/// The most parcels of a kind that exist, if every inbox has room for `room` parcels: each worker
/// fills one for each, itself included, and opens one, and the inboxes may be full.
pub(super) fn most_parcels(workers: usize, room: usize) -> usize {
    workers * (workers + 1 + room)
}

impl<P> Lane<P> {
    fn among(workers: usize, room: usize, new: fn() -> P) -> Lane<P> {
        Lane {
            inboxes: (0..workers).map(|_| VecDeque::new()).collect(),
            room,
            empty: Vec::new(),
            new,
        }
    }

    fn has_room(&self, to: usize) -> bool {
        self.inboxes[to].len() < self.room
    }

    fn has(&self, worker: usize) -> bool {
        !self.inboxes[worker].is_empty()
    }

    /// Sends a parcel; what is left in its place is empty.
    fn send(&mut self, to: usize, parcel: &mut P) {
        let empty = self.empty.pop().unwrap_or_else(self.new);
        self.inboxes[to].push_back(std::mem::replace(parcel, empty));
    }

    /// Takes a parcel in exchange for one that is empty, and says whether there was one.
    fn receive(&mut self, worker: usize, emptied: &mut P) -> bool {
        let Some(parcel) = self.inboxes[worker].pop_front() else {
            return false;
        };
        self.empty.push(std::mem::replace(emptied, parcel));
        true
    }
}

impl<R, O> State<R, O> {
    fn has(&self, worker: usize) -> bool {
        self.reports.has(worker) || self.orders.has(worker)
    }

    /// Whether a worker has nothing to wait for.
    fn may_go_on(&self, worker: usize) -> bool {
        self.broken
            || match self.doing[worker] {
                Doing::Working => true,
                Doing::SendingReports { to } => {
                    self.reports.has_room(to) || self.reports.has(worker)
                }
                Doing::SendingOrders { to } => self.orders.has_room(to) || self.has(worker),
                Doing::Idle { round } => self.rounds != round || self.has(worker),
                Doing::Gone => false,
            }
    }
}

impl<R, O> Exchange<R, O> {
    /// Every inbox has room for `room` parcels. `reports` and `orders` make empty ones.
    pub(super) fn among(
        workers: usize,
        room: usize,
        reports: fn() -> R,
        orders: fn() -> O,
    ) -> Exchange<R, O> {
        Exchange {
            state: Mutex::new(State {
                reports: Lane::among(workers, room, reports),
                orders: Lane::among(workers, room, orders),
                doing: vec![Doing::Working; workers],
                rounds: 0,
                broken: false,
            }),
            changed: Condvar::new(),
            #[cfg(test)]
            ranks: vec![0; workers],
        }
    }

    pub(super) fn guard(&self, worker: usize) -> Guard<'_, R, O> {
        Guard {
            exchange: self,
            worker,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<R, O>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state for a worker.
    fn enter(&self, _worker: usize) -> MutexGuard<'_, State<R, O>> {
        let state = self.lock();
        #[cfg(test)]
        let state = self.hold_up(_worker, state);
        state
    }

    /// Waits until a worker that does this may go on.
    fn wait_while<'a>(
        &'a self,
        worker: usize,
        doing: Doing,
        mut state: MutexGuard<'a, State<R, O>>,
    ) -> MutexGuard<'a, State<R, O>> {
        state.doing[worker] = doing;
        #[cfg(test)]
        self.changed.notify_all();
        while !state.may_go_on(worker) {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.doing[worker] = Doing::Working;
        state
    }

    /// Sends reports, and leaves an empty parcel in their place. If there is no room, waits
    /// for it, or until there are reports to be received: then nothing is sent.
    pub(super) fn send_reports(&self, from: usize, to: usize, reports: &mut R) -> bool {
        let doing = Doing::SendingReports { to };
        self.send(from, to, doing, reports, |state| &mut state.reports)
    }

    /// Sends orders, and leaves an empty parcel in their place. If there is no room, waits
    /// for it, or until there is any parcel to be received: then nothing is sent.
    pub(super) fn send_orders(&self, from: usize, to: usize, orders: &mut O) -> bool {
        let doing = Doing::SendingOrders { to };
        self.send(from, to, doing, orders, |state| &mut state.orders)
    }

    fn send<P>(
        &self,
        from: usize,
        to: usize,
        doing: Doing,
        parcel: &mut P,
        lane: fn(&mut State<R, O>) -> &mut Lane<P>,
    ) -> bool {
        let mut state = self.enter(from);
        if !lane(&mut state).has_room(to) {
            state = self.wait_while(from, doing, state);
        }
        let broken = state.broken;
        let lane = lane(&mut state);
        if broken {
            // It is of no use any more.
            *parcel = (lane.new)();
            return true;
        }
        if !lane.has_room(to) {
            return false;
        }
        lane.send(to, parcel);
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Takes reports that have come for a worker in exchange for an empty parcel, and says
    /// whether there were any.
    pub(super) fn receive_reports(&self, worker: usize, emptied: &mut R) -> bool {
        self.receive(worker, emptied, |state| &mut state.reports)
    }

    /// Takes orders that have come for a worker in exchange for an empty parcel, and says
    /// whether there were any.
    pub(super) fn receive_orders(&self, worker: usize, emptied: &mut O) -> bool {
        self.receive(worker, emptied, |state| &mut state.orders)
    }

    fn receive<P>(
        &self,
        worker: usize,
        emptied: &mut P,
        lane: fn(&mut State<R, O>) -> &mut Lane<P>,
    ) -> bool {
        let mut state = self.enter(worker);
        let lane = lane(&mut state);
        let was_full = !lane.has_room(worker);
        let received = lane.receive(worker, emptied);
        drop(state);
        if was_full {
            self.changed.notify_all();
        }
        received
    }

    /// Waits until there is something to be received, or until all workers wait here and no
    /// parcel is under way: then there is no more work, and the answer is `false`. A worker
    /// must have sent everything before it waits.
    pub(super) fn wait_for_work(&self, worker: usize) -> bool {
        let mut state = self.enter(worker);
        let round = state.rounds;
        let idle = Doing::Idle { round };
        state.doing[worker] = idle;
        let workers = 0..state.doing.len();
        let done = |worker| state.doing[worker] == idle && !state.has(worker);
        if workers.into_iter().all(done) {
            state.rounds += 1;
            state.doing[worker] = Doing::Working;
            drop(state);
            self.changed.notify_all();
            return false;
        }
        let state = self.wait_while(worker, idle, state);
        state.rounds == round && !state.broken
    }
}

#[cfg(test)]
impl<R, O> Exchange<R, O> {
    /// Holds workers up, each as long as one with a lower rank can go on.
    pub(super) fn with_ranks(self, ranks: Vec<usize>) -> Exchange<R, O> {
        Exchange { ranks, ..self }
    }

    fn hold_up<'a>(
        &'a self,
        worker: usize,
        mut state: MutexGuard<'a, State<R, O>>,
    ) -> MutexGuard<'a, State<R, O>> {
        let workers = 0..self.ranks.len();
        let before = workers.filter(|&other| self.ranks[other] < self.ranks[worker]);
        while !state.broken && before.clone().any(|other| state.may_go_on(other)) {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// How many parcels of reports, and of orders, were under way at a time, at the most;
    /// to be asked when none is.
    pub(super) fn most_under_way(&self) -> [usize; 2] {
        let state = self.lock();
        [state.reports.empty.len(), state.orders.empty.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Numbers = Exchange<Vec<u32>, Vec<u32>>;

    fn exchange(workers: usize, room: usize) -> Numbers {
        Exchange::among(workers, room, Vec::new, Vec::new)
    }

    #[test]
    fn a_parcel_wakes_its_worker_and_the_last_to_wait_ends_the_round() {
        let exchange = exchange(2, 1);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut received = Vec::new();
                for _ in 0..100 {
                    while exchange.wait_for_work(1) {
                        let mut parcel = Vec::new();
                        assert!(exchange.receive_orders(1, &mut parcel));
                        received.append(&mut parcel);
                    }
                }
                received
            });
            for round in 0..100 {
                for _ in 0..round % 3 {
                    let mut parcel = vec![round];
                    assert!(exchange.send_orders(0, 1, &mut parcel));
                    assert!(parcel.is_empty());
                }
                assert!(!exchange.wait_for_work(0));
            }
            let expected = (0..100).flat_map(|round| vec![round; round as usize % 3]);
            assert!(other.join().unwrap().into_iter().eq(expected));
        });
        assert_eq!(exchange.most_under_way(), [0, 1]);
    }

    #[test]
    fn a_full_inbox_takes_nothing_until_it_is_opened() {
        let exchange = exchange(2, 3);
        for number in 0..3 {
            assert!(exchange.send_orders(0, 1, &mut vec![number]));
            assert!(exchange.send_reports(0, 1, &mut vec![number]));
        }
        // Something has come, so that the sender need not wait.
        assert!(exchange.send_reports(1, 0, &mut vec![7]));
        let mut orders = vec![3];
        assert!(!exchange.send_orders(0, 1, &mut orders));
        let mut reports = vec![3];
        assert!(!exchange.send_reports(0, 1, &mut reports));
        assert_eq!((&orders[..], &reports[..]), (&[3][..], &[3][..]));

        for number in 0..3 {
            let mut parcel = Vec::new();
            assert!(exchange.receive_reports(1, &mut parcel));
            assert_eq!(parcel, [number]);
        }
        assert!(!exchange.receive_reports(1, &mut Vec::new()));
        // Each kind has room of its own.
        assert!(!exchange.send_orders(0, 1, &mut orders));
        assert!(exchange.send_reports(0, 1, &mut reports));
        assert!(exchange.receive_orders(1, &mut Vec::new()));
        assert!(exchange.send_orders(0, 1, &mut orders));
    }

    #[test]
    fn who_waits_to_send_reports_is_not_woken_by_orders() {
        let exchange = exchange(2, 1);
        assert!(exchange.send_reports(0, 1, &mut vec![1]));
        assert!(exchange.send_orders(1, 0, &mut vec![2]));
        std::thread::scope(|scope| {
            let sends = scope.spawn(|| exchange.send_reports(0, 1, &mut vec![3]));
            while exchange.lock().doing[0] == Doing::Working {
                std::thread::yield_now();
            }
            assert!(!exchange.lock().may_go_on(0));
            assert!(exchange.receive_reports(1, &mut Vec::new()));
            assert!(sends.join().unwrap());
        });
    }

    /// Workers that send each other orders and reports as fast as they can, through inboxes
    /// with room for one, whoever is held up.
    #[test]
    fn nobody_waits_for_ever() {
        for workers in [2, 3, 5] {
            for slowest in 0..workers {
                let ranks = (0..workers).map(|worker| (worker + workers - 1 - slowest) % workers);
                let exchange = exchange(workers, 1).with_ranks(ranks.collect());
                let work = |worker| {
                    let _guard = exchange.guard(worker);
                    busy(&exchange, workers, worker)
                };
                let counts: Vec<u32> = std::thread::scope(|scope| {
                    let work = &work;
                    let threads = (0..workers).map(|worker| scope.spawn(move || work(worker)));
                    let threads: Vec<_> = threads.collect();
                    threads
                        .into_iter()
                        .map(|thread| thread.join().unwrap())
                        .collect()
                });
                // Each order leads to a report for each worker.
                let orders = 20 * workers * (workers - 1);
                let reports = orders * (workers - 1);
                assert_eq!(counts.iter().sum::<u32>() as usize, reports);
                assert!(
                    exchange
                        .most_under_way()
                        .into_iter()
                        .all(|most| most <= workers)
                );
            }
        }
    }

    /// Sends 20 orders to each other worker, and a report to each for any order; returns how
    /// many reports have come.
    fn busy(exchange: &Numbers, workers: usize, id: usize) -> u32 {
        let others = || (0..workers).filter(move |&worker| worker != id);
        let mut count = 0;
        let mut open_reports = || {
            let mut reports = Vec::new();
            while exchange.receive_reports(id, &mut reports) {
                count += reports.len() as u32;
                reports.clear();
            }
        };
        let mut open_orders = || {
            let mut orders = Vec::new();
            if exchange.receive_orders(id, &mut orders) {
                assert_eq!(orders.len(), 1);
                for worker in others() {
                    while !exchange.send_reports(id, worker, &mut vec![0]) {
                        open_reports();
                    }
                }
            }
            open_reports();
        };
        for _ in 0..20 {
            for worker in others() {
                while !exchange.send_orders(id, worker, &mut vec![0]) {
                    open_orders();
                }
            }
        }
        while exchange.wait_for_work(id) {
            open_orders();
        }
        count
    }

    #[test]
    fn nobody_waits_for_a_worker_that_panics() {
        let exchange = exchange(2, 1);
        std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _guard = exchange.guard(1);
                panic!("on purpose");
            });
            assert!(!exchange.wait_for_work(0));
            // What is sent to it is lost.
            for _ in 0..3 {
                assert!(exchange.send_reports(0, 1, &mut vec![1]));
                assert!(exchange.send_orders(0, 1, &mut vec![1]));
            }
            assert!(panics.join().is_err());
        });
    }
}
