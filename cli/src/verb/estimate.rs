//! `granero estimate`: what a build will take, and how it is worked out.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use granero::build::{bytes, disk_needed, file_bytes, memory_needed};
use granero::index::Layer;
use granero::solver;
use granero::table::LayerStatistics;
use granero::{Cycles, Ruleset};
use serde::Serialize;

use crate::db;
use crate::failure::Failure;
use crate::machine;
use crate::options::{self, duration, grouped};
use crate::style::{self, paint};

/// Say what building tables will take: positions, memory, disk and time for each layer
///
/// The time is worked out from how fast this machine solves the first layers, which takes a
/// moment. Larger layers are a little faster on a quiet machine and slower on a busy one.
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

    /// How many threads work; as many as there are processors unless said otherwise
    #[arg(long, value_name = "T", value_parser = options::threads())]
    threads: Option<u16>,

    /// The directory whose file system is asked for room
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
    let estimate = Estimate::new(
        args.rules.rules,
        args.endless.cycles,
        args.seeds,
        threads,
        &args.db,
    );
    if args.json {
        crate::output::json(&estimate)
    } else {
        Ok(estimate.to_string())
    }
}

/// What building tables will take.
#[derive(Debug, Serialize)]
pub(super) struct Estimate {
    rules: &'static str,
    cycles: &'static str,
    seeds: u8,
    threads: usize,
    positions_per_second: f64,
    layers: Vec<LayerEstimate>,
    positions: u64,
    memory_bytes: u64,
    disk_bytes: u64,
    seconds: f64,
    memory_available_bytes: Option<u64>,
    disk_free_bytes: Option<u64>,
    /// Whether this program can solve so many seeds at all.
    possible: bool,
}

#[derive(Debug, Serialize)]
struct LayerEstimate {
    seeds: u8,
    positions: u64,
    memory_bytes: u64,
    disk_bytes: u64,
    seconds: f64,
}

/// The layers that are solved to see how fast the machine is.
const MEASURED: u8 = 12;

impl Estimate {
    pub(super) fn new(
        rules: Ruleset,
        cycles: Cycles,
        seeds: u8,
        threads: usize,
        db: &Path,
    ) -> Estimate {
        let rate = measure_rate(rules, cycles, threads);
        let layers: Vec<LayerEstimate> = Layer::all()
            .take(usize::from(seeds) + 1)
            .map(|layer| LayerEstimate {
                seeds: layer.seeds(),
                positions: layer.len(),
                memory_bytes: memory_needed(cycles, layer.seeds(), threads),
                disk_bytes: file_bytes(cycles, layer),
                seconds: layer.len() as f64 / rate,
            })
            .collect();
        let positions = layers.iter().map(|layer| layer.positions).sum();
        Estimate {
            rules: rules.name(),
            cycles: cycles.name(),
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

    /// Leaves layers out that are there already.
    pub(super) fn skip(&mut self, finished: u8) {
        self.layers.retain(|layer| layer.seeds >= finished);
        self.positions = self.layers.iter().map(|layer| layer.positions).sum();
        self.disk_bytes = self.layers.iter().map(|layer| layer.disk_bytes).sum();
        self.seconds = self.layers.iter().map(|layer| layer.seconds).sum();
    }

    /// The totals in one line.
    fn totals(&self) -> String {
        format!(
            "{} positions; at least {} of memory, {} of disk and about {}",
            grouped(self.positions),
            bytes(self.memory_bytes),
            bytes(self.disk_bytes),
            duration(Duration::from_secs_f64(self.seconds)),
        )
    }
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
    // docs/performance.md; more are taken to go on like that.
    let threads = threads.min(machine::processors());
    rate * (threads as f64).powf(0.5)
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let heading = "seeds        positions      memory        disk      time";
        writeln!(f, "{}", paint(style::HEADING, heading))?;
        for layer in &self.layers {
            writeln!(
                f,
                "{:5}  {:>15}  {:>10}  {:>10}  {:>8}",
                layer.seeds,
                grouped(layer.positions),
                bytes(layer.memory_bytes),
                bytes(layer.disk_bytes),
                duration(Duration::from_secs_f64(layer.seconds)),
            )?;
        }
        writeln!(f, "\nAll together: {}.", self.totals())?;
        if let Some(memory) = self.memory_available_bytes {
            writeln!(f, "Free here: {} of memory", bytes(memory))?;
        }
        if let Some(disk) = self.disk_free_bytes {
            writeln!(f, "           {} of disk", bytes(disk))?;
        }
        if self.seeds > solver::MAX_SEEDS {
            let most = solver::MAX_SEEDS;
            writeln!(f, "This program solves layers of up to {most} seeds.")?;
        }
        Ok(())
    }
}
