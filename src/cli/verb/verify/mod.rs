//! `granero verify`: checks tables.

pub(crate) mod awari;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use granero::index::Layer;
use granero::verify::{self, CheckProgress, Fault, FaultKind, LayerReport, MAX_FAULTS};
use granero::{Access, Cycles, Measure, Tables};

use crate::output::meter::{Meter, Unit};
use crate::system::interruption;
use granero_answer::document::RulesAndCycles;
use granero_answer::{counted, documents, duration, heading_of, rate};
use granero_console::{Failure, TablesOrSample, options};

/// Check tables: that every value is right, or that the files are intact
///
/// Computes each value again from the moves of its position, then looks for a line of play that
/// achieves it, so that values which are only consistent with each other do not pass. Both together
/// prove the values: docs/verify.md. The layers are held in memory: one byte per position, three in
/// the layer that is being checked; twice as much for tables of bounds.
///
/// With --sample, only random positions are looked up and compared with their moves, which needs
/// little memory. With --quick, every file is read and compared with its checksums and with its hash
/// in the manifest. With --awari, tables of the rules `awari` are compared with the public score database; layers without
/// a file are skipped and reported, unless --layer chooses them.
///
/// Stops after ten wrong values. Exits with 1 if any value is wrong. Ctrl-C ends it and says how far
/// it came.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero verify
  granero verify --layer 8-12 --db awari-db
  granero verify --cycles own-side
  granero verify --sample 100000
  granero verify --quick --json
  granero verify --awari awari-files --db awari-db")]
pub(crate) struct Args {
    #[command(flatten)]
    layers: options::LayersOption,

    /// Only check K random positions of each layer
    #[arg(long, value_name = "K", value_parser = options::number::<u64>(1..=u64::MAX))]
    sample: Option<u64>,

    /// The seed for --sample: another number draws other positions
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "sample", value_parser = options::number::<u64>(0..=u64::MAX))]
    seed: u64,

    /// Only compare the files with their checksums
    #[arg(long, conflicts_with_all = ["sample", "chosen"])]
    quick: bool,

    /// Compare values with the files scores.0, scores.1, … in this directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sample", "quick", "threads"])]
    awari: Option<PathBuf>,

    /// The number of threads [default: the number of processors]
    #[arg(long, value_name = "T", value_parser = options::number::<u16>(1..=256))]
    pub(super) threads: Option<u16>,

    #[command(flatten)]
    db: TablesOrSample,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let tables = args.db.ask(Access::Read)?;
    if args.quick {
        return quick(args, &tables);
    }
    if let Some(files) = &args.awari {
        return awari::compare(args, &tables, files);
    }
    let layers = args.layers.of(&tables, args.db.path())?;
    let begin = Instant::now();
    let reports = match args.sample {
        Some(positions) => sampled(&tables, &layers, positions, args.seed)?,
        None => checked(&tables, &layers)?,
    };
    let verified = Verified::new(args, &tables, &reports, begin.elapsed());
    let output = if args.json {
        crate::output::json(&verified)?
    } else {
        verified.describe(&tables, &reports)
    };
    Failure::unless(verified.right, output)
}

/// Checks all positions of some layers.
fn checked(tables: &Tables, layers: &[Layer]) -> Result<Vec<LayerReport>, Failure> {
    let positions = layers.iter().map(|layer| layer.len()).sum();
    let meter = interruption::say_how_far(Meter::new(Unit::Positions, positions));
    let chosen = |layer| layers.contains(&layer);
    Ok(verify::check_tables(tables, chosen, |step| match step {
        CheckProgress::Reads(layer) => meter.begin(format!("reads {} seeds", layer.seeds())),
        CheckProgress::Compares(layer) => {
            meter.begin(format!("compares {} seeds with moves", layer.seeds()));
        }
        CheckProgress::LooksForGrounds(layer) => {
            meter.begin(format!(
                "looks for lines of play with {} seeds",
                layer.seeds()
            ));
        }
        CheckProgress::Checked(positions) => meter.add(positions),
        _ => {}
    })?)
}

/// Checks random positions of some layers.
fn sampled(
    tables: &Tables,
    layers: &[Layer],
    positions: u64,
    seed: u64,
) -> Result<Vec<LayerReport>, Failure> {
    let drawn = |layer: &Layer| positions.min(layer.len());
    let all = layers.iter().map(drawn).sum();
    let meter = interruption::say_how_far(Meter::new(Unit::Positions, all));
    let mut reports = Vec::new();
    let mut found = 0;
    for &layer in layers {
        meter.begin(format!("looks up {} seeds", layer.seeds()));
        let mut report = verify::sample(tables, layer, positions, seed, |more| meter.add(more))?;
        report.faults.truncate(MAX_FAULTS - found);
        found += report.faults.len();
        reports.push(report);
        if found == MAX_FAULTS {
            break;
        }
    }
    Ok(reports)
}

documents! {
    /// The output of `granero verify --json`.
    pub(crate) struct Verified(args: &Args, tables: &Tables, reports: &[LayerReport], time: Duration) {
        let checked = reports.iter().map(|report| report.positions).sum();
        ..tables: RulesAndCycles = tables.into(),
        /// As requested; `null` without `--sample`.
        sample: Option<u64> = args.sample,
        /// As requested; `null` without `--sample`.
        seed: Option<u64> = args.sample.map(|_| args.seed),
        /// Nothing is wrong.
        right: bool = reports.iter().all(LayerReport::is_right),
        /// The layers that were checked; at most ten faults in all.
        layers: Vec<VerifiedLayer> = reports.iter().map(VerifiedLayer::new).collect(),
        positions: u64 = checked,
        seconds: f64 = time.as_secs_f64(),
        positions_per_second: f64 = per_second(checked, time),
    }

    /// A layer that was checked.
    struct VerifiedLayer(report: &LayerReport) {
        seeds: u8 = report.layer.seeds(),
        /// Positions that were compared with their moves; 0 if a value is impossible.
        positions: u64 = report.positions,
        /// The statistics in the manifest match the values; `null` with `--sample`.
        histogram_is_right: Option<bool> = report.histogram_is_right,
        /// Positions with wrong values.
        faults: Vec<FaultJson> = report.faults.iter().map(FaultJson::new).collect(),
    }

    /// A wrong value.
    #[schemars(rename = "WrongValue")]
    struct FaultJson(fault: &Fault) {
        position: [u8; 12] = fault.position.houses(),
        /// Only with `own-side`: the wrong bound.
        measure?: &'static str = (fault.measure != Measure::Value).then(|| fault.measure.name()),
        /// The value in the tables.
        value: i8 = fault.value,
        /// `inconsistent`: its moves give another value; `ungrounded`: no line of play realises it; `impossible`: more
        /// than the seeds on the board, or a bound that no split of them gives.
        kind: &'static str = fault.kind.name(),
        /// If `inconsistent`: the value that the moves give; else `null`.
        best: Option<i8> = match fault.kind {
            FaultKind::Inconsistent { best } => Some(best),
            _ => None,
        },
    }

    /// The output of `granero verify --quick --json`.
    pub(crate) struct VerifiedFiles(tables: &Tables, count: usize, size: u64, time: Duration) {
        ..tables: RulesAndCycles = tables.into(),
        /// Intact files.
        files: usize = count,
        /// Their size.
        bytes: u64 = size,
        seconds: f64 = time.as_secs_f64(),
    }
}

impl Verified {
    fn describe(&self, tables: &Tables, reports: &[LayerReport]) -> String {
        let (value, exact) = match (tables.cycles(), tables.extent().is_full()) {
            (Cycles::Split, true) => ("value", "exact"),
            (Cycles::Split, false) => ("value", "exact up to where they are cut off"),
            (Cycles::OwnSide, true) => ("bound", "bounds right"),
            (Cycles::OwnSide, false) => ("bound", "bounds right up to where they are cut off"),
        };
        let mut text = heading_of(tables) + "\n";
        let mut faults = 0;
        for fault in reports.iter().flat_map(|report| &report.faults) {
            text += &format!("{fault}\n");
            faults += 1;
        }
        for report in reports {
            if report.histogram_is_right == Some(false) {
                let seeds = counted(report.layer.seeds().into(), "seed");
                text += &format!("the counts of {value}s with {seeds} in the manifest are wrong\n");
            }
        }
        // Values follow from those of layers with fewer seeds.
        let mut numbered = Layer::all().zip(reports);
        let are_all = numbered.all(|(layer, report)| report.layer == layer);
        let positions = counted(self.positions, "position");
        text += &match (self.right, self.sample) {
            (true, Some(_)) => format!("{positions} drawn: each agrees with its moves"),
            (true, None) if !are_all => {
                format!("{positions}: all {exact}, if the layers with fewer seeds are")
            }
            (true, None) => format!("{positions}: all {exact}"),
            (false, _) if faults == MAX_FAULTS => format!(
                "\nStopped after {MAX_FAULTS} wrong {value}s; \
                 {positions} compared with their moves"
            ),
            (false, _) => format!(
                "\n{}; {positions} compared with their moves",
                counted(faults as u64, &format!("wrong {value}"))
            ),
        };
        let (time, rate) = (
            Duration::from_secs_f64(self.seconds),
            rate(self.positions_per_second),
        );
        text + &format!("; {}, {rate}.\n", duration(time))
    }
}

/// Compares the files with their checksums.
fn quick(args: &Args, tables: &Tables) -> Result<String, Failure> {
    let manifest = tables.manifest();
    let files = manifest.files().count();
    let bytes: u64 = manifest.files().map(|file| file.bytes).sum();
    let begin = Instant::now();
    let meter = interruption::say_how_far(Meter::new(Unit::Bytes, bytes));
    meter.begin("reads files");
    tables.verify_files(|bytes| meter.add(bytes))?;
    drop(meter);
    let time = begin.elapsed();
    if args.json {
        return crate::output::json(&VerifiedFiles::new(tables, files, bytes, time));
    }
    Ok(format!(
        "{} with {} intact; {}, {:.0} MB/s.\n",
        counted(files as u64, "file"),
        counted(bytes, "byte"),
        duration(time),
        per_second(bytes, time) / 1e6,
    ))
}

fn per_second(number: u64, time: Duration) -> f64 {
    number as f64 / time.as_secs_f64().max(1e-9)
}
