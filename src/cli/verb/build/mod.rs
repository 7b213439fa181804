//! `granero build`: solves layers and writes them to a directory of tables.

pub(in crate::verb) mod summary;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use granero::TableError;
use granero::build::{Build, BuiltLayer, Watch, bytes, disk_needed};
use granero::index::Layer;
use granero::solver::Progress;
use granero::table::{Checkpoint, TableDirectory, TableWriter};
use summary::{Built, Summary};

use super::estimate::{Estimate, describe};
use crate::output::meter::Meter;
use crate::system::{allocator, interruption};
use granero_answer::{duration, grouped, with_causes};
use granero_console::{Failure, machine, options, say};

#[cfg(feature = "mpi")]
use granero::cluster::{self, Cluster, ClusterError};

#[cfg(feature = "mpi")]
use crate::cluster::Processes;

/// Solve all positions with up to some number of seeds, and write them to tables
///
/// Every finished layer is safe on the disk. The same command continues a stopped build, and makes missing or damaged
/// files again; with more seeds it extends the tables.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero build
  granero build --seeds 20 --rules awari --db awari-db
  granero build --seeds 16 --cycles own-side
  granero build --seeds 30 --deciding --db deciding-db
  granero build --game 24 --db game-24
  granero build --seeds 24 --threads 2 --memory 4G --json")]
pub(crate) struct Args {
    #[command(flatten)]
    plan: options::BuildOptions,

    /// How often to save a checkpoint of the layer in progress, like 15min, or off
    ///
    /// The same command resumes a stopped build from its checkpoint, also with another number of
    /// processes. Checkpoints are written between steps of the work, so they may come later.
    #[arg(long, value_name = "TIME", default_value = "15min", value_parser = options::time_or_off)]
    checkpoint: options::TimeOrOff,

    /// Show no progress, only the summary
    #[arg(long)]
    quiet: bool,

    /// Print the summary as JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    #[cfg(feature = "mpi")]
    if let Some(processes) = Processes::join()? {
        return run_together(args, &processes);
    }
    run_with(args, &args.build(1), Builders::Alone)
}

/// Builds together with other processes that MPI has started. Process 0 works like a single process, and is the
/// only one that prints.
#[cfg(feature = "mpi")]
fn run_together(args: &Args, processes: &Processes) -> Result<String, Failure> {
    let build = args.build(processes.on_this_machine());
    let mut cluster = processes.cluster();
    let rules = args.plan.rules.rules;
    match cluster.agree(&build, rules) {
        Ok(()) => (),
        // All processes know it, and end by themselves.
        Err(error @ ClusterError::Different { .. }) => {
            return Err(match processes.number() {
                0 => error.into(),
                _ => Failure::SaidElsewhere,
            });
        }
        Err(error) => processes.end_all(&error.into()),
    }
    let built = match processes.number() {
        0 => run_with(args, &build, Builders::Together(cluster)),
        _ => {
            allocator::give_back_at_once();
            let built = cluster.help(&build, rules);
            built.map(|()| String::new()).map_err(Failure::from)
        }
    };
    built.or_else(|failure| processes.end_all(&failure))
}

/// This process, or this one, which is number 0, and others.
enum Builders {
    Alone,
    #[cfg(feature = "mpi")]
    Together(Cluster),
}

impl Builders {
    /// Checks that the build is possible.
    fn check(&self, build: &Build) -> Result<(), Failure> {
        match self {
            Builders::Alone => Ok(build.check()?),
            #[cfg(feature = "mpi")]
            Builders::Together(all) => Ok(cluster::check(build, all.processes(), |_| None)?),
        }
    }

    /// Returns the size of the temporary files of the build.
    fn temporary_disk(&self, build: &Build) -> u64 {
        match self {
            Builders::Alone => build.temporary_disk(),
            #[cfg(feature = "mpi")]
            Builders::Together(_) => cluster::temporary_disk(build),
        }
    }

    /// Describes the builders, and the cost of the build after `finished` layers.
    fn describe(&self, args: &Args, build: &Build, finished: u8) -> String {
        match self {
            Builders::Alone => {
                let plan = &args.plan;
                let estimate = Estimate::new(plan.rules.rules, build, finished, plan.db.path());
                format!(". Estimate:\n\n{}", describe(&estimate))
            }
            #[cfg(feature = "mpi")]
            Builders::Together(all) => {
                let processes = all.processes();
                let (cycles, seeds, threads) = (build.cycles, build.seeds, build.threads);
                let needed = cluster::memory_needed(cycles, seeds, threads, processes);
                format!(
                    ", with {processes} processes of {}. Each needs up to {} of memory.",
                    granero_answer::counted(threads as u64, "thread"),
                    bytes(needed),
                )
            }
        }
    }

    /// Builds, and returns the layers, and the bytes that processes have sent each other.
    fn run(
        &mut self,
        build: &Build,
        tables: &mut TableWriter,
        watch: &Building,
    ) -> Result<(Vec<BuiltLayer>, Option<u64>), Failure> {
        match self {
            Builders::Alone => Ok((build.run(tables, watch)?, None)),
            #[cfg(feature = "mpi")]
            Builders::Together(all) => {
                let built = all.lead(build, tables, watch)?;
                Ok((built, Some(all.sent())))
            }
        }
    }
}

impl Args {
    /// Returns the build, if `on_this_machine` processes share this machine.
    fn build(&self, on_this_machine: usize) -> Build {
        Build {
            checkpoint: self.checkpoint.0,
            ..self.plan.build(15, on_this_machine)
        }
    }
}

fn run_with(args: &Args, build: &Build, mut builders: Builders) -> Result<String, Failure> {
    let (rules, db) = (args.plan.rules.rules, args.plan.db.path());
    // Refuse an impossible build before anything is written.
    let there = TableDirectory::open(db.into(), Some(build.cycles));
    let (before, [temporary, turned]) = match there {
        Ok(there) => {
            // A stopped build has left temporary files, which the next build removes first, and smaller layers, which
            // it uses.
            let bytes = ["granero-tmp", "turned"].map(|extension| {
                let files = fs::read_dir(&there.path).into_iter().flatten().flatten();
                let left = files.filter(|file| file.path().extension() == Some(extension.as_ref()));
                let lengths = left.filter_map(|file| Some(file.metadata().ok()?.len()));
                lengths.sum::<u64>()
            });
            (there.manifest.finished(), bytes)
        }
        Err(TableError::NoTables { .. } | TableError::OtherCycles { .. }) => (0, [0; 2]),
        Err(error) => return Err(error.into()),
    };
    if before <= build.seeds {
        builders.check(build)?;
        let left = temporary + turned.min(build.smaller_disk());
        let temporary = builders.temporary_disk(build).saturating_sub(left);
        check_disk(db, build, temporary, before)?;
    }
    let mut tables = TableWriter::open(db, (rules, build.cycles, build.extent))?;
    let before = tables.manifest().finished();

    let positions = Layer::all()
        .take(usize::from(build.seeds) + 1)
        .skip(usize::from(before))
        .map(Layer::len)
        .sum();
    let place = db.display().to_string();
    if !args.quiet && before <= build.seeds {
        if before > 0 {
            let last = before - 1;
            say(&format!("Layers up to {last} seeds are built already."));
        }
        let (seeds, what_it_takes) = (build.seeds, builders.describe(args, build, before));
        say(&format!(
            "Building {rules} up to {seeds} seeds into {place}{what_it_takes}"
        ));
    }
    // No clean-up is needed: finished layers are on the disk, and unfinished files have temporary names.
    interruption::end_with(move || {
        format!(". The finished layers in {place} stay; the same command continues.")
    });
    allocator::give_back_at_once();
    let meter = Meter::unless(args.quiet, positions);
    let begin = Instant::now();
    let building = Building {
        meter,
        finished: AtomicU64::new(0),
    };
    let built = builders.run(build, &mut tables, &building);
    drop(building);
    let (built, sent) = built?;
    let summary = Summary {
        db,
        build,
        built: &built,
        sent,
        manifest: tables.manifest(),
        time: begin.elapsed(),
    };
    if args.json {
        crate::output::json(&Built::new(&summary))
    } else {
        Ok(summary.text())
    }
}

fn check_disk(db: &Path, build: &Build, temporary: u64, finished: u8) -> Result<(), Failure> {
    let disk = |seeds| disk_needed(build.cycles, build.extent, seeds);
    let done = finished.checked_sub(1).map_or(0, disk);
    let needed = disk(build.seeds).saturating_sub(done) + temporary;
    match machine::free_disk(db) {
        Some(free) if free < needed => Err(Failure::not_possible(
            format!(
                "{} seeds need {} of disk space, and {} are free on the file system of {}",
                build.seeds,
                bytes(needed),
                bytes(free),
                db.display()
            ),
            "build fewer seeds with --seeds, or name a directory on another disk with --db; \
                   --checkpoint off needs less",
        )),
        _ => Ok(()),
    }
}

struct Building {
    meter: Meter,
    /// Positions of layers that are finished.
    finished: AtomicU64,
}

impl Building {
    fn begin(&self, layer: Layer, what: &str) {
        self.meter.begin(format!("{} seeds: {what}", layer.seeds()));
    }
}

/// Describes the current step of the solver.
fn what(progress: Progress) -> String {
    match progress {
        Progress::Captures(captured) => format!("looks up captures of {captured}"),
        Progress::CapturesOfPart(done, parts) => {
            format!("looks up captures, part {} of {parts}", done + 1)
        }
        Progress::Sweep {
            sweep,
            changes,
            positions,
            ..
        } => {
            let share = 100.0 * changes as f64 / positions as f64;
            format!("sweep {sweep}, {share:.1} % of positions changed")
        }
    }
}

impl Watch for Building {
    fn layer_is_checked(&self, layer: Layer) {
        self.begin(layer, "checks the file");
    }

    fn layer_is_lost(&self, layer: Layer, lost: &TableError) {
        let error = with_causes(lost);
        self.meter.expect(layer.len());
        let seeds = layer.seeds();
        self.meter
            .note(&format!("{seeds} seeds: solving the layer again: {error}"));
    }

    fn layer_is_read(&self, layer: Layer) {
        self.begin(layer, &format!("reads {} positions", grouped(layer.len())));
    }

    fn layer_begins(&self, layer: Layer) {
        self.begin(layer, "begins");
    }

    fn layer_goes_on(&self, layer: Layer, progress: Progress) {
        let parts = progress.thousandths(layer);
        let positions = (u128::from(layer.len()) * u128::from(parts) / 1000) as u64;
        self.begin(layer, &what(progress));
        let finished = self.finished.load(Ordering::Relaxed);
        self.meter.reach(finished + positions);
    }

    fn checkpoint(&self, layer: Layer, checkpoint: Checkpoint) {
        let seeds = layer.seeds();
        let note = match checkpoint {
            Checkpoint::Resumed => format!("{seeds} seeds: resuming from the checkpoint"),
            Checkpoint::Refused(error) => {
                let error = with_causes(&error);
                format!("{seeds} seeds: restarting: the checkpoint cannot be used: {error}")
            }
            Checkpoint::NotWritten(error) => {
                let error = with_causes(&error);
                format!("{seeds} seeds: continuing without a checkpoint: {error}")
            }
            _ => return,
        };
        self.meter.note(&note);
    }

    fn layer_is_solved(&self, layer: Layer) {
        self.begin(layer, &format!("writes {} positions", grouped(layer.len())));
    }

    fn layer_is_finished(&self, built: &BuiltLayer) {
        let positions = built.statistics.positions;
        let finished = self.finished.fetch_add(positions, Ordering::Relaxed) + positions;
        let time = built.total;
        let what = format!(
            "{} seeds: {} positions in {}",
            built.statistics.seeds,
            grouped(positions),
            duration(time)
        );
        self.meter.end_part(finished, what, time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_say_how_much_has_changed() {
        let layer = Layer::new(12).unwrap();
        let sweep = |sweep| Progress::Sweep {
            sweep,
            about: 20,
            changes: 31,
            positions: 10_000,
        };
        let text = what(sweep(14));
        assert_eq!(text, "sweep 14, 0.3 % of positions changed");
        assert_eq!(
            [5, 20, 21].map(|at| sweep(at).thousandths(layer)),
            [300, 900, 900]
        );
    }
}
