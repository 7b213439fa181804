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

use super::layout::Band;
use super::news::{News, Table};
use super::numbering::Number;
use super::post::Post;
use super::scan::Finder;
use super::search::{change_from, for_each_within};
use super::work::Work;

/// Which side is to move: each position occurs in two planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    /// The favoured side.
    Favoured = 0,
    /// The other side.
    Other = 1,
}

const PLANES: [Plane; 2] = [Plane::Favoured, Plane::Other];

impl Plane {
    /// News of its positions.
    fn news(self) -> News {
        match self {
            Plane::Favoured => News::First,
            Plane::Other => News::Second,
        }
    }

    /// What is known of a position by its captures alone, given what the best is worth to the
    /// side to move.
    ///
    /// The byte is the least that the favoured side gets if it is to move, and the most if the
    /// other side is.
    pub(super) fn of_captures(self, all: Arena, seeds: u8, best: Option<i8>) -> u8 {
        match self {
            Plane::Favoured => best.map_or(all.least, |best| result(seeds, best)),
            Plane::Other => best.map_or(all.greatest, |best| result(seeds, -best)),
        }
    }
}

/// The byte of what the favoured side gets. Results are counted in steps of two from all seeds lost
/// by the favoured side, because every seed goes to one side or the other.
fn result(seeds: u8, favoured: i8) -> u8 {
    let sum = seeds as i8 + favoured;
    debug_assert!(sum % 2 == 0, "every seed goes to one side");
    (sum / 2) as u8
}

/// Sorts all positions by their results: splits the arenas until each has one result. `results` holds
/// for either plane what is known by captures alone, or by arenas that were split before, and becomes
/// the results; `status` holds the bytes that news changes, see [`begin`]. `on_threshold` gets what is
/// left before each split: the arenas, and the bytes of both planes; its first error ends the work.
pub(super) fn run<P: Post>(
    work: &Work<'_, P>,
    mut arenas: Vec<Arena>,
    results: [Vec<u8>; 2],
    status: [Vec<u8>; 2],
    mut on_threshold: impl FnMut(&[Arena], [&[u8]; 4]) -> Result<(), P::Error>,
) -> Result<[Vec<u8>; 2], P::Error> {
    let mut sorting = Sorting {
        work,
        status,
        results,
    };
    loop {
        arenas.retain(|arena| arena.least < arena.greatest);
        let Some(&arena) = arenas.last() else { break };
        let Sorting {
            results: [first, second],
            status: [first_status, second_status],
            ..
        } = &sorting;
        on_threshold(&arenas, [first, second, first_status, second_status])?;
        arenas.pop();
        arenas.extend(sorting.split(arena)?);
    }
    Ok(sorting.results)
}

/// The positions whose results lie in a range.
///
/// For a position, its byte among the results says which arena it is in, and what its captures
/// give as far as that matters: a capture worth less than the least result of the arena (more
/// than the greatest, where the other side is to move) might as well be worth that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arena {
    least: u8,
    greatest: u8,
}

impl Arena {
    /// All positions of a layer: results go up to `limit` either way.
    pub(super) fn all(seeds: u8, limit: i8) -> Arena {
        Arena {
            least: result(seeds, -limit),
            greatest: result(seeds, limit),
        }
    }

    /// The thresholds in the range that are not decided yet.
    pub(super) fn thresholds(self) -> u8 {
        self.greatest - self.least
    }

    /// Whether all results here are below those of another arena.
    pub(super) fn is_below(self, other: Arena) -> bool {
        self.greatest < other.least
    }

    pub(super) fn to_bytes(self) -> [u8; 2] {
        [self.least, self.greatest]
    }

    /// `None` if no part of `all` has these bytes.
    pub(super) fn from_bytes([least, greatest]: [u8; 2], all: Arena) -> Option<Arena> {
        let is_possible = all.least <= least && least <= greatest && greatest <= all.greatest;
        is_possible.then_some(Arena { least, greatest })
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
pub(super) fn begin(children: u8) -> u8 {
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

struct Sorting<'a, P> {
    work: &'a Work<'a, P>,
    /// By plane: the bytes that news changes.
    status: [Vec<u8>; 2],
    /// By plane: in which arena a position is, see [`Arena`]; in the end, its result.
    results: [Vec<u8>; 2],
}

/// A part of a row: where it lies, the bytes that news changes, and the results.
struct Part<'p> {
    own_seeds: u8,
    own: Number,
    status: &'p mut [u8],
    results: &'p mut [u8],
}

impl<P: Post> Sorting<'_, P> {
    /// Splits an arena into two.
    fn split(&mut self, arena: Arena) -> Result<[Arena; 2], P::Error> {
        let Arena { least, greatest } = arena;
        let threshold = (least + greatest).div_ceil(2);
        let (lost, reached) = (lost_tables(), reached_tables());
        for plane in PLANES {
            self.enter(plane, arena, threshold);
        }
        self.work.settle(&mut self.status, &lost, None)?;
        loop {
            for plane in PLANES {
                self.reach(plane, threshold);
            }
            self.work.settle(&mut self.status, &reached, None)?;
            let not_reached = PLANES.map(|plane| self.lose_what_is_open(plane));
            self.work.settle(&mut self.status, &lost, None)?;
            if self.work.post.sum(not_reached)? == [0, 0] {
                break;
            }
        }
        for plane in PLANES {
            self.leave(plane, threshold);
        }
        let (below, above) = (threshold - 1, threshold);
        Ok([
            Arena {
                least,
                greatest: below,
            },
            Arena {
                least: above,
                greatest,
            },
        ])
    }

    /// Goes through the rows of a plane.
    fn scan(&mut self, plane: Plane, look: impl Fn(Part<'_>, &mut Finder<'_>) + Sync) {
        let layout = self.work.layout;
        let status = layout.bands(&mut self.status[plane as usize]);
        let results = layout.bands(&mut self.results[plane as usize]);
        let bands = status.into_iter().zip(results);
        let bands = bands.map(|((band, status), (_, results))| (band, (status, results)));
        let rows =
            |band: Band, (status, results): (&mut [u8], &mut [u8]), finder: &mut Finder<'_>| {
                let status = status.chunks_exact_mut(band.row_len);
                let results = results.chunks_exact_mut(band.row_len);
                for ((own, status), results) in (band.first..).zip(status).zip(results) {
                    let own_seeds = band.own_seeds;
                    look(
                        Part {
                            own_seeds,
                            own,
                            status,
                            results,
                        },
                        finder,
                    );
                }
            };
        self.work.scan(bands.collect(), rows);
    }

    /// Opens the positions of the arena, and finds those that are lost at once.
    fn enter(&mut self, plane: Plane, arena: Arena, threshold: u8) {
        self.scan(plane, |part, finder| {
            for_each_within(part.results, arena.least, arena.greatest, |at, capture| {
                let children = Status::of(part.status[at]).children;
                let mut status = Status {
                    state: State::Open,
                    left: children,
                    children,
                };
                let lost = match plane {
                    Plane::Favoured => {
                        // A good capture is one move more that cannot be taken away.
                        status.left += u8::from(capture >= threshold);
                        status.left == 0
                    }
                    Plane::Other => capture < threshold,
                };
                if lost {
                    status.state = State::Lost;
                    finder.settled(part.own_seeds, part.own, at as Number, plane.news());
                }
                part.status[at] = status.byte();
            });
        });
    }

    /// Begins to look for what can be reached: where the favoured side has enough seeds, or
    /// a result that is good enough is certain.
    fn reach(&mut self, plane: Plane, threshold: u8) {
        let seeds = self.work.layout.seeds();
        self.scan(plane, |part, finder| {
            let favoured_seeds = match plane {
                Plane::Favoured => part.own_seeds,
                Plane::Other => seeds - part.own_seeds,
            };
            let enough = favoured_seeds >= threshold;
            for_each_in_arena(part.status, |at, mut status| {
                let good = match plane {
                    Plane::Favoured => part.results[at] >= threshold,
                    Plane::Other => {
                        status.left = status.children;
                        status.children == 0
                    }
                };
                if status.state != State::Lost {
                    status.state = State::Open;
                    if enough || good {
                        status.state = State::Reached;
                        finder.settled(part.own_seeds, part.own, at as Number, plane.news());
                    }
                }
                status
            });
        });
    }

    /// What is still open is lost. Returns the number of these positions.
    fn lose_what_is_open(&mut self, plane: Plane) -> u64 {
        let lost = AtomicU64::new(0);
        self.scan(plane, |part, finder| {
            let mut count = 0;
            for_each_in_arena(part.status, |at, mut status| {
                if status.state == State::Open {
                    status.state = State::Lost;
                    finder.settled(part.own_seeds, part.own, at as Number, plane.news());
                    count += 1;
                }
                status
            });
            lost.fetch_add(count, Ordering::Relaxed);
        });
        lost.into_inner()
    }

    /// Makes two arenas of the one, each with its own children.
    fn leave(&mut self, plane: Plane, threshold: u8) {
        self.scan(plane, |part, _| {
            for_each_in_arena(part.status, |at, mut status| {
                let won = status.state == State::Reached;
                let result = &mut part.results[at];
                // Of the side that decides, some children may be in the other arena.
                match plane {
                    Plane::Favoured if won => {
                        status.children = status.left - u8::from(*result >= threshold);
                        *result = threshold.max(*result);
                    }
                    Plane::Other if !won => {
                        status.children = status.left;
                        *result = (threshold - 1).min(*result);
                    }
                    Plane::Favoured => debug_assert!(*result < threshold),
                    Plane::Other => debug_assert!(*result >= threshold),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settled_byte_changes() {
        for table in lost_tables().iter().chain(&reached_tables()) {
            let changes = |(byte, &(next, settled)): (u8, &(u8, bool))| !settled || next != byte;
            assert!((0..=255).zip(table).all(changes));
        }
    }
}
