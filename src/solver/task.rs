//! Solving a layer, from what captures give to what all positions are worth.

use std::sync::Arc;

use super::bounds::{self, Arena, Plane};
use super::captures::{Best, Captures};
use super::codes::Codes;
use super::graph::HalfGraph;
use super::layout::Layout;
use super::progress::Progress;
use super::solved::Solved;
use super::split;
use super::work::Work;
use crate::measured::Bound;
use crate::rows::{TurnedLayer, each_smaller};

/// A layer to be solved.
pub(super) struct Task<'a, P> {
    pub(super) graph: &'a HalfGraph,
    pub(super) layout: &'a Layout,
    pub(super) progress: &'a P,
    /// The most seeds lost by captures that bytes may count, see [`Codes::new`].
    pub(super) most_counted: u8,
}

impl<P: Fn(Progress)> Task<'_, P> {
    /// The values of all positions. `smaller` returns the parts of the layers that captures lead to,
    /// see [`each_smaller`].
    pub(super) fn values<E>(
        self,
        smaller: impl FnMut(u8, u8) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<Solved, E> {
        let codes = Codes::new(self.limit().unsigned_abs(), self.most_counted);
        let pass = self.captures();
        let mut best = pass.start();
        self.add_captures(&mut best, smaller)?;
        let code = |best, quiet| codes.open(best, quiet);
        let (last_resorts, listed) = pass.finish(&mut best.plane, code);

        let work = Work::new(self.graph, self.layout, &last_resorts);
        let on_threshold = |threshold| (self.progress)(Progress::Threshold(threshold));
        Ok(Solved {
            plane: split::run(&work, codes, &listed, best.plane, on_threshold),
            full: best.full,
            decode: codes.values(),
        })
    }

    /// The low and the high bounds of all positions. `smaller` returns the parts of the layers that
    /// captures lead to.
    pub(super) fn bounds<E>(
        self,
        mut smaller: impl FnMut(u8, Bound, u8) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<(Solved, Solved), E> {
        let seeds = self.layout.seeds();
        // For the favoured side to move, what captures give is part of its high bound; for the
        // other side, of its low bound.
        let pass = self.captures();
        let (mut favoured, mut other) = (pass.start(), pass.start());
        for (best, bound) in [(&mut favoured, Bound::High), (&mut other, Bound::Low)] {
            self.add_captures(best, |seeds, from| smaller(seeds, bound.of_child(), from))?;
        }
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
        let low = Solved {
            plane: low,
            full: other.full,
            decode: bounds::lows(seeds),
        };
        let high = Solved {
            plane: high,
            full: favoured.full,
            decode: bounds::highs(seeds),
        };
        Ok((low, high))
    }

    fn add_captures<E>(
        &self,
        best: &mut Best,
        mut smaller: impl FnMut(u8, u8) -> Result<Arc<TurnedLayer>, E>,
    ) -> Result<(), E> {
        let (layer, pass) = (self.layout.layer(), self.captures());
        let smaller = |seeds, from| {
            (self.progress)(Progress::Captures(layer.seeds() - seeds));
            smaller(seeds, from)
        };
        each_smaller(layer, smaller, |captured, part| {
            pass.add(best, captured, part);
        })?;
        pass.add_ends(best);
        Ok(())
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
