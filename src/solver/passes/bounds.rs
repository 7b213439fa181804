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
//!    lost, too, and so are positions from which that side can force play there. Step 2 begins
//!    again. If all positions are reached, the favoured side can return again and again, and
//!    all of them are won.
//!
//! `docs/bounds.md` has the proof.

use std::sync::atomic::{AtomicU64, Ordering};

use super::exchange::Exchange;
use super::scan::Finder;
use super::work::Work;
use crate::graph::{Number, PlaneBand};
use crate::known::{
    Interval, PLANES, Plane, ResultCodes, ResultRow, Results, State, Status, change_where,
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
    results: Results,
    mut on_threshold: impl FnMut(&[Interval], &Results) -> Result<(), Stopped>,
) -> Result<[Vec<u8>; 2], Stopped> {
    let mut sorting = Sorting {
        work,
        codes,
        status: vec![0; work.layout.plane_len()],
        results,
    };
    loop {
        intervals.retain(|interval| interval.least < interval.greatest);
        let Some(&interval) = intervals.last() else {
            break;
        };
        on_threshold(&intervals, &sorting.results)?;
        intervals.pop();
        intervals.extend(sorting.split(interval)?);
    }
    Ok(sorting.results.planes)
}

struct Sorting<'a, X> {
    work: &'a Work<'a, X>,
    codes: &'a ResultCodes,
    /// The bytes that news changes, see [`Status`].
    status: Vec<u8>,
    /// The interval of each position; in the end, its result.
    results: Results,
}

/// A part of a row: where it lies, the bytes that news changes, and the results.
struct Part<'p> {
    own_seeds: u8,
    own: Number,
    status: &'p mut [u8],
    results: ResultRow<'p>,
}

impl<X: Exchange> Sorting<'_, X> {
    /// Splits an interval into two.
    fn split(&mut self, interval: Interval) -> Result<[Interval; 2], Stopped> {
        let threshold = (interval.least + interval.greatest).div_ceil(2);
        let (lost, reached) = (lost_effects(), reached_effects());
        for plane in PLANES {
            self.enter(plane, interval, threshold);
        }
        self.work.settle(&mut self.status, &lost, None)?;
        loop {
            for plane in PLANES {
                self.reach(plane, threshold);
            }
            self.work.settle(&mut self.status, &reached, None)?;
            let not_reached = PLANES.map(|plane| self.lose_what_is_open(plane));
            self.work.settle(&mut self.status, &lost, None)?;
            if self.work.exchange.sum(not_reached)? == [0, 0] {
                break;
            }
        }
        for plane in PLANES {
            self.leave(plane, threshold);
        }
        let below = Interval {
            greatest: threshold - 1,
            ..interval
        };
        let above = Interval {
            least: threshold,
            ..interval
        };
        Ok([below, above])
    }

    /// Goes through the rows of a plane.
    fn scan(&mut self, plane: Plane, look: impl Fn(Part<'_>, &mut Finder<'_>) + Sync) {
        let (codes, layout) = (self.codes, self.work.layout);
        let Results { planes, extra } = &mut self.results;
        let status = layout.bands(&mut self.status);
        let results = layout.bands(&mut planes[plane as usize]);
        let extra = layout.split(extra, |band| codes.extra_bytes(band.row_len));
        let bands = status.into_iter().zip(results).zip(extra);
        let bands =
            bands.map(|(((band, status), (_, results)), extra)| (band, (status, results, extra)));
        type Bands<'b> = (&'b mut [u8], &'b mut [u8], &'b mut [u8]);
        let rows =
            |band: PlaneBand, (status, results, extra): Bands<'_>, finder: &mut Finder<'_>| {
                let status = status.chunks_exact_mut(band.row_len);
                let results = results.chunks_exact_mut(band.row_len);
                let mut rest = extra;
                for ((own, status), bytes) in (band.first..).zip(status).zip(results) {
                    let extra;
                    (extra, rest) = rest.split_at_mut(codes.extra_bytes(band.row_len));
                    let part = Part {
                        own_seeds: band.own_seeds,
                        own,
                        status,
                        results: ResultRow {
                            codes,
                            plane,
                            bytes,
                            extra,
                        },
                    };
                    look(part, finder);
                }
            };
        self.work.scan(bands.collect(), rows);
    }

    /// Opens the positions of the interval, and finds those that are lost at once.
    fn enter(&mut self, plane: Plane, interval: Interval, threshold: u8) {
        let [least, greatest] = self.codes.of_interval(interval);
        self.scan(plane, |part, finder| {
            for_each_within(part.results.bytes, least, greatest, |at, _| {
                let known = part.results.get(at);
                let is_good = known.result >= threshold;
                // A good capture counts as one more move, which is never lost. Where the other side is
                // to move, the number of moves does not matter yet: `reach` sets it.
                let (left, is_lost) = match plane {
                    Plane::Favoured => {
                        let left = known.children + u8::from(is_good);
                        (left, left == 0)
                    }
                    Plane::Other => (1, !is_good),
                };
                let state = if is_lost { State::Lost } else { State::Open };
                if is_lost {
                    finder.settled(part.own_seeds, part.own, at as Number, plane.news());
                }
                part.status[at] = Status { state, left }.put(part.status[at], plane);
            });
        });
    }

    /// Begins with the positions that are reached at once: the favoured side has enough seeds, or a
    /// result that is good enough is certain.
    fn reach(&mut self, plane: Plane, threshold: u8) {
        let seeds = self.work.layout.seeds();
        self.scan(plane, |part, finder| {
            let favoured_seeds = match plane {
                Plane::Favoured => part.own_seeds,
                Plane::Other => seeds - part.own_seeds,
            };
            let enough = favoured_seeds >= threshold;
            for_each_in_interval(part.status, plane, |at, mut status| {
                let known = part.results.get(at);
                let good = match plane {
                    Plane::Favoured => known.result >= threshold,
                    Plane::Other => {
                        status.left = known.children;
                        known.children == 0
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

    /// Makes all open positions lost. Returns their number.
    fn lose_what_is_open(&mut self, plane: Plane) -> u64 {
        let lost = AtomicU64::new(0);
        self.scan(plane, |part, finder| {
            let mut count = 0;
            change_where(part.status, plane.is_open(), |at, byte| {
                finder.settled(part.own_seeds, part.own, at as Number, plane.news());
                count += 1;
                Status::of(byte, plane).with(State::Lost).put(byte, plane)
            });
            lost.fetch_add(count, Ordering::Relaxed);
        });
        lost.into_inner()
    }

    /// Moves the positions of the interval into the two new ones, and sets the number of children that
    /// each has in its own.
    fn leave(&mut self, plane: Plane, threshold: u8) {
        self.scan(plane, |mut part, _| {
            for_each_in_interval(part.status, plane, |at, status| {
                let won = status.state == State::Reached;
                let mut known = part.results.get(at);
                // If the side to move gets what it wants, some children may be in the other interval. If
                // not, all are in the same one, and neither number changes.
                match plane {
                    Plane::Favoured if won => {
                        known.children = status.left - u8::from(known.result >= threshold);
                        known.result = threshold.max(known.result);
                        part.results.set(at, known);
                    }
                    Plane::Other if !won => {
                        known.children = status.left;
                        known.result = (threshold - 1).min(known.result);
                        part.results.set(at, known);
                    }
                    Plane::Favoured => debug_assert!(known.result < threshold),
                    Plane::Other => debug_assert!(known.result >= threshold),
                }
                Status::ELSEWHERE
            });
        });
    }
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
