//! Exact bounds where endless play gives each player the seeds on their own side, for any choice of the
//! position of an endless cycle that counts.
//!
//! One side is *favoured*: of the positions that recur for ever, the one counts that is
//! best for that side. The result of the favoured side is the `high` of a position in which
//! it is to move, and minus the `low` of one in which the other side is. So each position
//! occurs twice, in two *planes*, and a move leads from one plane to the other.
//!
//! The favoured side gets a threshold or more if it can reach a result as good, or return
//! again and again to positions with enough seeds on its own side (a Büchi condition).
//! Positions are sorted by halving: all whose results lie in some range form an *interval*. A
//! threshold in the middle of the range splits the interval into two. To decide a threshold:
//!
//! 1. positions where the other side can end the game below the threshold are *lost*, and so
//!    are positions from which it can force play there;
//! 2. of the rest, positions with enough seeds on the favoured side are *reached*, and so are
//!    positions from which the favoured side can force play there, or to a good result;
//! 3. where a position is not reached, the other side can keep away for ever: the position is
//!    lost, too, and so are positions from which that side can force play there. If some of these were
//!    reached, step 2 begins again. If not, the favoured side can return again and again, and all that
//!    are reached are won.
//!
//! `docs/thresholds.md` has the proof.

use std::sync::atomic::{AtomicU64, Ordering};

use super::exchange::Exchange;
use super::scan::Finder;
use super::work::Work;
use crate::bands::results::ResultFiles;
use crate::graph::{Number, PlaneBand};
use crate::known::results::KnownResult;
use crate::known::{
    Effect, Interval, PLANES, Plane, ResultCodes, ResultRow, Results, State, Status, change_where,
    for_each_within, lost_effects, reached_effects,
};
use granero_table::first_error::Stopped;

/// Sorts all positions by their results: splits the intervals until each has one result. `results` has
/// the results by captures alone, or by intervals that were split before. Returns the results of
/// either plane. `on_threshold` gets the intervals that are left before each split, and the results; its
/// first error ends the work.
pub(super) fn run<X: Exchange>(
    work: &Work<'_, X>,
    codes: &ResultCodes,
    mut intervals: Vec<Interval>,
    mut results: Results,
    mut on_threshold: impl FnMut(&[Interval], &Results) -> Result<(), Stopped>,
) -> Result<[Vec<u8>; 2], Stopped> {
    let mut status = vec![0; work.layout.plane_len()];
    while let Some(interval) = next_interval(&mut intervals) {
        on_threshold(&intervals, &results)?;
        decide(|step| {
            let mut sorting = Sorting {
                work,
                codes,
                status: &mut status,
                results: Place::InMemory(&mut results),
                leaving: None,
            };
            let open = sorting.scan(step, interval);
            let settled = sorting.settle(step)?;
            match step {
                Step::Reach | Step::Lose => work.exchange.sum([open, settled]),
                Step::Enter | Step::Reopen | Step::Leave => Ok([open, settled]),
            }
        })?;
        split_last(&mut intervals);
    }
    Ok(results.planes)
}

/// Drops the intervals that need not be split, and returns the last one that is left.
pub(crate) fn next_interval(intervals: &mut Vec<Interval>) -> Option<Interval> {
    intervals.retain(|interval| interval.least < interval.greatest);
    intervals.last().copied()
}

/// Puts its two parts in the place of the last interval.
pub(crate) fn split_last(intervals: &mut Vec<Interval>) {
    let last = intervals.pop();
    intervals.extend(last.into_iter().flat_map(Interval::halves));
}

/// A step of deciding a threshold: a scan, and what follows from the news that it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Opens the positions of the interval, and loses those that are lost at once.
    Enter,
    /// Reaches positions.
    Reach,
    /// Loses all positions that are still open.
    Lose,
    /// Opens the positions that are not lost again.
    Reopen,
    /// Moves the positions of the interval into the two new ones.
    Leave,
}

/// Decides a threshold. `carry_out` takes a step, and returns the number of positions that the scan leaves open,
/// and of those that news has settled after it.
pub(crate) fn decide(
    mut carry_out: impl FnMut(Step) -> Result<[u64; 2], Stopped>,
) -> Result<(), Stopped> {
    carry_out(Step::Enter)?;
    loop {
        let [open, reached] = carry_out(Step::Reach)?;
        debug_assert!(reached <= open);
        if open == reached {
            break;
        }
        // None is open any more, so these were reached.
        let [_, lost] = carry_out(Step::Lose)?;
        if lost == 0 {
            break;
        }
        carry_out(Step::Reopen)?;
    }
    carry_out(Step::Leave).map(|_| ())
}

impl Step {
    /// The effects of the news that the scan finds.
    fn effects(self) -> Option<[Effect; 2]> {
        match self {
            Step::Enter | Step::Lose => Some(lost_effects()),
            Step::Reach => Some(reached_effects()),
            Step::Reopen | Step::Leave => None,
        }
    }
}

/// The positions of a layer or a band that are sorted.
pub(crate) struct Sorting<'a, X> {
    pub(crate) work: &'a Work<'a, X>,
    pub(crate) codes: &'a ResultCodes,
    /// The bytes that news changes, see [`Status`].
    pub(crate) status: &'a mut [u8],
    /// The interval of each position; in the end, its result.
    pub(crate) results: Place<'a>,
    /// The threshold that was decided before, if its positions leave their interval when others enter the next one.
    pub(crate) leaving: Option<u8>,
}

/// The place of results.
pub(crate) enum Place<'a> {
    InMemory(&'a mut Results),
    InFiles(&'a ResultFiles<'a>),
}

/// A part of a row: where it lies, the bytes that news changes, and the results.
struct Part<'p> {
    own_seeds: u8,
    own: Number,
    status: &'p mut [u8],
    results: ResultRow<'p>,
}

impl<X: Exchange> Sorting<'_, X> {
    /// Scans for a step of splitting an interval. Returns the number of positions that are left open.
    pub(crate) fn scan(&mut self, step: Step, interval: Interval) -> u64 {
        let (threshold, leaving) = (interval.threshold(), self.leaving);
        let range = self.codes.of_interval(interval);
        let mut open = 0;
        for plane in PLANES {
            match step {
                Step::Enter => self.scan_rows(plane, |part, finder| {
                    if let Some(before) = leaving {
                        part.leave(plane, before);
                    }
                    part.enter(plane, range, threshold, finder);
                }),
                Step::Reach => open += self.reach(plane, threshold),
                Step::Lose => self.lose_what_is_open(plane),
                Step::Reopen => self.reopen(plane, threshold),
                Step::Leave => self.scan_rows(plane, |part, _| part.leave(plane, threshold)),
            }
        }
        open
    }

    /// Settles what follows from news after a step. Returns the number of positions.
    pub(crate) fn settle(&mut self, step: Step) -> Result<u64, Stopped> {
        let settle = |effects| self.work.settle(self.status, &effects, None);
        step.effects().map_or(Ok(0), settle)
    }

    /// Goes through the rows of a plane.
    fn scan_rows(&mut self, plane: Plane, look: impl Fn(&mut Part<'_>, &mut Finder<'_>) + Sync) {
        let (codes, layout) = (self.codes, self.work.layout);
        type Bands<'b> = (&'b mut [u8], &'b mut [u8], &'b mut [u8]);
        let rows =
            |band: PlaneBand, (status, results, extra): Bands<'_>, finder: &mut Finder<'_>| {
                let status = status.chunks_exact_mut(band.row_len);
                let results = results.chunks_exact_mut(band.row_len);
                let mut rest = extra;
                let mut is_changed = false;
                for ((own, status), bytes) in (band.first..).zip(status).zip(results) {
                    let extra;
                    (extra, rest) = rest.split_at_mut(codes.extra_bytes(band.row_len));
                    let own_seeds = band.own_seeds;
                    let results = ResultRow {
                        codes,
                        plane,
                        bytes,
                        extra,
                        is_changed: false,
                    };
                    let mut part = Part {
                        own_seeds,
                        own,
                        status,
                        results,
                    };
                    look(&mut part, finder);
                    is_changed |= part.results.is_changed;
                }
                is_changed
            };
        let status = layout.bands(self.status);
        match &mut self.results {
            Place::InMemory(Results { planes, extra }) => {
                let results = layout.bands(&mut planes[plane as usize]);
                let extra = layout.split(extra, |band| codes.extra_bytes(band.row_len));
                let bands = status.into_iter().zip(results).zip(extra);
                let bands = bands.map(|(((band, status), (_, results)), extra)| {
                    (band, (status, results, extra))
                });
                self.work.scan(bands.collect(), |band, all, finder| {
                    rows(band, all, finder);
                });
            }
            Place::InFiles(files) => self.work.scan(status, |band, status, finder| {
                files.each_part(plane, band, status, |part, all| rows(part, all, finder));
            }),
        }
    }

    /// Goes through the rows of all positions without their results.
    fn scan_status(&mut self, look: impl Fn((u8, Number), &mut [u8], &mut Finder<'_>) + Sync) {
        let bands = self.work.layout.bands(self.status);
        self.work.scan(bands, |band, status, finder| {
            let rows = (band.first..).zip(status.chunks_exact_mut(band.row_len));
            rows.for_each(|(own, status)| look((band.own_seeds, own), status, finder));
        });
    }

    /// Begins with the positions that are reached at once: they are marked, or the favoured side has enough
    /// seeds. Returns the number of positions that are left open.
    fn reach(&mut self, plane: Plane, threshold: u8) -> u64 {
        let seeds = self.work.layout.seeds();
        let all_open = AtomicU64::new(0);
        self.scan_status(|(own_seeds, own), status, finder| {
            let favoured_seeds = match plane {
                Plane::Favoured => own_seeds,
                Plane::Other => seeds - own_seeds,
            };
            let enough = favoured_seeds >= threshold;
            let mut open = 0;
            for_each_in_interval(status, plane, |at, status| match status.state {
                State::Open if !enough => {
                    open += 1;
                    status
                }
                State::Open | State::Reached => {
                    finder.settled(own_seeds, own, at as Number, plane.news());
                    status.with(State::Reached)
                }
                State::Lost | State::Elsewhere => status,
            });
            all_open.fetch_add(open, Ordering::Relaxed);
        });
        all_open.into_inner()
    }

    /// Makes all open positions lost.
    fn lose_what_is_open(&mut self, plane: Plane) {
        self.scan_status(|(own_seeds, own), status, finder| {
            change_where(status, plane.is_open(), |at, byte| {
                finder.settled(own_seeds, own, at as Number, plane.news());
                Status::of(byte, plane).with(State::Lost).put(byte, plane)
            });
        });
    }

    /// Opens all positions again that are not lost, as [`enter`](Part::enter) does.
    fn reopen(&mut self, plane: Plane, threshold: u8) {
        self.scan_rows(plane, |part, _| {
            for_each_in_interval(part.status, plane, |at, status| {
                let again = begin(plane, part.results.get(at), threshold);
                match (plane, status.state) {
                    // The children that are lost stay so.
                    (Plane::Favoured, State::Lost) => status,
                    (Plane::Favoured, _) => status.with(again.state),
                    (Plane::Other, State::Lost) => again.with(State::Lost),
                    (Plane::Other, _) => again,
                }
            });
        });
    }
}

impl Part<'_> {
    /// Opens the positions of the interval, whose bytes are in a range. Those that are lost at once are news; those
    /// that a good result reaches are marked.
    #[inline(always)]
    fn enter(
        &mut self,
        plane: Plane,
        [least, greatest]: [u8; 2],
        threshold: u8,
        finder: &mut Finder<'_>,
    ) {
        for_each_within(self.results.bytes, least, greatest, |at, _| {
            let status = begin(plane, self.results.get(at), threshold);
            if status.state == State::Lost {
                finder.settled(self.own_seeds, self.own, at as Number, plane.news());
            }
            self.status[at] = status.put(self.status[at], plane);
        });
    }

    /// Moves the positions of the interval into the two new ones, and sets the number of children that
    /// each has in its own.
    #[inline(always)]
    fn leave(&mut self, plane: Plane, threshold: u8) {
        for_each_in_interval(self.status, plane, |at, status| {
            debug_assert!(status.state != State::Open);
            let won = status.state == State::Reached;
            let mut known = self.results.get(at);
            // If the side to move gets what it wants, some children may be in the other interval. If
            // not, all are in the same one, and neither number changes.
            match plane {
                Plane::Favoured if won => {
                    known.children = status.left - u8::from(known.result >= threshold);
                    known.result = threshold.max(known.result);
                    self.results.set(at, known);
                }
                Plane::Other if !won => {
                    known.children = status.left;
                    known.result = (threshold - 1).min(known.result);
                    self.results.set(at, known);
                }
                Plane::Favoured => debug_assert!(known.result < threshold),
                Plane::Other => debug_assert!(known.result >= threshold),
            }
            Status::ELSEWHERE
        });
    }
}

/// The status of a position of the interval before anything is settled: only results count.
#[inline(always)]
fn begin(plane: Plane, known: KnownResult, threshold: u8) -> Status {
    let is_good = known.result >= threshold;
    let (state, left) = match plane {
        // A good capture counts as one more move, which is never lost.
        Plane::Favoured if is_good => (State::Reached, known.children + 1),
        Plane::Favoured if known.children == 0 => (State::Lost, 0),
        Plane::Other if !is_good => (State::Lost, known.children),
        Plane::Other if known.children == 0 => (State::Reached, 0),
        _ => (State::Open, known.children),
    };
    Status { state, left }
}

/// Changes the positions of a row that are in the interval.
#[inline(always)]
fn for_each_in_interval(
    bytes: &mut [u8],
    plane: Plane,
    mut change: impl FnMut(usize, Status) -> Status,
) {
    change_where(bytes, plane.is_in_interval(), |at, byte| {
        change(at, Status::of(byte, plane)).put(byte, plane)
    });
}
