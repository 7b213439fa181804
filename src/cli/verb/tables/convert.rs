//! `granero convert`: rewrites tables of older formats.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use granero::build::bytes;
use granero::table::{Manifest, OlderTables, TableWriter};
use granero::{Cycles, TableError};

use crate::output::meter::Meter;
use crate::system::interruption;
use granero_answer::{counted, duration, with_causes};
use granero_console::{DbOption, Failure};

/// Rewrite tables of an older format in the present one
///
/// The values stay the same: each layer is compared with its hash in the older manifest. Tables of both
/// conventions for endless play are rewritten. The older tables stay as they are. The same command
/// continues an interrupted conversion.
///
/// The layers are held in memory: one byte per position, twice as much for tables of bounds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero convert --from old-db
  granero convert --from old-db --db archive-db --archive")]
pub(crate) struct Args {
    /// The directory of the older tables
    #[arg(long, value_name = "DIR")]
    from: PathBuf,

    #[command(flatten)]
    db: DbOption,

    /// Write smaller files with slower look-ups, to archive or send
    #[arg(long)]
    archive: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let begin = Instant::now();
    let places = [args.from.clone(), args.from.join(Cycles::OwnSide.name())];
    let mut all = Vec::new();
    for place in places {
        all.extend(OlderTables::open(&place).map_err(not_older)?);
    }
    if all.is_empty() {
        let (path, cycles) = (args.from.clone(), Cycles::default());
        return Err(not_older(TableError::NoTables { path, cycles }));
    }
    let layers = || all.iter().flat_map(|tables| &tables.layers);
    let meter = Arc::new(Meter::new(layers().map(|layer| layer.positions).sum()));
    interruption::say_how_far(&meter);
    let mut bytes_after = 0;
    for older in &all {
        let mut tables = TableWriter::open(args.db.path(), older.kind)?;
        if args.archive {
            tables.archive();
        }
        for (statistics, place) in older.layers.iter().zip(0..) {
            let seeds = statistics.seeds;
            meter.begin(format!("{seeds} seeds"));
            match tables.manifest().layers.get(place) {
                None => drop(tables.add_older(older)?),
                Some(finished) if finished.statistics == *statistics => {}
                Some(_) => {
                    let path = tables.path().into();
                    return Err(TableError::OtherValues { path, seeds }.into());
                }
            }
            meter.add(statistics.positions);
        }
        tables.confirm()?;
        let files = tables.manifest().files().take(older.layers.len());
        bytes_after += files.map(|file| file.bytes).sum::<u64>();
    }
    let files = all.iter().flat_map(|tables| &tables.files);
    let bytes_before = files.fold(0, |sum: u64, file| sum.saturating_add(file.bytes));
    Ok(format!(
        "Converted {} in {}: {} became {}.\n",
        counted(layers().count() as u64, "layer"),
        duration(begin.elapsed()),
        bytes(bytes_before),
        bytes(bytes_after),
    ))
}

/// The failure to open older tables.
fn not_older(error: TableError) -> Failure {
    let (message, help) = match &error {
        TableError::OtherFormat { path, format } if *format == Manifest::FORMAT => (
            format!("{} is of the present format", path.display()),
            "these tables need no conversion",
        ),
        TableError::NoTables { .. } => (
            with_causes(&error),
            "name the directory of the older tables with --from",
        ),
        _ => return error.into(),
    };
    let help = help.into();
    Failure::Data { message, help }
}
