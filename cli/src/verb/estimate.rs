//! `granero estimate`: what a build will take.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use granero::build::{bytes, disk_needed, file_bytes, memory_needed};
use granero::index::Layer;
use granero::solver;
use granero::table::LayerStatistics;
use granero::{Cycles, Ruleset};

use crate::db;
use crate::document::{EstimateDocument, EstimatedLayerJson, RulesAndCycles};
use crate::failure::Failure;
use crate::machine;
use crate::options::{self, duration, grouped};
use crate::style::{self, paint};

/// Say what building tables will take: positions, memory, disk and time for each layer
///
/// The time follows from how fast this machine solves the first layers, which takes a moment.
/// Larger layers are a little faster on a quiet machine and slower on a busy one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero estimate --seeds 24
  granero estimate --seeds 20 --cycles own-side
  granero estimate --seeds 30 --threads 2 --json")]
pub(crate) struct Args {
    /// The seeds of the last layer
    #[arg(long, default_value_t = 20, value_parser = options::seeds())]
    seeds: u8,

    #[command(flatten)]
    rules: options::Rules,

    #[command(flatten)]
    endless: options::Endless,

    /// The number of threads [default: the number of processors]
    #[arg(long, value_name = "T", value_parser = options::threads())]
    threads: Option<u16>,

    /// The directory on whose file system to look for free space
    #[arg(
        long,
        env = db::VARIABLE,
        hide_env_values = true,
        value_name = "DIR",
        default_value = db::DIRECTORY
    )]
    db: PathBuf,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let threads = args.threads.map_or_else(machine::processors, usize::from);
    let estimate = estimate(
        args.rules.rules,
        args.endless.cycles,
        args.seeds,
        threads,
        &args.db,
    );
    if args.json {
        crate::output::json(&estimate)
    } else {
        Ok(describe(&estimate))
    }
}

/// The layers that are solved to measure the machine's speed.
const MEASURED: u8 = 12;

/// What building tables will take.
pub(super) fn estimate(
    rules: Ruleset,
    cycles: Cycles,
    seeds: u8,
    threads: usize,
    db: &Path,
) -> EstimateDocument {
    let rate = measure_rate(rules, cycles, threads);
    let layers: Vec<EstimatedLayerJson> = Layer::all()
        .take(usize::from(seeds) + 1)
        .map(|layer| EstimatedLayerJson {
            seeds: layer.seeds(),
            positions: layer.len(),
            memory_bytes: memory_needed(cycles, layer.seeds(), threads),
            disk_bytes: file_bytes(cycles, layer),
            seconds: layer.len() as f64 / rate,
        })
        .collect();
    let positions = layers.iter().map(|layer| layer.positions).sum();
    EstimateDocument {
        tables: RulesAndCycles::new(rules, cycles),
        seeds,
        threads,
        positions_per_second: rate,
        positions,
        memory_bytes: memory_needed(cycles, seeds, threads),
        disk_bytes: disk_needed(cycles, seeds),
        seconds: positions as f64 / rate,
        layers,
        memory_available_bytes: machine::available_memory(),
        disk_free_bytes: machine::free_disk(db),
        possible: seeds <= solver::MAX_SEEDS,
    }
}

/// Leaves out finished layers.
pub(super) fn skip(estimate: &mut EstimateDocument, finished: u8) {
    let layers = &mut estimate.layers;
    layers.retain(|layer| layer.seeds >= finished);
    estimate.positions = layers.iter().map(|layer| layer.positions).sum();
    estimate.disk_bytes = layers.iter().map(|layer| layer.disk_bytes).sum();
    estimate.seconds = layers.iter().map(|layer| layer.seconds).sum();
}

/// Positions per second that this machine builds.
fn measure_rate(rules: Ruleset, cycles: Cycles, threads: usize) -> f64 {
    let begin = Instant::now();
    let layers = solver::solve_all(rules, cycles, MEASURED, 1);
    for (layer, values) in Layer::all().zip(&layers) {
        std::hint::black_box(LayerStatistics::of(layer, values));
    }
    let positions: u64 = Layer::all()
        .zip(&layers)
        .map(|(layer, _)| layer.len())
        .sum();
    let rate = positions as f64 / begin.elapsed().as_secs_f64();
    // Two threads were measured to build 1.3 to 1.6 times as fast as one, see
    // docs/performance.md; more threads are assumed to scale alike.
    let threads = threads.min(machine::processors());
    rate * (threads as f64).powf(0.5)
}

/// The estimate for people.
pub(super) fn describe(estimate: &EstimateDocument) -> String {
    let heading = "seeds        positions      memory        disk      time";
    let mut text = paint(style::HEADING, heading) + "\n";
    for layer in &estimate.layers {
        text += &format!(
            "{:5}  {:>15}  {:>10}  {:>10}  {:>8}\n",
            layer.seeds,
            grouped(layer.positions),
            bytes(layer.memory_bytes),
            bytes(layer.disk_bytes),
            duration(Duration::from_secs_f64(layer.seconds)),
        );
    }
    text += &format!(
        "\nAll together: {} positions; at least {} of memory, {} of disk and about {}.\n",
        grouped(estimate.positions),
        bytes(estimate.memory_bytes),
        bytes(estimate.disk_bytes),
        duration(Duration::from_secs_f64(estimate.seconds)),
    );
    if let Some(memory) = estimate.memory_available_bytes {
        text += &format!("Free here: {} of memory\n", bytes(memory));
    }
    if let Some(disk) = estimate.disk_free_bytes {
        text += &format!("           {} of disk\n", bytes(disk));
    }
    if estimate.seeds > solver::MAX_SEEDS {
        let most = solver::MAX_SEEDS;
        text += &format!("This program solves layers of up to {most} seeds.\n");
    }
    text
}
