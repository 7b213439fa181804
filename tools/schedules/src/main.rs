//! The protocol of the solver's threads, in many orders of events:
//!
//!     cargo run --release --manifest-path tools/schedules/Cargo.toml
//!
//! The files of the solver are compiled with `shuttle` in place of the standard library: it
//! runs a check again and again, each time with another order of what its threads do.

#[path = "../../../src/solver/threads/crew.rs"]
mod crew;
mod prefetch;
#[allow(dead_code, reason = "the solver needs more of it")]
#[path = "../../../src/solver/threads/row_locks.rs"]
mod row_locks;
mod sync;
#[allow(dead_code, reason = "the solver needs more of it")]
#[path = "../../../src/solver/threads/waiting.rs"]
mod waiting;

use crew::Crew;
use row_locks::RowLocks;
use shuttle::scheduler::DfsScheduler;
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::{Config, Runner, thread};
use waiting::Waiting;

/// A chain of positions, one in each row: the news of a row settles the next position, as the
/// solver does it. Position 0 and position `CHAIN / 2` are settled at the beginning.
struct Chain {
    waiting: Waiting,
    crew: Crew,
    served: [AtomicUsize; CHAIN],
}

const CHAIN: usize = 4;

/// How many orders are tried, of each kind: at random, and with a thread delayed this many times.
const ORDERS: usize = 2_000;
const DELAYS: usize = 4;

impl Chain {
    fn new() -> Chain {
        let chain = Chain {
            waiting: Waiting::new(CHAIN, CHAIN, false),
            crew: Crew::default(),
            served: [const { () }; CHAIN].map(|()| AtomicUsize::new(0)),
        };
        chain.waiting.enter(0, 0, 7);
        chain.waiting.enter(CHAIN / 2, CHAIN / 2, 9);
        chain
    }

    /// What a thread of the solver does.
    fn take_part(&self) {
        self.crew.take_part(|| {
            loop {
                let mut rows = Vec::new();
                self.waiting.next_piece(|row| rows.push(row));
                for row in rows {
                    if self.waiting.claim(row) {
                        self.serve(row);
                        self.crew.call();
                    }
                }
                if !self.waiting.any() {
                    return;
                }
            }
        });
    }

    fn serve(&self, row: usize) {
        let bits = self.waiting.take(&self.waiting.bits()[row]);
        self.served[row].fetch_add(bits.count_ones() as usize, Ordering::SeqCst);
        // Each piece of news leads to one for the next row.
        for bit in 0..64 {
            if bits >> bit & 1 == 1 && row + 1 < CHAIN {
                self.waiting.enter(row + 1, row + 1, bit);
            }
        }
    }
}

fn all_news_arrives(threads: usize) {
    let chain = Arc::new(Chain::new());
    let others: Vec<_> = (1..threads)
        .map(|_| {
            let chain = chain.clone();
            thread::spawn(move || chain.take_part())
        })
        .collect();
    chain.take_part();
    for other in others {
        other.join().unwrap();
    }
    let served = chain
        .served
        .each_ref()
        .map(|count| count.load(Ordering::SeqCst));
    assert_eq!(served, [1, 1, 2, 2]);
    assert!(!chain.waiting.any());
}

/// Threads enter bits into one word while another serves it: every bit is taken once.
fn no_bit_is_lost(threads: &[&'static [u8]]) {
    let waiting = Arc::new(Waiting::new(1, 1, false));
    let enterers: Vec<_> = threads
        .iter()
        .map(|&bits| {
            let waiting = waiting.clone();
            thread::spawn(move || bits.iter().for_each(|&bit| waiting.enter(0, 0, bit)))
        })
        .collect();
    let mut taken = 0;
    let mut serve = || {
        if waiting.claim(0) {
            let bits = waiting.take(&waiting.bits()[0]);
            assert_eq!(taken & bits, 0);
            taken |= bits;
        }
    };
    serve();
    for enterer in enterers {
        enterer.join().unwrap();
    }
    // What has not been taken waits.
    serve();
    let all = threads.iter().copied().flatten();
    assert_eq!(taken, all.fold(0, |all, bit| all | 1 << bit));
    assert!(!waiting.any());
}

/// Threads change two rows that share a lock by loads and stores: no change is lost.
fn no_change_is_lost(threads: usize) {
    const ROWS: [usize; 2] = [5, 5 + (1 << 16)];
    let shared = Arc::new((RowLocks::new(64), ROWS.map(|_| AtomicUsize::new(0))));
    let change = |(locks, bytes): &(RowLocks, [AtomicUsize; 2])| {
        for (row, byte) in ROWS.into_iter().zip(bytes) {
            let _taken = locks.take(row);
            let now = byte.load(Ordering::SeqCst);
            byte.store(now + 1, Ordering::SeqCst);
        }
    };
    let others: Vec<_> = (1..threads)
        .map(|_| {
            let shared = shared.clone();
            thread::spawn(move || change(&shared))
        })
        .collect();
    change(&shared);
    for other in others {
        other.join().unwrap();
    }
    for byte in &shared.1 {
        assert_eq!(byte.load(Ordering::SeqCst), threads);
    }
}

fn main() {
    let all = DfsScheduler::new(None, false);
    let one = Runner::new(all, Config::default()).run(|| no_bit_is_lost(&[&[3, 5]]));
    println!("one thread enters bits: none is lost in any of {one} orders");
    shuttle::check_random(|| no_bit_is_lost(&[&[3, 5], &[7]]), 10 * ORDERS);
    println!(
        "two threads enter bits: none is lost in {} orders",
        10 * ORDERS
    );
    for threads in [2, 3, 4] {
        shuttle::check_random(move || all_news_arrives(threads), ORDERS);
        shuttle::check_pct(move || all_news_arrives(threads), ORDERS, DELAYS);
        println!(
            "{threads} threads: all news arrives in {} orders",
            2 * ORDERS
        );
    }
    for threads in [2, 3] {
        shuttle::check_random(move || no_change_is_lost(threads), ORDERS);
        shuttle::check_pct(move || no_change_is_lost(threads), ORDERS, DELAYS);
        println!(
            "{threads} threads change two rows: nothing is lost in {} orders",
            2 * ORDERS
        );
    }
}
