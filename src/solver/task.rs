//! Solving a layer, from what captures give to what all positions are worth.

use std::sync::Arc;

use super::bounds::{self, Arena, Plane};
use super::captures::{Best, Captures};
use super::checkpoint::{Checkpoints, Lists};
use super::codes::Codes;
use super::graph::HalfGraph;
use super::layout::Layout;
use super::post::Post;
use super::progress::Progress;
use super::solved::Solved;
use super::split;
use super::work::Work;
use crate::measured::Bound;
use crate::rows::{TurnedLayer, each_smaller};

/// A layer to be solved.
pub(super) struct Task<'a, E> {
    pub(super) graph: &'a HalfGraph,
    pub(super) layout: &'a Layout,
    /// Its first error ends the work.
    pub(super) progress: &'a dyn Fn(Progress) -> Result<(), E>,
    pub(super) checkpoints: &'a mut dyn Checkpoints,
    /// The most seeds lost by captures that bytes may count, see [`Codes::new`].
    pub(super) most_counted: u8,
}

/// What is known of a layer before any threshold is decided.
pub(super) struct BegunValues {
    codes: Codes,
    /// The threshold to begin with.
    first: u8,
    pub(super) lists: Lists,
    best: Best,
}

/// The same where positions have bounds.
pub(super) struct BegunBounds {
    arenas: Vec<Arena>,
    pub(super) lists: Lists,
    /// See [`Task::bounds`].
    bytes: [Vec<u8>; 6],
}

impl<E> Task<'_, E> {
    /// What is known of all positions before any threshold is decided, or was when a checkpoint was
    /// kept. `smaller` returns the parts of the layers that captures lead to, see [`each_smaller`].
    pub(super) fn begin_values<X: From<E>>(
        &mut self,
        smaller: &mut dyn FnMut(u8, usize) -> Result<Arc<TurnedLayer>, X>,
    ) -> Result<BegunValues, X> {
        let limit = self.limit().unsigned_abs();
        let codes = Codes::new(limit, self.most_counted);
        let (first, lists, best) = match self.resume(1, |left| match *left {
            [first] if first <= limit => Some(first),
            _ => None,
        }) {
            Some((first, lists, bytes)) => {
                let [plane, full] = bytes;
                (first, lists, Best { plane, full })
            }
            None => {
                let pass = self.captures();
                let mut best = pass.start();
                self.add_captures(&mut best, smaller)?;
                let code = |best, quiet| codes.open(best, quiet);
                let (last_resorts, listed) = pass.finish(&mut best.plane, code);
                let lists = Lists {
                    last_resorts,
                    listed,
                };
                (limit, lists, best)
            }
        };
        Ok(BegunValues {
            codes,
            first,
            lists,
            best,
        })
    }

    /// The values of all positions.
    pub(super) fn values(
        self,
        begun: BegunValues,
        post: &impl Post<Error = E>,
    ) -> Result<Solved, E> {
        let BegunValues {
            codes,
            first,
            lists,
            best: Best { plane, full },
        } = begun;
        let Task {
            progress,
            checkpoints,
            ..
        } = self;
        let work = Work::new(self.graph, self.layout, &lists.last_resorts, post);
        let on_threshold = |threshold, plane: &[u8]| {
            if checkpoints.is_due() {
                checkpoints.keep(&lists.to_bytes(&[threshold]), &[plane, &full]);
            }
            progress(Progress::Threshold(threshold))
        };
        let plane = split::run(&work, codes, &lists.listed, plane, first, on_threshold)?;
        Ok(Solved {
            plane,
            full,
            decode: codes.values(),
        })
    }

    /// The same for bounds.
    pub(super) fn begin_bounds<X: From<E>>(
        &mut self,
        smaller: &mut dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, X>,
    ) -> Result<BegunBounds, X> {
        let seeds = self.layout.seeds();
        let all = Arena::all(seeds, self.limit());
        let arenas = |left: &[u8]| {
            let (arenas, []) = left.as_chunks() else {
                return None;
            };
            let arenas = arenas.iter().map(|&arena| Arena::from_bytes(arena, all));
            let arenas: Vec<Arena> = arenas.collect::<Option<_>>()?;
            arenas.is_sorted_by(|a, b| a.is_below(*b)).then_some(arenas)
        };
        let (arenas, lists, bytes) = match self.resume(4, arenas) {
            Some(known) => known,
            None => {
                let (lists, bytes) = self.before_bounds(all, smaller)?;
                (vec![all], lists, bytes)
            }
        };
        Ok(BegunBounds {
            arenas,
            lists,
            bytes,
        })
    }

    /// The low and the high bounds of all positions.
    pub(super) fn bounds(
        self,
        begun: BegunBounds,
        post: &impl Post<Error = E>,
    ) -> Result<(Solved, Solved), E> {
        let seeds = self.layout.seeds();
        let BegunBounds {
            arenas,
            lists,
            bytes,
        } = begun;
        let [
            favoured,
            other,
            favoured_status,
            other_status,
            favoured_full,
            other_full,
        ] = bytes;
        let Task {
            progress,
            checkpoints,
            ..
        } = self;
        let work = Work::new(self.graph, self.layout, &lists.last_resorts, post);
        let on_threshold = |arenas: &[Arena], planes: [&[u8]; 4]| {
            if checkpoints.is_due() {
                let left = arenas.iter().flat_map(|arena| arena.to_bytes());
                let lists = lists.to_bytes(&left.collect::<Vec<u8>>());
                let [a, b, c, d] = planes;
                checkpoints.keep(&lists, &[a, b, c, d, &favoured_full, &other_full]);
            }
            let left = arenas.iter().map(|arena| arena.thresholds()).sum();
            progress(Progress::Threshold(left))
        };
        let (results, status) = ([favoured, other], [favoured_status, other_status]);
        let [high, low] = bounds::run(&work, arenas, results, status, on_threshold)?;
        let low = Solved {
            plane: low,
            full: other_full,
            decode: bounds::lows(seeds),
        };
        let high = Solved {
            plane: high,
            full: favoured_full,
            decode: bounds::highs(seeds),
        };
        Ok((low, high))
    }

    /// What is known before any threshold is decided: the results of either plane, their status, and
    /// the best captures of the other positions.
    fn before_bounds<X: From<E>>(
        &self,
        all: Arena,
        smaller: &mut dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, X>,
    ) -> Result<(Lists, [Vec<u8>; 6]), X> {
        let seeds = self.layout.seeds();
        // For the favoured side to move, what captures give is part of its high bound; for the
        // other side, of its low bound.
        let pass = self.captures();
        let (mut favoured, mut other) = (pass.start(), pass.start());
        for (best, bound) in [(&mut favoured, Bound::High), (&mut other, Bound::Low)] {
            self.add_captures(best, &mut |seeds, from| {
                smaller(seeds, bound.of_child(), from)
            })?;
        }
        let mut status = favoured.plane.clone();
        let begin = |_, children| (bounds::begin(children), None);
        let (last_resorts, listed) = pass.finish(&mut status, begin);
        for (best, plane) in [(&mut favoured, Plane::Favoured), (&mut other, Plane::Other)] {
            pass.finish(&mut best.plane, |best, _| {
                (plane.of_captures(all, seeds, best), None)
            });
        }
        let lists = Lists {
            last_resorts,
            listed,
        };
        let (results, full) = ([favoured.plane, other.plane], [favoured.full, other.full]);
        let [favoured, other] = results;
        let [favoured_full, other_full] = full;
        let bytes = [
            favoured,
            other,
            status.clone(),
            status,
            favoured_full,
            other_full,
        ];
        Ok((lists, bytes))
    }

    /// What a checkpoint says, if there is one of this layer: what is left, as `accept` has it; the
    /// lists; and bytes: some planes, and for each measure the rest of a plane.
    fn resume<T, const BYTES: usize>(
        &mut self,
        planes: usize,
        accept: impl Fn(&[u8]) -> Option<T>,
    ) -> Option<(T, Lists, [Vec<u8>; BYTES])> {
        let (plane, full) = (self.layout.plane_len(), self.layout.full_len());
        let lengths: [usize; BYTES] =
            std::array::from_fn(|part| if part < planes { plane } else { full });
        let (layout, numbering) = (self.layout, &self.graph.numbering);
        let read = |lists: &[u8]| {
            let (left, lists) = Lists::from_bytes(lists, layout, numbering)?;
            Some((accept(&left)?, lists))
        };
        let mut found = None;
        let bytes = self.checkpoints.resume(&lengths, &mut |lists| {
            found = read(lists);
            found.is_some()
        })?;
        let (left, lists) = found?;
        Some((left, lists, bytes.try_into().ok()?))
    }

    fn add_captures<X: From<E>>(
        &self,
        best: &mut Best,
        smaller: &mut dyn FnMut(u8, usize) -> Result<Arc<TurnedLayer>, X>,
    ) -> Result<(), X> {
        let (layer, pass) = (self.layout.layer(), self.captures());
        let smaller = |seeds, from| {
            (self.progress)(Progress::Captures(layer.seeds() - seeds))?;
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
