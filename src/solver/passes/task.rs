//! Solving a layer, from captures to the values of all positions.

use std::sync::Arc;

use super::captures::Captures;
use super::exchange::Exchange;
use super::progress::Progress;
use super::solved::{Plane as SolvedPlane, Solved};
use super::work::{Work, WorkMemory};
use super::{bounds, split};
use crate::checkpoint::{Checkpoints, Lists, Resumed, Shape, Snapshot, Wanted};
use crate::graph::{BySeeds, HalfGraph, Layout, Width};
use crate::known::{Cells, Half, Interval, Plane, ResultCodes, Results, ValueCodes, Whole};
use crate::tuning::Tuning;
use granero_game::Bound;
use granero_table::first_error::Stopped;
use granero_table::rows::{Reach, TurnedLayer};

/// Returns parts of the layers that captures lead to, given the seeds, the bound and where the part
/// begins.
pub(crate) type SmallerParts<'a> =
    dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, Stopped> + 'a;

/// A layer to be solved: all that the solver is given for it. [`Work`] is the later part, in which
/// thresholds are decided.
pub(crate) struct Task<'a, X> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) layout: &'a Layout,
    /// Its first error ends the work.
    pub(crate) progress: &'a dyn Fn(Progress) -> Result<(), Stopped>,
    pub(crate) checkpoints: &'a mut dyn Checkpoints,
    pub(crate) exchange: &'a X,
    pub(crate) tuning: &'a Tuning,
}

/// The number of the extra bits among the parts of a checkpoint with bounds.
pub(crate) const EXTRA: usize = 2;

/// The content of a checkpoint: the work that is left, the lists, and the parts.
type GoesOn<T, const PARTS: usize> = (T, Lists, [Vec<u8>; PARTS]);

impl<'a, X: Exchange> Task<'a, X> {
    /// Solves a layer with values.
    pub(crate) fn values(self, smaller: &mut SmallerParts<'_>) -> Result<Solved, Stopped> {
        match self.layout.width() {
            Width::Byte => self.values_in::<Whole>(smaller),
            Width::Half => self.values_in::<Half>(smaller),
        }
    }

    fn values_in<C: Cells>(mut self, smaller: &mut SmallerParts<'_>) -> Result<Solved, Stopped> {
        let limit = self.limit().unsigned_abs();
        let codes = ValueCodes::new(limit, self.tuning.most_counted);
        let accept = |left: &[u8]| match *left {
            [first] if first <= limit => Some(first),
            _ => None,
        };
        // The part of a checkpoint with values.
        let shape = Shape(vec![self.plane()]);
        let (first, lists, [plane]) = match self.resume(&shape, accept)? {
            Some(resumed) => resumed,
            None => {
                let (lists, plane) = self.before_values::<C>(codes, smaller)?;
                (limit, lists, [plane])
            }
        };
        self.exchange.begin(&lists.last_resorts)?;
        let memory = self.memory();
        let work = self.work(&lists, &memory);
        let on_threshold = |threshold, plane: &[u8]| {
            self.checkpoints.keep(&Snapshot {
                layout: self.layout,
                shape: &shape,
                left: &[threshold],
                lists: &lists,
                parts: &[plane],
            })?;
            (self.progress)(Progress::Threshold(threshold))
        };
        let plane = split::run::<C, _>(
            &work,
            codes,
            &lists.large_losses,
            plane,
            first,
            on_threshold,
        )?;
        Ok(Solved {
            plane: SolvedPlane::InMemory(plane),
            decode: codes.values(),
        })
    }

    /// Solves a layer with bounds; returns the low and the high ones.
    pub(crate) fn bounds(
        mut self,
        smaller: &mut SmallerParts<'_>,
    ) -> Result<(Solved, Solved), Stopped> {
        let seeds = self.layout.seeds();
        let all = Interval::all(seeds, self.limit());
        let codes = ResultCodes::new(all, self.tuning.most_counted);
        let accept = |left: &[u8]| Interval::list_from_bytes(left, all);
        // The parts of a checkpoint with bounds: the planes, and the extra bits.
        let extra = self.by_seeds(|own| codes.extra_bytes(self.layout.row_len(own)));
        let shape = Shape(vec![self.plane(), self.plane(), extra]);
        let (intervals, lists, [favoured, other, extra]) = match self.resume(&shape, accept)? {
            Some(resumed) => resumed,
            None => {
                let mut parts = [const { Vec::new() }; 3];
                let lists = self.before_bounds(&codes, smaller, |part, bytes| {
                    parts[part] = bytes;
                    Ok(())
                })?;
                (vec![all], lists, parts)
            }
        };
        let planes = [favoured, other];
        let results = Results { planes, extra };
        self.exchange.begin(&lists.last_resorts)?;
        let memory = self.memory();
        let work = self.work(&lists, &memory);
        let on_threshold = |intervals: &[Interval], results: &Results| {
            let [favoured, other] = &results.planes;
            self.checkpoints.keep(&Snapshot {
                layout: self.layout,
                shape: &shape,
                left: &Interval::list_to_bytes(intervals),
                lists: &lists,
                parts: &[favoured, other, &results.extra],
            })?;
            let left = intervals.iter().map(|interval| interval.thresholds()).sum();
            (self.progress)(Progress::Threshold(left))
        };
        let [high, low] = bounds::run(&work, &codes, intervals, results, on_threshold)?;
        let solved = |plane, decode| Solved {
            plane: SolvedPlane::InMemory(plane),
            decode,
        };
        let low = solved(low, codes.lows(seeds));
        Ok((low, solved(high, codes.highs(seeds))))
    }

    /// The later part, given the lists.
    fn work<'w>(&self, lists: &'w Lists, memory: &'w WorkMemory) -> Work<'w, X>
    where
        'a: 'w,
    {
        Work {
            graph: self.graph,
            layout: self.layout,
            last_resorts: &lists.last_resorts,
            exchange: self.exchange,
            memory,
        }
    }

    fn memory(&self) -> WorkMemory {
        let (layer, words) = (self.layout.layer(), self.layout.news_words());
        WorkMemory::new(self.graph, layer, words, self.tuning)
    }

    /// Looks captures up, and returns the state after that: the lists and the plane.
    pub(crate) fn before_values<C: Cells>(
        &self,
        codes: ValueCodes,
        smaller: &mut SmallerParts<'_>,
    ) -> Result<(Lists, Vec<u8>), Stopped> {
        let mut plane = self.best_captures::<C>(Bound::Low, smaller)?;
        let code = |best, quiet| codes.open(best, quiet);
        let (last_resorts, large_losses) = self.captures().finish::<C>(&mut plane, code);
        let lists = Lists {
            last_resorts,
            large_losses,
        };
        Ok((lists, plane))
    }

    /// Looks captures up, and returns the lists after that. `keep` gets the planes of results and the extra bits: the
    /// parts of a checkpoint, by number.
    pub(crate) fn before_bounds(
        &self,
        codes: &ResultCodes,
        smaller: &mut SmallerParts<'_>,
        mut keep: impl FnMut(usize, Vec<u8>) -> Result<(), Stopped>,
    ) -> Result<Lists, Stopped> {
        let seeds = self.layout.seeds();
        // With the favoured side to move, captures are part of its high bound; with the other side, of
        // its low bound.
        let pass = self.captures();
        let begin = |plane, best: &mut [u8]| {
            pass.finish::<Whole>(best, |best, children| {
                (codes.begin(plane, seeds, best, children), None)
            })
        };
        // Either side may be favoured: the moves of last resort are the same.
        let mut other = self.best_captures::<Whole>(Bound::Low.of_child(), smaller)?;
        begin(Plane::Other, &mut other);
        keep(Plane::Other as usize, other)?;
        let mut favoured = self.best_captures::<Whole>(Bound::High.of_child(), smaller)?;
        if !codes.count_all() {
            let mut children = favoured.clone();
            // Only the bytes are wanted: they become the numbers of children.
            pass.finish::<Whole>(&mut children, |_, quiet| (quiet, None));
            keep(EXTRA, codes.extra_bits(self.layout, &mut children))?;
        }
        let (last_resorts, large_losses) = begin(Plane::Favoured, &mut favoured);
        keep(Plane::Favoured as usize, favoured)?;
        Ok(Lists {
            last_resorts,
            large_losses,
        })
    }

    /// Reads the checkpoint of this layer, if there is one; `accept` reads the work that is left.
    fn resume<T, const PARTS: usize>(
        &mut self,
        shape: &Shape,
        accept: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Option<GoesOn<T, PARTS>>, Stopped> {
        let wanted = Wanted {
            graph: self.graph,
            layout: self.layout,
            shape,
            accept: &|left| accept(left).is_some(),
        };
        let resumed = self.checkpoints.resume(&wanted)?;
        Ok(resumed.and_then(|Resumed { left, lists, parts }| {
            Some((accept(&left)?, lists, parts.try_into().ok()?))
        }))
    }

    fn plane(&self) -> BySeeds {
        self.by_seeds(|own_seeds| self.layout.row_bytes(own_seeds))
    }

    fn by_seeds(&self, row_len: impl Fn(u8) -> usize) -> BySeeds {
        BySeeds::of(self.layout.matrices().map(row_len))
    }

    /// The best results of captures in a plane.
    fn best_captures<C: Cells>(
        &self,
        of_child: Bound,
        smaller: &mut SmallerParts<'_>,
    ) -> Result<Vec<u8>, Stopped> {
        let smaller = |seeds, from| {
            (self.progress)(Progress::Captures(self.layout.seeds() - seeds))?;
            smaller(seeds, of_child, from)
        };
        let pass = self.captures();
        pass.best::<C>(Reach::Reachable, self.layout.matrices(), smaller)
    }

    /// The largest value of the layer.
    fn limit(&self) -> i8 {
        self.graph.rows.limits().of(self.layout.seeds())
    }

    fn captures(&self) -> Captures<'_> {
        Captures {
            graph: self.graph,
            layout: self.layout,
        }
    }
}
