//! Estimates from measurements on this machine.

use std::path::Path;
use std::time::{Duration, Instant};

use granero::build::{Build, InBands, file_bytes, least_memory, memory_needed};
use granero::index::Layer;
use granero::solver;
use granero::table::LayerStatistics;
use granero::{Cycles, Extent, Ruleset};

use granero_console::machine;

/// The estimate of a build.
pub(crate) struct Estimate {
    pub(crate) rules: Ruleset,
    pub(crate) cycles: Cycles,
    pub(crate) extent: Extent,
    /// The seeds of the last layer.
    pub(crate) seeds: u8,
    pub(crate) threads: usize,
    pub(crate) speed: Speed,
    /// The layers to build.
    pub(crate) layers: Vec<EstimatedLayer>,
    pub(crate) memory_available: Option<u64>,
    /// The part of it that a build uses by default, or the memory that is given.
    pub(crate) memory_to_use: Option<u64>,
    /// The disk space for temporary files, in bytes.
    pub(crate) temporary_disk: u64,
    pub(crate) disk_free: Option<u64>,
}

/// The estimate of a layer.
pub(crate) struct EstimatedLayer {
    pub(crate) seeds: u8,
    pub(crate) positions: u64,
    /// In bytes, like [`disk`](EstimatedLayer::disk).
    pub(crate) memory: u64,
    pub(crate) disk: u64,
    pub(crate) seconds: f64,
    /// The work on bands, if the layer is larger than memory.
    pub(crate) bands: Option<InBands>,
}

/// The positions that this machine builds per second, in several measurements.
pub(crate) struct Speed {
    pub(crate) slowest: f64,
    pub(crate) usual: f64,
    pub(crate) fastest: f64,
}

/// The last layer that is solved to measure the speed, if the build has that many.
const MEASURED: u8 = 12;

/// The time for repeated measurements before long builds: the speed of a machine with other work varies.
const MEASURE_FOR: Duration = Duration::from_secs(1);

/// Builds of fewer seconds need one measurement only.
const BRIEF: f64 = 10.0;

impl Estimate {
    /// Estimates a build in the directory `db`, which holds the layers with fewer than `finished` seeds. With
    /// `memory` this much may be used, otherwise a part of what is free.
    pub(crate) fn new(
        rules: Ruleset,
        build: &Build,
        finished: u8,
        memory: Option<u64>,
        db: &Path,
    ) -> Estimate {
        let Build {
            cycles,
            extent,
            seeds,
            threads,
            ..
        } = *build;
        let layers = (finished..=seeds).filter_map(Layer::new);
        let positions = layers.clone().map(Layer::len).sum();
        let measured = seeds.min(MEASURED);
        let speed = Speed::measured(rules, cycles, measured, threads, positions);
        let layers = layers.map(|layer| {
            let bands = build.in_bands(layer);
            let besides = bands.map_or(0.0, |bands| bands.seconds / faster(threads));
            EstimatedLayer {
                seeds: layer.seeds(),
                positions: layer.len(),
                memory: memory_needed(cycles, extent, layer.seeds(), threads),
                disk: file_bytes(cycles, extent, layer),
                seconds: layer.len() as f64 / speed.usual + besides,
                bands,
            }
        });
        Estimate {
            rules,
            cycles,
            extent,
            seeds,
            threads,
            layers: layers.collect(),
            speed,
            memory_available: machine::available_memory(),
            memory_to_use: memory.or_else(machine::memory_to_use),
            temporary_disk: build.temporary_disk(),
            disk_free: machine::free_disk(db),
        }
    }

    pub(crate) fn positions(&self) -> u64 {
        self.layers.iter().map(|layer| layer.positions).sum()
    }

    /// Returns the memory for the last layer, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        memory_needed(self.cycles, self.extent, self.seeds, self.threads)
    }

    /// Returns the disk space for all layers, in bytes.
    pub(crate) fn disk(&self) -> u64 {
        self.layers.iter().map(|layer| layer.disk).sum()
    }

    /// Returns the time for all layers at a speed.
    pub(crate) fn seconds_at(&self, positions_per_second: f64) -> f64 {
        let seconds: f64 = self.layers.iter().map(|layer| layer.seconds).sum();
        seconds * self.speed.usual / positions_per_second
    }

    /// Returns the layers that are larger than memory.
    pub(crate) fn in_bands(&self) -> impl Iterator<Item = (u8, InBands)> {
        let layers = self.layers.iter();
        layers.filter_map(|layer| Some((layer.seeds, layer.bands?)))
    }

    /// Returns true if memory and disk space suffice, as far as is known.
    pub(crate) fn is_possible(&self) -> bool {
        self.memory_suffices() && self.disk_suffices()
    }

    pub(crate) fn memory_suffices(&self) -> bool {
        let least = least_memory(self.cycles, self.extent, self.seeds, self.threads);
        self.memory_to_use.is_none_or(|free| free >= least)
    }

    pub(crate) fn disk_suffices(&self) -> bool {
        let needed = self.disk() + self.temporary_disk;
        self.disk_free.is_none_or(|free| free >= needed)
    }

    /// Returns the most seeds for which the memory suffices.
    pub(crate) fn most_seeds(&self) -> Option<u8> {
        let free = self.memory_to_use?;
        let fits =
            |seeds: &u8| least_memory(self.cycles, self.extent, *seeds, self.threads) <= free;
        (0..=self.seeds).rev().find(fits)
    }
}

impl Speed {
    /// Measures the speed, repeatedly if `positions` take a while.
    fn measured(
        rules: Ruleset,
        cycles: Cycles,
        seeds: u8,
        threads: usize,
        positions: u64,
    ) -> Speed {
        let measure = || measure(rules, cycles, seeds, threads);
        let begin = Instant::now();
        let mut rates = vec![measure()];
        if positions as f64 / rates[0] > BRIEF {
            while rates.len() < 3 || begin.elapsed() < MEASURE_FOR {
                rates.push(measure());
            }
        }
        rates.sort_by(f64::total_cmp);
        Speed {
            slowest: rates[0],
            usual: rates[rates.len() / 2],
            fastest: rates[rates.len() - 1],
        }
    }
}

/// Measures how many positions per second this machine builds, in layers up to `seeds` seeds.
fn measure(rules: Ruleset, cycles: Cycles, seeds: u8, threads: usize) -> f64 {
    let begin = Instant::now();
    let layers = solver::solve_all((rules, cycles), seeds, 1);
    for (layer, values) in Layer::all().zip(&layers) {
        std::hint::black_box(LayerStatistics::of(layer, values));
    }
    let layers = Layer::all().take(layers.len());
    let positions: u64 = layers.map(Layer::len).sum();
    let rate = positions as f64 / begin.elapsed().as_secs_f64();
    rate * faster(threads)
}

/// How many times as fast as one thread several are. Two build 1.3 to 1.6 times as fast, see docs/performance.md;
/// more are assumed to scale alike.
fn faster(threads: usize) -> f64 {
    (threads.min(machine::processors()) as f64).powf(0.5)
}
