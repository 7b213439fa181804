//! `granero verify`: whether tables are right.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use granero::table::Tables;
use serde::Serialize;

use super::failure::Failure;
use super::meter::Meter;
use super::options::{self, counted, duration};

/// Check the files of tables
///
/// With --quick every file is read, and compared with its checksums and with the hash in the
/// manifest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero verify --quick
  granero verify --quick --db awari-db --json")]
pub(super) struct Args {
    /// Only compare the files with their checksums
    #[arg(long, required = true)]
    quick: bool,

    /// The directory of the tables
    #[arg(long, value_name = "DIR", default_value = options::DIRECTORY)]
    db: PathBuf,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let tables = Tables::open(&args.db)?;
    quick(args, &tables)
}

/// Compares the files with their checksums.
fn quick(args: &Args, tables: &Tables) -> Result<String, Failure> {
    let manifest = tables.manifest();
    let bytes = manifest.files.iter().map(|file| file.bytes).sum();
    let begin = Instant::now();
    let mut meter = Meter::of_bytes(bytes);
    meter.begin("reads files");
    let meter = Mutex::new(meter);
    tables.verify_files(|bytes| {
        // Whoever waits for a bar to be drawn has read something else meanwhile.
        if let Ok(mut meter) = meter.lock() {
            meter.add(bytes);
        }
    })?;
    drop(meter);
    let time = begin.elapsed();
    if args.json {
        return super::json(&QuickDocument {
            rules: manifest.rules.name(),
            cycles: manifest.cycles.name(),
            files: manifest.files.len(),
            bytes,
            seconds: time.as_secs_f64(),
        });
    }
    Ok(format!(
        "{} with {} {} as written; {}, {:.0} MB/s.\n",
        counted(manifest.files.len() as u64, "file"),
        counted(bytes, "byte"),
        if manifest.files.len() == 1 {
            "is"
        } else {
            "are"
        },
        duration(time),
        per_second(bytes, time) / 1e6,
    ))
}

fn per_second(number: u64, time: Duration) -> f64 {
    number as f64 / time.as_secs_f64().max(1e-9)
}

#[derive(Serialize)]
struct QuickDocument {
    rules: &'static str,
    cycles: &'static str,
    files: usize,
    bytes: u64,
    seconds: f64,
}
