//! The workers of a layer: ownership and memory layout of one layer, and the threads that
//! solve it.

use rayon::prelude::*;

use super::captures::Captures;
use super::exchange::{self, Exchange};
use super::graph::HalfGraph;
use super::last_resort::LastResortMove;
use super::layout::Layout;
use super::parcels::{Orders, Reports};
use super::task::Task;
use super::worker::Worker;
use crate::index::Layer;
use crate::rows::Matrix;

/// The parcels of either kind that an inbox has room for.
const ROOM: usize = 64;

/// The workers that solve a layer together.
pub(super) struct Team<'a> {
    layer: Layer,
    graph: &'a HalfGraph,
    /// By worker.
    layouts: Vec<Layout>,
    exchange: Exchange<Reports, Orders>,
}

impl<'a> Team<'a> {
    pub(super) fn new(layer: Layer, graph: &'a HalfGraph) -> Team<'a> {
        Team::with_room(ROOM, layer, graph)
    }

    /// A team whose inboxes have room for `room` parcels of either kind.
    fn with_room(room: usize, layer: Layer, graph: &'a HalfGraph) -> Team<'a> {
        let ownership = graph.ownership;
        let workers = ownership.workers();
        let layout = |worker| Layout::new(layer, ownership, worker);
        Team {
            layer,
            graph,
            layouts: (0..workers).map(layout).collect(),
            exchange: Exchange::among(workers, room, Reports::new, Orders::new),
        }
    }

    /// The most memory in bytes that workers take for what they tell each other, whatever the
    /// order of their work, and for what they have at hand.
    pub(super) fn memory(workers: usize) -> u64 {
        let parcels = exchange::most_parcels(workers, ROOM);
        (parcels * (Orders::MEMORY + Reports::MEMORY) + workers * Worker::MEMORY) as u64
    }

    /// The seeds of the layer.
    pub(super) fn seeds(&self) -> u8 {
        self.layer.seeds()
    }

    /// By worker: the first pass.
    pub(super) fn passes(&self) -> Vec<Captures<'_>> {
        let pass = |layout| Captures {
            graph: self.graph,
            layout,
            seeds: self.seeds(),
        };
        self.layouts.iter().map(pass).collect()
    }

    /// Lets every worker work in a thread of its own: they wait for each other.
    pub(super) fn work<I: Send, O: Send>(
        &self,
        last_resorts: &[LastResortMove],
        inputs: Vec<I>,
        work: impl Fn(usize, Task<'_>, I) -> O + Sync,
    ) -> Vec<O> {
        let task = Task {
            seeds: self.seeds(),
            graph: self.graph,
            layouts: &self.layouts,
            exchange: &self.exchange,
            last_resorts,
        };
        let work = &work;
        std::thread::scope(|scope| {
            let inputs = inputs.into_iter().enumerate();
            let threads: Vec<_> = inputs
                .map(|(id, input)| {
                    scope.spawn(move || {
                        let _guard = task.exchange.guard(id);
                        work(id, task, input)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a worker does not panic"))
                .collect()
        })
    }

    /// Puts the workers' rows together in index order, and decodes their bytes.
    pub(super) fn assemble(&self, decode: &[i8; 256], bytes: &[Vec<u8>]) -> Vec<i8> {
        let ownership = self.graph.ownership;
        let mut values = vec![0; self.layer.len() as usize];
        for matrix in Matrix::all(self.layer) {
            matrix.par_rows(&mut values).for_each(|(row, values)| {
                let (owner, local) = ownership.place(row.rank());
                let from = self.layouts[owner].row_start(row.own_seeds(), local);
                for (value, &byte) in values.iter_mut().zip(&bytes[owner][from..]) {
                    *value = decode[usize::from(byte)];
                }
            });
        }
        values
    }
}

#[cfg(test)]
impl<'a> Team<'a> {
    /// A team whose inboxes have room for one parcel, and in which one worker is held up as long
    /// as another can go on.
    pub(super) fn held_up(layer: Layer, graph: &'a HalfGraph, slowest: usize) -> Team<'a> {
        let team = Team::with_room(1, layer, graph);
        let ranks = (0..team.layouts.len()).map(|worker| usize::from(worker == slowest));
        Team {
            exchange: team.exchange.with_ranks(ranks.collect()),
            ..team
        }
    }

    /// The most parcels of reports, and of orders, that were under way at a time.
    pub(super) fn most_under_way(&self) -> [usize; 2] {
        self.exchange.most_under_way()
    }
}
