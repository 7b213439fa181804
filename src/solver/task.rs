//! Solving a layer, from what captures give to the values of all positions.

use std::sync::Arc;

use super::assemble::Solved;
use super::bounds::{self, Arena, Plane};
use super::captures::Captures;
use super::codes::Codes;
use super::graph::HalfGraph;
use super::layout::Layout;
use super::progress::Progress;
use super::split;
use super::work::Work;
use crate::measured::{Bound, Measured};
use crate::rows::{MAX_CAPTURED, TurnedLayer};

/// A layer to be solved.
pub(super) struct Task<'a, P> {
    pub(super) graph: &'a HalfGraph,
    pub(super) layout: &'a Layout,
    pub(super) progress: &'a P,
    /// The most seeds lost by captures that bytes may count, see [`Codes::new`].
    pub(super) most_counted: u8,
}

impl<P: Fn(Progress)> Task<'_, P> {
    /// The values of all positions, in index order. `smaller` returns the layers that captures
    /// lead to; it is called in falling order of their seeds.
    pub(super) fn values<E>(
        &self,
        mut smaller: impl FnMut(u8) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Vec<i8>, E> {
        let seeds = self.layout.seeds();
        let codes = Codes::new(self.limit().unsigned_abs(), self.most_counted);

        // One smaller layer at a time, so that no more than one need be in memory.
        let pass = self.captures();
        let mut best = pass.start();
        for captured in 2..=MAX_CAPTURED.min(seeds) {
            (self.progress)(Progress::Captures(captured));
            pass.add(&mut best, captured, &*smaller(seeds - captured)?);
        }
        pass.add_ends(&mut best);
        let code = |best, quiet| codes.open(best, quiet);
        let (last_resorts, listed) = pass.finish(&mut best.plane, code);

        let work = Work::new(self.graph, self.layout, &last_resorts);
        let on_threshold = |threshold| (self.progress)(Progress::Threshold(threshold));
        let plane = split::run(&work, codes, &listed, best.plane, on_threshold);
        drop(work);
        let decode = codes.values();
        let solved = self.solved(&plane, &decode);
        Ok(solved.values(&best.full, solved))
    }

    /// The bounds of all positions. `smaller` returns either bound of the layers that captures lead
    /// to.
    pub(super) fn bounds<E>(
        &self,
        mut smaller: impl FnMut(u8, Bound) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Measured<Vec<i8>>, E> {
        let seeds = self.layout.seeds();
        // For the favoured side to move, what captures give is part of its high bound; for the
        // other side, of its low bound.
        let pass = self.captures();
        let (mut favoured, mut other) = (pass.start(), pass.start());
        for captured in 2..=MAX_CAPTURED.min(seeds) {
            (self.progress)(Progress::Captures(captured));
            for (best, bound) in [(&mut favoured, Bound::High), (&mut other, Bound::Low)] {
                pass.add(
                    best,
                    captured,
                    &*smaller(seeds - captured, bound.of_child())?,
                );
            }
        }
        pass.add_ends(&mut favoured);
        pass.add_ends(&mut other);
        let mut status = favoured.plane.clone();
        let begin = |_, children| (bounds::begin(children), None);
        let (last_resorts, _) = pass.finish(&mut status, begin);
        let all = Arena::all(seeds, self.limit());
        for (best, plane) in [(&mut favoured, Plane::Favoured), (&mut other, Plane::Other)] {
            pass.finish(&mut best.plane, |best, _| {
                (plane.of_captures(all, seeds, best), None)
            });
        }

        let work = Work::new(self.graph, self.layout, &last_resorts);
        let on_threshold = |left| (self.progress)(Progress::Threshold(left));
        let planes = [favoured.plane, other.plane];
        let [high, low] = bounds::run(&work, all, planes, status, on_threshold);
        drop(work);
        let (highs, lows) = (bounds::highs(seeds), bounds::lows(seeds));
        let (high, low) = (self.solved(&high, &highs), self.solved(&low, &lows));
        Ok(Measured::Bounds {
            low: low.values(&other.full, high),
            high: high.values(&favoured.full, low),
        })
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

    fn solved<'s>(&'s self, plane: &'s [u8], decode: &'s [i8; 256]) -> Solved<'s> {
        Solved {
            graph: self.graph,
            layout: self.layout,
            plane,
            decode,
        }
    }
}
