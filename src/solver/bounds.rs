//! Exact bounds where endless play gives each player the seeds on their own side, whichever
//! position of an endless cycle is the one that counts.
//!
//! One side is *favoured*: of the positions that recur for ever, the one counts that is
//! best for that side. The result of the favoured side is the `high` of a position in which
//! it is to move, and minus the `low` of one in which the other side is. So each position
//! occurs twice, in two *planes*, and a move leads from one plane to the other.
//!
//! The favoured side gets a threshold or more if it can reach a result as good, or return
//! again and again to positions with enough seeds on its own side (a Büchi condition).
//! Positions are sorted by halving: all whose results lie in some range form an *arena*. A
//! threshold in the middle of the range splits the arena into two. To decide a threshold:
//!
//! 1. positions where the other side can end the game below the threshold are *lost*, and so
//!    are those from which it can force play there;
//! 2. of the rest, positions with enough seeds on the favoured side are *reached*, and so are
//!    those from which the favoured side can force play there, or to a good result;
//! 3. where a position is not reached, the other side can keep away for ever: the position is
//!    lost, too, and so are those from which that side can force play there. Step 2 begins
//!    again. If all positions are reached, the favoured side can return again and again, and
//!    all of them are won.
//!
//! `docs/bounds.md` has the proof.

use std::sync::atomic::{AtomicU64, Ordering};

use super::captures::Captures;
use super::last_resort::LastResortMove;
use super::news::{News, Table};
use super::search::{change_from, for_each_equal};
use super::task::Task;
use super::worker::Worker;

/// The plane in which the favoured side is to move.
pub(super) const FAVOURED: usize = 0;
/// The plane in which the other side is to move.
pub(super) const OTHER: usize = 1;

/// News of a position of a plane.
const NEWS: [News; 2] = [News::First, News::Second];

/// Stands for the result of the best capture where there is none.
const NO_CAPTURE: u8 = u8::MAX;

/// What a worker begins with.
#[derive(Debug)]
pub(super) struct Start {
    /// By plane: the bytes that news changes.
    bytes: [Vec<u8>; 2],
    positions: Positions,
}

/// What a worker knows of its positions, by plane, beside the bytes that news changes.
///
/// Results are counted in steps of two from all seeds lost by the favoured side, because
/// every seed goes to one side or the other: from 0 to the number of seeds.
#[derive(Debug)]
struct Positions {
    /// The result of the best capture, as the favoured side sees it, or [`NO_CAPTURE`].
    captures: [Vec<u8>; 2],
    /// The least result of the arena in which a position is: in the end, its result.
    results: [Vec<u8>; 2],
}

impl Start {
    /// Takes what captures give to the side to move, by plane, as the first pass has found it.
    /// Also finds the moves that are legal only as a last resort.
    pub(super) fn new(pass: &Captures<'_>, captures: [Vec<u8>; 2]) -> (Start, Vec<LastResortMove>) {
        let [mut favoured, mut other] = captures;
        let mut bytes = vec![0; favoured.len()];
        let seeds = pass.seeds as i8;
        let result = |favoured: i8| {
            debug_assert!((seeds + favoured) % 2 == 0, "every seed goes to one side");
            ((seeds + favoured) / 2) as u8
        };
        let last_resorts = pass.finish(&mut favoured, |at, best, children| {
            bytes[at] = begin(children);
            best.map_or(NO_CAPTURE, result)
        });
        // The same moves once more.
        pass.finish(&mut other, |_, best, _| {
            best.map_or(NO_CAPTURE, |best| result(-best))
        });
        let results = || vec![0; bytes.len()];
        let start = Start {
            positions: Positions {
                captures: [favoured, other],
                results: [results(), results()],
            },
            bytes: [bytes.clone(), bytes],
        };
        (start, last_resorts)
    }

    /// Sorts all positions by their results, and returns these by plane. `on_threshold` gets
    /// the number of thresholds that are not decided yet.
    pub(super) fn run(
        self,
        id: usize,
        task: Task<'_>,
        tally: &Tally,
        on_threshold: impl Fn(u8),
    ) -> [Vec<u8>; 2] {
        let mut arenas = vec![(0, task.seeds)];
        let mut left = task.seeds;
        let mut sorting = Sorting {
            worker: Worker::new(id, task, self.bytes.into()),
            positions: self.positions,
            tally,
            not_reached: 0,
        };
        while let Some((least, greatest)) = arenas.pop() {
            if least < greatest {
                on_threshold(left);
                left -= 1;
                let threshold = (least + greatest).div_ceil(2);
                sorting.decide(least, threshold);
                arenas.push((least, threshold - 1));
                arenas.push((threshold, greatest));
            }
        }
        sorting.positions.results
    }
}

/// By result: the high bound of a position in which the favoured side is to move.
pub(super) fn highs(seeds: u8) -> [i8; 256] {
    std::array::from_fn(|result| (2 * result as i32 - i32::from(seeds)) as i8)
}

/// By result: the low bound of a position in which the other side is to move.
pub(super) fn lows(seeds: u8) -> [i8; 256] {
    highs(seeds).map(i8::wrapping_neg)
}

/// The byte of a position while a threshold is decided: its state, how many of its children
/// in the arena are still open (for the favoured side to move: not lost), and how many
/// children there are in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Status {
    state: State,
    left: u8,
    children: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In another arena.
    Elsewhere,
    Open,
    Reached,
    Lost,
}

const STATES: [State; 4] = [State::Elsewhere, State::Open, State::Reached, State::Lost];

impl Status {
    fn byte(self) -> u8 {
        debug_assert!(self.left < 8 && self.children < 8);
        (self.state as u8) << 6 | self.left << 3 | self.children
    }

    fn of(byte: u8) -> Status {
        Status {
            state: STATES[usize::from(byte >> 6)],
            left: byte >> 3 & 7,
            children: byte & 7,
        }
    }

    fn in_arena(self) -> bool {
        self.state != State::Elsewhere
    }
}

/// The byte of a position before anything is decided.
fn begin(children: u8) -> u8 {
    let state = State::Elsewhere;
    let left = 0;
    Status {
        state,
        left,
        children,
    }
    .byte()
}

/// Makes the table of one kind of news; `next` is asked for positions of the arena only.
fn table(next: impl Fn(Status) -> (Status, bool)) -> Table {
    std::array::from_fn(|byte| {
        let status = Status::of(byte as u8);
        if !status.in_arena() {
            return (byte as u8, false);
        }
        let (status, settled) = next(status);
        (status.byte(), settled)
    })
}

fn with(status: Status, state: State) -> Status {
    Status { state, ..status }
}

fn one_less(status: Status) -> Status {
    Status {
        left: status.left.saturating_sub(1),
        ..status
    }
}

/// News of lost positions, by the plane of the child.
fn lost_tables() -> [Table; 2] {
    let alive = |status: Status| matches!(status.state, State::Open | State::Reached);
    let for_other = table(|status| match alive(status) {
        // The other side goes there.
        true => (with(status, State::Lost), true),
        false => (status, false),
    });
    let for_favoured = table(|status| match alive(status) {
        true if status.left <= 1 => (with(one_less(status), State::Lost), true),
        true => (one_less(status), false),
        false => (status, false),
    });
    [for_other, for_favoured]
}

/// News of reached positions, by the plane of the child.
fn reached_tables() -> [Table; 2] {
    let for_other = table(|status| match status.state {
        State::Open if status.left <= 1 => (with(one_less(status), State::Reached), true),
        // What is lost counts on, to know how many children are left in its arena.
        State::Open | State::Lost => (one_less(status), false),
        _ => (status, false),
    });
    let for_favoured = table(|status| match status.state {
        State::Open => (with(status, State::Reached), true),
        _ => (status, false),
    });
    [for_other, for_favoured]
}

/// What all workers count together.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// All positions that were not reached, since the beginning.
    not_reached: AtomicU64,
}

struct Sorting<'a> {
    worker: Worker<'a>,
    positions: Positions,
    tally: &'a Tally,
    /// What the tally said last.
    not_reached: u64,
}

impl Sorting<'_> {
    /// Decides the threshold for the arena whose least result is `least`.
    fn decide(&mut self, least: u8, threshold: u8) {
        let (lost, reached) = (lost_tables(), reached_tables());
        for plane in [FAVOURED, OTHER] {
            self.enter(plane, least, threshold);
        }
        self.worker.settle(&lost);
        loop {
            for plane in [FAVOURED, OTHER] {
                self.reach(plane, threshold);
            }
            self.worker.settle(&reached);
            let found = self.lose_what_is_open(FAVOURED) + self.lose_what_is_open(OTHER);
            self.tally.not_reached.fetch_add(found, Ordering::Relaxed);
            self.worker.settle(&lost);
            // No worker adds anything before all have settled once more.
            let before = self.not_reached;
            self.not_reached = self.tally.not_reached.load(Ordering::Relaxed);
            if self.not_reached == before {
                break;
            }
        }
        for plane in [FAVOURED, OTHER] {
            self.leave(plane, threshold);
        }
    }

    /// Opens the positions of the arena, and finds those that are lost at once.
    fn enter(&mut self, plane: usize, least: u8, threshold: u8) {
        let Positions { captures, results } = &self.positions;
        let (captures, results) = (&captures[plane], &results[plane]);
        self.worker.scan(plane, |piece, bytes, found| {
            let place = piece.start..piece.start + bytes.len();
            let (captures, results) = (&captures[place.clone()], &results[place]);
            for_each_equal(results, least, |at| {
                let at = at as usize;
                let capture = captures[at];
                let children = Status::of(bytes[at]).children;
                let mut status = Status {
                    state: State::Open,
                    left: children,
                    children,
                };
                let lost = if plane == FAVOURED {
                    // A good capture is one move more that cannot be taken away.
                    status.left += u8::from(is_good(capture, threshold));
                    status.left == 0
                } else {
                    capture < threshold
                };
                if lost {
                    status.state = State::Lost;
                    found.push((at as u32, NEWS[plane]));
                }
                bytes[at] = status.byte();
            });
        });
    }

    /// Begins to look for what can be reached: where the favoured side has enough seeds, or
    /// a result that is good enough is certain.
    fn reach(&mut self, plane: usize, threshold: u8) {
        let seeds = self.worker.seeds();
        let captures = &self.positions.captures[plane];
        self.worker.scan(plane, |piece, bytes, found| {
            let favoured_seeds = match plane {
                FAVOURED => piece.own_seeds,
                _ => seeds - piece.own_seeds,
            };
            let enough = favoured_seeds >= threshold;
            let captures = &captures[piece.start..piece.start + bytes.len()];
            for_each_in_arena(bytes, |at, mut status| {
                let good = if plane == FAVOURED {
                    is_good(captures[at], threshold)
                } else {
                    status.left = status.children;
                    status.children == 0
                };
                if status.state != State::Lost {
                    status.state = State::Open;
                    if enough || good {
                        status.state = State::Reached;
                        found.push((at as u32, NEWS[plane]));
                    }
                }
                status
            });
        });
    }

    /// What is still open is lost. Returns the number of these positions.
    fn lose_what_is_open(&mut self, plane: usize) -> u64 {
        let mut count = 0;
        self.worker.scan(plane, |_, bytes, found| {
            for_each_in_arena(bytes, |at, mut status| {
                if status.state == State::Open {
                    status.state = State::Lost;
                    found.push((at as u32, NEWS[plane]));
                    count += 1;
                }
                status
            });
        });
        count
    }

    /// Makes two arenas of the one, each with its own children.
    fn leave(&mut self, plane: usize, threshold: u8) {
        let Positions { captures, results } = &mut self.positions;
        let (captures, results) = (&captures[plane], &mut results[plane]);
        self.worker.scan(plane, |piece, bytes, _| {
            let place = piece.start..piece.start + bytes.len();
            let (captures, results) = (&captures[place.clone()], &mut results[place]);
            for_each_in_arena(bytes, |at, mut status| {
                let won = status.state == State::Reached;
                if won {
                    results[at] = threshold;
                }
                // Of the side that decides, some children may be in the other arena.
                if plane == FAVOURED && won {
                    status.children = status.left - u8::from(is_good(captures[at], threshold));
                } else if plane == OTHER && !won {
                    status.children = status.left;
                }
                with(status, State::Elsewhere)
            });
        });
    }
}

/// Changes the positions of a row that are in the arena.
fn for_each_in_arena(bytes: &mut [u8], mut change: impl FnMut(usize, Status) -> Status) {
    // The state comes first in a byte.
    const IN_ARENA: u8 = (State::Open as u8) << 6;
    change_from(bytes, IN_ARENA, |at, byte| {
        change(at, Status::of(byte)).byte()
    });
}

fn is_good(capture: u8, threshold: u8) -> bool {
    capture != NO_CAPTURE && capture >= threshold
}
