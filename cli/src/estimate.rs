//! What building tables will take, on this machine.

use std::path::Path;
use std::time::Instant;

use granero::build::{file_bytes, memory_needed};
use granero::index::Layer;
use granero::solver;
use granero::table::LayerStatistics;
use granero::{Cycles, Extent, Ruleset};

use crate::machine;

/// What building tables will take.
pub(crate) struct Estimate {
    pub(crate) rules: Ruleset,
    pub(crate) cycles: Cycles,
    pub(crate) extent: Extent,
    /// The seeds of the last layer.
    pub(crate) seeds: u8,
    pub(crate) threads: usize,
    pub(crate) positions_per_second: f64,
    /// The layers to build.
    pub(crate) layers: Vec<EstimatedLayer>,
    pub(crate) memory_available: Option<u64>,
    pub(crate) disk_free: Option<u64>,
}

/// What building a layer will take.
pub(crate) struct EstimatedLayer {
    pub(crate) seeds: u8,
    pub(crate) positions: u64,
    /// In bytes, as [`disk`](EstimatedLayer::disk).
    pub(crate) memory: u64,
    pub(crate) disk: u64,
    pub(crate) seconds: f64,
}

/// The layers that are solved to measure the machine's speed.
const MEASURED: u8 = 12;

impl Estimate {
    /// Works out what tables up to `seeds` seeds in the directory `db` take, if the layers with
    /// fewer than `finished` seeds are there already.
    pub(crate) fn new(
        rules: Ruleset,
        cycles: Cycles,
        extent: Extent,
        seeds: u8,
        finished: u8,
        threads: usize,
        db: &Path,
    ) -> Estimate {
        let positions_per_second = measure(rules, cycles, threads);
        let layers = (finished..=seeds).filter_map(Layer::new);
        let layers = layers.map(|layer| EstimatedLayer {
            seeds: layer.seeds(),
            positions: layer.len(),
            memory: memory_needed(cycles, layer.seeds(), threads),
            disk: file_bytes(cycles, extent, layer),
            seconds: layer.len() as f64 / positions_per_second,
        });
        Estimate {
            rules,
            cycles,
            extent,
            seeds,
            threads,
            positions_per_second,
            layers: layers.collect(),
            memory_available: machine::available_memory(),
            disk_free: machine::free_disk(db),
        }
    }

    pub(crate) fn positions(&self) -> u64 {
        self.layers.iter().map(|layer| layer.positions).sum()
    }

    /// The memory for the last layer, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        memory_needed(self.cycles, self.seeds, self.threads)
    }

    /// The disk space for all layers, in bytes.
    pub(crate) fn disk(&self) -> u64 {
        self.layers.iter().map(|layer| layer.disk).sum()
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.positions() as f64 / self.positions_per_second
    }

    /// Whether there is enough memory and disk space here, as far as that is known.
    pub(crate) fn is_possible(&self) -> bool {
        let suffices = |free: Option<u64>, needed| free.is_none_or(|free| free >= needed);
        suffices(self.memory_available, self.memory()) && suffices(self.disk_free, self.disk())
    }
}

/// Positions per second that this machine builds.
fn measure(rules: Ruleset, cycles: Cycles, threads: usize) -> f64 {
    let begin = Instant::now();
    let layers = solver::solve_all(rules, cycles, MEASURED, 1);
    for (layer, values) in Layer::all().zip(&layers) {
        std::hint::black_box(LayerStatistics::of(layer, values));
    }
    let layers = Layer::all().take(layers.len());
    let positions: u64 = layers.map(Layer::len).sum();
    let rate = positions as f64 / begin.elapsed().as_secs_f64();
    // Two threads were measured to build 1.3 to 1.6 times as fast as one, see
    // docs/performance.md; more threads are assumed to scale alike.
    let threads = threads.min(machine::processors());
    rate * (threads as f64).powf(0.5)
}
