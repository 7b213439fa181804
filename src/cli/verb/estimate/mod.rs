//! `granero estimate`: the cost of a build.

mod measured;

use std::time::Duration;

use granero::build::{Build, BuildError, bytes};
use granero_answer::{duration, grouped};
use granero_console::{DbOption, Failure, machine, options, paint, style};

pub(in crate::verb) use measured::Estimate;
use measured::EstimatedShares;

/// Estimate what building tables takes: positions, memory, disk and time for each layer
///
/// Solves the first layers now, and extrapolates the time from them.
#[derive(Debug, clap::Args)]
#[command(mut_arg("db", |db| {
    db.help("The directory of the tables, for the free space of its file system")
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
    /// The seeds of the last layer [default: 20, with --game all seeds of the game]
    #[arg(long, value_parser = options::seeds())]
    seeds: Option<u8>,

    #[command(flatten)]
    rules: options::RulesOption,

    #[command(flatten)]
    endless: options::CyclesOption,

    #[command(flatten)]
    extent: options::ExtentOption,

    /// The number of threads [default: the number of processors]
    #[arg(long, value_name = "T", value_parser = options::threads())]
    threads: Option<u16>,

    /// The most memory to use, like 8G [default: nine tenths of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = options::memory)]
    memory: Option<u64>,

    #[command(flatten)]
    db: DbOption,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let threads = args.threads.map_or_else(machine::threads, usize::from);
    let (rules, cycles) = (args.rules.rules, args.endless.cycles);
    let extent = args.extent.extent();
    let seeds = args.seeds.unwrap_or_else(|| args.extent.seeds_or(20));
    BuildError::check_game(extent, seeds)?;
    let build = Build {
        cycles,
        extent,
        seeds,
        threads,
        memory: (args.memory.or_else(machine::memory_to_use)).unwrap_or(u64::MAX),
        checkpoint: Some(Duration::ZERO),
    };
    let estimate = Estimate::new(rules, &build, 0, args.memory, args.db.path());
    if args.json {
        crate::output::json(&estimate)
    } else {
        Ok(describe(&estimate))
    }
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
    let in_shares = || {
        estimate
            .layers
            .iter()
            .filter(|layer| layer.shares.is_some())
    };
    if let Some(first) = in_shares().next()
        && estimate.memory_suffices
    {
        let sum = |of: fn(&EstimatedShares) -> u64| {
            bytes(
                in_shares()
                    .filter_map(|layer| layer.shares.as_ref())
                    .map(of)
                    .sum(),
            )
        };
        let allowed = estimate.memory_to_use.map_or("this".into(), bytes);
        text += &format!(
            "With {allowed} of memory, larger layers are solved in shares on the disk, from {}\n\
             seeds on: {} read, {} written, {} of temporary files.\n",
            first.seeds,
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
