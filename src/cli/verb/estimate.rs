//! `granero estimate`: the cost of a build, from measurements on this machine.

use std::path::Path;
use std::time::{Duration, Instant};

use granero::build::{Build, BuildError, bytes, file_bytes, least_memory, memory_needed};
use granero::index::Layer;
use granero::table::LayerStatistics;
use granero::{Cycles, Ruleset, solver};

use granero_answer::document::RulesAndCycles;
use granero_answer::{documents, duration, grouped};
use granero_console::options::BuildOptions;
use granero_console::{Failure, machine, paint, style};

/// Estimate what building tables takes: positions, memory, disk and time for each layer
///
/// Solves the first layers now, and extrapolates the time from them.
#[derive(Debug, clap::Args)]
#[command(mut_arg("db", |db| {
    db.help("The directory of the tables, for the free space of its file system")
}))]
#[command(mut_arg("seeds", |seeds| {
    seeds.help("The seeds of the last layer [default: 20, with --game all seeds of the game]")
}))]
#[command(after_help = "\
Examples:
  granero estimate --seeds 24
  granero estimate --seeds 20 --cycles own-side
  granero estimate --seeds 35 --deciding
  granero estimate --game 36
  granero estimate --seeds 48 --deciding --memory 56G
  granero estimate --seeds 30 --threads 2 --json")]
pub(crate) struct Args {
    #[command(flatten)]
    plan: BuildOptions,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let build = args.plan.build(20, 1);
    BuildError::check_game(build.extent, build.seeds)?;
    let estimate = Estimate::new(args.plan.rules.rules, &build, 0, args.plan.db.path());
    if args.json {
        crate::output::json(&estimate)
    } else {
        Ok(describe(&estimate))
    }
}

documents! {
    /// The estimate of a build in the directory `db`, which holds the layers with fewer than `finished` seeds, and the
    /// document of `granero estimate --json`.
    pub(super) struct Estimate(rules: Ruleset, build: &Build, finished: u8, db: &Path) {
        let Build { cycles, extent, seeds: last, threads: many, .. } = *build;
        let all = (finished..=last).filter_map(Layer::new);
        let count = all.clone().map(Layer::len).sum::<u64>();
        let measure = || measure(rules, cycles, last.min(MEASURED), many);
        let [slowest, usual, fastest] = several(measure, count);
        let estimated = all.map(|layer| EstimatedLayer::new(build, layer, usual)).collect::<Vec<_>>();
        let disk = estimated.iter().map(|layer| layer.disk_bytes).sum::<u64>();
        let time = estimated.iter().map(|layer| layer.seconds).sum::<f64>();
        let given = Some(build.memory).filter(|&memory| memory < u64::MAX);
        let fits = |seeds: &u8, free| least_memory(cycles, *seeds, many) <= free;
        let fits_memory = given.is_none_or(|free| fits(&last, free));
        let temporary = build.temporary_disk();
        let free_disk = machine::free_disk(db);
        let fits_disk = free_disk.is_none_or(|free| free >= disk + temporary);
        ..tables: RulesAndCycles = RulesAndCycles::new(rules, cycles, extent),
        /// As requested.
        seeds: u8 = last,
        /// As requested.
        threads: usize = many,
        /// The speed expected of this machine.
        positions_per_second: f64 = usual,
        layers: Vec<EstimatedLayer> = estimated,
        positions: u64 = count,
        /// The most memory of any layer.
        memory_bytes: u64 = memory_needed(cycles, last, many),
        /// Of all layers.
        disk_bytes: u64 = disk,
        /// For temporary files.
        temporary_disk_bytes: u64 = temporary,
        seconds: f64 = time,
        /// At the fastest measured speed.
        seconds_least: f64 = time * usual / fastest,
        /// At the slowest measured speed.
        seconds_most: f64 = time * usual / slowest,
        /// Free here; `null` if unknown.
        memory_available_bytes: Option<u64> = machine::available_memory(),
        /// Free here; `null` if unknown.
        disk_free_bytes: Option<u64> = free_disk,
        /// Memory and disk suffice, as far as is known.
        possible: bool = fits_memory && fits_disk,
        /// The part of the free memory that a build uses by default, or the memory that is given.
        #[serde(skip)]
        memory_to_use: Option<u64> = given,
        #[serde(skip)]
        memory_suffices: bool = fits_memory,
        #[serde(skip)]
        disk_suffices: bool = fits_disk,
        /// The most seeds for which the memory suffices.
        #[serde(skip)]
        most_seeds: Option<u8> = given.and_then(|free| (0..=last).rev().find(|seeds| fits(seeds, free))),
    }

    struct EstimatedLayer(build: &Build, layer: Layer, rate: f64) {
        let Build { cycles, extent, threads, .. } = *build;
        let in_shares = build.in_shares(layer);
        let besides = in_shares.map_or(0.0, |shares| shares.seconds / faster(threads));
        seeds: u8 = layer.seeds(),
        positions: u64 = layer.len(),
        /// To solve it.
        memory_bytes: u64 = memory_needed(cycles, layer.seeds(), threads),
        disk_bytes: u64 = file_bytes(cycles, extent, layer),
        seconds: f64 = layer.len() as f64 / rate + besides,
        ..shares: Option<Shares> = in_shares.map(|layer| Shares::new(layer.shares, layer.read, layer.written)),
    }

    /// The work on shares.
    pub(super) struct Shares(count: u64, read: u64, written: u64) {
        /// Only if the layer is larger than memory: its shares.
        shares: u64 = count,
        /// Bytes read from temporary files.
        read_bytes: u64 = read,
        /// Bytes written to them.
        written_bytes: u64 = written,
    }
}

/// The last layer that is solved to measure the speed, if the build has that many.
const MEASURED: u8 = 12;

/// The time for repeated measurements before long builds: the speed of a machine with other work varies.
const MEASURE_FOR: Duration = Duration::from_secs(1);

/// Builds of fewer seconds need one measurement only.
const BRIEF: f64 = 10.0;

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

/// Formats the estimate for people.
pub(super) fn describe(estimate: &Estimate) -> String {
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
        "\nAll together: {} positions; {} of memory,\n{} of disk, and about {}.\n",
        grouped(estimate.positions),
        bytes(estimate.memory_bytes),
        bytes(estimate.disk_bytes),
        duration(Duration::from_secs_f64(estimate.seconds)),
    );
    let layers = estimate.layers.iter();
    let in_shares: Vec<_> = layers
        .filter_map(|layer| Some((layer.seeds, layer.shares.as_ref()?)))
        .collect();
    if let Some((first, _)) = in_shares.first()
        && estimate.memory_suffices
    {
        let sum =
            |of: fn(&Shares) -> u64| bytes(in_shares.iter().map(|(_, shares)| of(shares)).sum());
        let allowed = estimate.memory_to_use.map_or("this".into(), bytes);
        text += &format!(
            "With {allowed} of memory, larger layers are solved in shares on the disk, from {first}\n\
             seeds on: {} read, {} written, {} of temporary files.\n",
            sum(|shares| shares.read_bytes),
            sum(|shares| shares.written_bytes),
            bytes(estimate.temporary_disk_bytes),
        );
    }
    if let Some(memory) = estimate.memory_available_bytes {
        text += &format!("Free here: {} of memory\n", bytes(memory));
    }
    if let Some(disk) = estimate.disk_free_bytes {
        text += &format!("           {} of disk\n", bytes(disk));
    }
    if !estimate.memory_suffices {
        text +=
            "There is not enough memory: a build uses --memory, or nine tenths of the free\nmemory";
        text += &match estimate.most_seeds {
            Some(most) => format!(".\nUp to {most} seeds are possible.\n"),
            None => ".\n".into(),
        };
    }
    if !estimate.disk_suffices {
        text += "There is not enough disk space.\n";
    }
    text
}
