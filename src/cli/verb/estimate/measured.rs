//! Estimates from measurements on this machine.

use std::path::Path;
use std::time::{Duration, Instant};

use granero::build::{Build, file_bytes, least_memory, memory_needed};
use granero::index::Layer;
use granero::solver;
use granero::table::LayerStatistics;
use granero::{Cycles, Ruleset};
use schemars::JsonSchema;
use serde::Serialize;

use granero_answer::document::RulesAndCycles;
use granero_console::machine;

/// The estimate of a build, and the document of `granero estimate --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Estimate {
    #[serde(flatten)]
    tables: RulesAndCycles,
    /// As requested.
    seeds: u8,
    /// As requested.
    threads: usize,
    /// The speed expected of this machine.
    positions_per_second: f64,
    pub(crate) layers: Vec<EstimatedLayer>,
    pub(crate) positions: u64,
    /// The most memory of any layer.
    pub(crate) memory_bytes: u64,
    /// Of all layers.
    pub(crate) disk_bytes: u64,
    /// For temporary files.
    pub(crate) temporary_disk_bytes: u64,
    pub(crate) seconds: f64,
    /// At the fastest measured speed.
    seconds_least: f64,
    /// At the slowest measured speed.
    seconds_most: f64,
    /// Free here; `null` if unknown.
    pub(crate) memory_available_bytes: Option<u64>,
    /// Free here; `null` if unknown.
    pub(crate) disk_free_bytes: Option<u64>,
    /// Memory and disk suffice, as far as is known.
    possible: bool,
    /// The part of the free memory that a build uses by default, or the memory that is given.
    #[serde(skip)]
    pub(crate) memory_to_use: Option<u64>,
    #[serde(skip)]
    pub(crate) memory_suffices: bool,
    #[serde(skip)]
    pub(crate) disk_suffices: bool,
    /// The most seeds for which the memory suffices.
    #[serde(skip)]
    pub(crate) most_seeds: Option<u8>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EstimatedLayer {
    pub(crate) seeds: u8,
    pub(crate) positions: u64,
    /// To solve it.
    pub(crate) memory_bytes: u64,
    pub(crate) disk_bytes: u64,
    pub(crate) seconds: f64,
    #[serde(flatten)]
    pub(crate) shares: Option<EstimatedShares>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EstimatedShares {
    /// Only if the layer is larger than memory: its shares.
    shares: u64,
    /// Bytes read from temporary files.
    pub(crate) read_bytes: u64,
    /// Bytes written to them.
    pub(crate) written_bytes: u64,
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
        let measure = || measure(rules, cycles, seeds.min(MEASURED), threads);
        let [slowest, usual, fastest] = several(measure, positions);
        let layers = layers.map(|layer| {
            let shares = build.in_shares(layer);
            let besides = shares.map_or(0.0, |shares| shares.seconds / faster(threads));
            EstimatedLayer {
                seeds: layer.seeds(),
                positions: layer.len(),
                memory_bytes: memory_needed(cycles, layer.seeds(), threads),
                disk_bytes: file_bytes(cycles, extent, layer),
                seconds: layer.len() as f64 / usual + besides,
                shares: shares.map(|shares| EstimatedShares {
                    shares: shares.shares,
                    read_bytes: shares.read,
                    written_bytes: shares.written,
                }),
            }
        });
        let layers: Vec<EstimatedLayer> = layers.collect();
        let disk_bytes = layers.iter().map(|layer| layer.disk_bytes).sum();
        let seconds: f64 = layers.iter().map(|layer| layer.seconds).sum();
        let memory_to_use = memory.or_else(machine::memory_to_use);
        let fits = |seeds: &u8, free| least_memory(cycles, *seeds, threads) <= free;
        let memory_suffices = memory_to_use.is_none_or(|free| fits(&seeds, free));
        let temporary_disk_bytes = build.temporary_disk();
        let disk_free_bytes = machine::free_disk(db);
        let disk_suffices =
            disk_free_bytes.is_none_or(|free| free >= disk_bytes + temporary_disk_bytes);
        Estimate {
            tables: RulesAndCycles::new(rules, cycles, extent),
            seeds,
            threads,
            positions_per_second: usual,
            layers,
            positions,
            memory_bytes: memory_needed(cycles, seeds, threads),
            disk_bytes,
            temporary_disk_bytes,
            seconds,
            seconds_least: seconds * usual / fastest,
            seconds_most: seconds * usual / slowest,
            memory_available_bytes: machine::available_memory(),
            disk_free_bytes,
            possible: memory_suffices && disk_suffices,
            memory_to_use,
            memory_suffices,
            disk_suffices,
            most_seeds: memory_to_use
                .and_then(|free| (0..=seeds).rev().find(|seeds| fits(seeds, free))),
        }
    }
}

/// Returns the slowest, the usual and the fastest of several measured speeds; measures once if `positions` take
/// a moment.
fn several(measure: impl Fn() -> f64, positions: u64) -> [f64; 3] {
    let begin = Instant::now();
    let mut rates = vec![measure()];
    if positions as f64 / rates[0] > BRIEF {
        while rates.len() < 3 || begin.elapsed() < MEASURE_FOR {
            rates.push(measure());
        }
    }
    rates.sort_by(f64::total_cmp);
    [rates[0], rates[rates.len() / 2], rates[rates.len() - 1]]
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

/// Returns the speed relative to one thread. Two threads were measured at 1.3 to 1.6; more are assumed to scale alike.
fn faster(threads: usize) -> f64 {
    (threads.min(machine::processors()) as f64).powf(0.5)
}
