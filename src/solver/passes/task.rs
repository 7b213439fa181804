//! Solving a layer, from what captures give to what all positions are worth.

use std::sync::Arc;

use super::captures::{Best, Captures};
use super::progress::Progress;
use super::solved::Solved;
use super::work::Work;
use super::{bounds, split};
use crate::checkpoint::state::{Checkpoints, Known, Lists, Resumed, Shape, Wanted};
use crate::graph::by_seeds::BySeeds;
use crate::graph::half_graph::HalfGraph;
use crate::graph::layout::Layout;
use crate::known::arena::{self, Arena, Results};
use crate::known::codes::Codes;
use crate::known::status::Plane;
use crate::ranks::post::Post;
use granero_game::Bound;
use granero_table::rows::{TurnedLayer, each_smaller};

/// A layer to be solved.
pub(crate) struct Task<'a, E> {
    pub(crate) graph: &'a HalfGraph,
    pub(crate) layout: &'a Layout,
    /// Its first error ends the work.
    pub(crate) progress: &'a dyn Fn(Progress) -> Result<(), E>,
    pub(crate) checkpoints: &'a mut dyn Checkpoints,
    /// How far bytes may count moves, see [`Codes::new`] and [`arena::Codes::new`].
    pub(crate) most_counted: u8,
}

/// What is known of a layer before any threshold is decided.
pub(crate) struct BegunValues {
    codes: Codes,
    /// The threshold to begin with.
    first: u8,
    pub(crate) lists: Lists,
    best: Best,
}

/// The same where positions have bounds.
pub(crate) struct BegunBounds {
    codes: arena::Codes,
    arenas: Vec<Arena>,
    pub(crate) lists: Lists,
    results: Results,
    /// By plane: the best captures of the other positions.
    full: [Vec<u8>; 2],
}

/// What a checkpoint says: what is left to do, the lists, and the parts.
type GoesOn<T, const PARTS: usize> = (T, Lists, [Vec<u8>; PARTS]);

impl<E> Task<'_, E> {
    /// What is known of all positions before any threshold is decided, or was when a checkpoint was
    /// kept. `smaller` returns the parts of the layers that captures lead to, see [`each_smaller`].
    pub(crate) fn begin_values<X: From<E>>(
        &mut self,
        post: &impl Post<Error = E>,
        smaller: &mut dyn FnMut(u8, usize) -> Result<Arc<TurnedLayer>, X>,
    ) -> Result<BegunValues, X> {
        let limit = self.limit().unsigned_abs();
        let codes = Codes::new(limit, self.most_counted);
        let accept = |left: &[u8]| match *left {
            [first] if first <= limit => Some(first),
            _ => None,
        };
        let (first, lists, best) = match self.resume(post, &self.shape_of_values(), accept)? {
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
    pub(crate) fn values(
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
        let shape = self.shape_of_values();
        let Task {
            progress,
            checkpoints,
            ..
        } = self;
        let work = Work::new(self.graph, self.layout, &lists.last_resorts, post);
        let on_threshold = |threshold, plane: &[u8]| {
            let known = Known {
                layout: self.layout,
                shape: &shape,
                left: &[threshold],
                lists: &lists,
                parts: &[plane, &full],
            };
            post.keep(checkpoints, &known)?;
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
    pub(crate) fn begin_bounds<X: From<E>>(
        &mut self,
        post: &impl Post<Error = E>,
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
        let codes = arena::Codes::new(all, self.most_counted);
        let shape = self.shape_of_bounds(&codes);
        let (arenas, lists, results, full) = match self.resume(post, &shape, arenas)? {
            Some((arenas, lists, bytes)) => {
                let [favoured, other, beyond, favoured_full, other_full] = bytes;
                let planes = [favoured, other];
                let results = Results { planes, beyond };
                (arenas, lists, results, [favoured_full, other_full])
            }
            None => {
                let (lists, results, full) = self.before_bounds(&codes, smaller)?;
                (vec![all], lists, results, full)
            }
        };
        Ok(BegunBounds {
            codes,
            arenas,
            lists,
            results,
            full,
        })
    }

    /// The low and the high bounds of all positions.
    pub(crate) fn bounds(
        self,
        begun: BegunBounds,
        post: &impl Post<Error = E>,
    ) -> Result<(Solved, Solved), E> {
        let seeds = self.layout.seeds();
        let BegunBounds {
            codes,
            arenas,
            lists,
            results,
            full: [favoured_full, other_full],
        } = begun;
        let shape = self.shape_of_bounds(&codes);
        let Task {
            progress,
            checkpoints,
            ..
        } = self;
        let work = Work::new(self.graph, self.layout, &lists.last_resorts, post);
        let on_threshold = |arenas: &[Arena], results: &Results| {
            let left = arenas.iter().flat_map(|arena| arena.to_bytes());
            let Results {
                planes: [favoured, other],
                beyond,
            } = results;
            let known = Known {
                layout: self.layout,
                shape: &shape,
                left: &left.collect::<Vec<u8>>(),
                lists: &lists,
                parts: &[favoured, other, beyond, &favoured_full, &other_full],
            };
            post.keep(checkpoints, &known)?;
            let left = arenas.iter().map(|arena| arena.thresholds()).sum();
            progress(Progress::Threshold(left))
        };
        let [high, low] = bounds::run(&work, &codes, arenas, results, on_threshold)?;
        let low = Solved {
            plane: low,
            full: other_full,
            decode: codes.lows(seeds),
        };
        let high = Solved {
            plane: high,
            full: favoured_full,
            decode: codes.highs(seeds),
        };
        Ok((low, high))
    }

    /// What is known before any threshold is decided; and for either plane the best captures of the
    /// other positions.
    fn before_bounds<X: From<E>>(
        &self,
        codes: &arena::Codes,
        smaller: &mut dyn FnMut(u8, Bound, usize) -> Result<Arc<TurnedLayer>, X>,
    ) -> Result<(Lists, Results, [Vec<u8>; 2]), X> {
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
        let beyond = match codes.beyond_len(self.layout) {
            0 => Vec::new(),
            _ => {
                let mut children = favoured.plane.clone();
                pass.finish(&mut children, |_, children| (children, None));
                codes.beyond(self.layout, &mut children)
            }
        };
        let begin = |plane, best: &mut Best| {
            pass.finish(&mut best.plane, |best, children| {
                (codes.begin(plane, seeds, best, children), None)
            })
        };
        // The moves of last resort are those of the position, whoever is favoured.
        begin(Plane::Other, &mut other);
        let (last_resorts, listed) = begin(Plane::Favoured, &mut favoured);
        let lists = Lists {
            last_resorts,
            listed,
        };
        let planes = [favoured.plane, other.plane];
        let results = Results { planes, beyond };
        Ok((lists, results, [favoured.full, other.full]))
    }

    /// What a checkpoint says, if there is one of this layer, with what is left as `accept` has it.
    fn resume<T, const PARTS: usize>(
        &mut self,
        post: &impl Post<Error = E>,
        shape: &Shape,
        accept: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Option<GoesOn<T, PARTS>>, E> {
        let wanted = Wanted {
            graph: self.graph,
            layout: self.layout,
            shape,
            accept: &|left| accept(left).is_some(),
        };
        let resumed = post.resume(self.checkpoints, &wanted)?;
        Ok(resumed.and_then(|Resumed { left, lists, parts }| {
            Some((accept(&left)?, lists, parts.try_into().ok()?))
        }))
    }

    /// The parts of a checkpoint: the plane, and the other positions.
    fn shape_of_values(&self) -> Shape {
        Shape([self.plane(), self.full()].into())
    }

    /// The same where positions have bounds: the planes, what is beyond them, and the other positions.
    fn shape_of_bounds(&self, codes: &arena::Codes) -> Shape {
        let beyond = |own_seeds| codes.bytes_beyond(self.layout.row_len(own_seeds));
        let beyond = self.by_seeds(beyond);
        let (plane, full) = (self.plane(), self.full());
        Shape([plane.clone(), plane, beyond, full.clone(), full].into())
    }

    fn plane(&self) -> BySeeds {
        self.by_seeds(|own_seeds| self.layout.row_len(own_seeds))
    }

    fn full(&self) -> BySeeds {
        self.by_seeds(|own_seeds| self.layout.full_row_len(own_seeds))
    }

    fn by_seeds(&self, row_len: impl Fn(u8) -> usize) -> BySeeds {
        BySeeds::of((0..=self.layout.seeds()).map(row_len))
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
