//! `granero compare`: compares tables with the public Awari score database.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use granero::export::awari::{self, Comparison};
use granero::index::Layer;
use granero::{Cycles, Position, Ruleset};

use crate::output::meter::Meter;
use granero_answer::document::RulesAndCycles;
use granero_answer::{counted, grouped};
use granero_console::{ExistingTables, Failure, options, paint, style};
use serde::{Serialize, Serializer};

/// Compare tables of the rules `awari` with the public Awari score database
///
/// The database has a file for each layer: scores.0, scores.1, … Layers without a file are skipped
/// and reported, unless --layer chooses them. Exits with 1 if a value differs. One layer at a time is
/// held in memory: one byte per position.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero compare --awari awari-files --db awari-db
  granero compare --awari awari-files --db awari-db --layer 8-12 --json")]
pub(crate) struct Args {
    /// The directory of the files scores.N
    #[arg(long, value_name = "DIR")]
    awari: PathBuf,

    #[command(flatten)]
    layers: options::LayersOption,

    #[command(flatten)]
    db: ExistingTables,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let tables = args.db.open()?;
    let directory = args.db.path().display();
    let other = |message| {
        Err(Failure::NotPossible {
            message,
            help: "build tables to compare with `granero build --rules awari --db awari-db`".into(),
        })
    };
    if !tables.extent().is_full() {
        return other(format!(
            "{directory} holds deciding tables, which cannot be compared with all values"
        ));
    }
    let (rules, cycles) = (tables.rules(), tables.cycles());
    if (rules, cycles) != (Ruleset::Awari, Cycles::Split) {
        return other(format!(
            "{directory} holds tables of the ruleset `{rules}` with endless play by `{cycles}`, \
             but the database has `awari` with `split`"
        ));
    }
    let layers = args.layers.of(&tables, args.db.path())?;
    // Check all files first, because reading can take long.
    let mut pairs = Vec::new();
    let mut missing = Vec::new();
    for layer in layers {
        let path = args.awari.join(awari::file_name(layer));
        match open(&path, layer)? {
            Some(file) => pairs.push((layer, path, file)),
            None => missing.push(layer.seeds()),
        }
    }
    if pairs.is_empty() || (args.layers.are_chosen() && !missing.is_empty()) {
        return Err(not_there(args, &missing));
    }

    let positions = pairs.iter().map(|(layer, ..)| awari::len(*layer)).sum();
    let meter = Meter::new(positions);
    let mut compared = Vec::new();
    let mut reader = tables.layers();
    for (layer, path, file) in pairs {
        meter.begin(format!("compares {} seeds", layer.seeds()));
        let values = options::read_layer(&mut reader, layer)?.low();
        let comparison = awari::compare(layer, &values, file, |done| meter.add(done));
        let comparison = comparison.map_err(|error| unreadable(&path, &error))?;
        compared.push(ComparedLayer::new(layer, &comparison));
    }
    drop(meter);

    let document = CompareDocument {
        tables: RulesAndCycles::from(&tables),
        awari: args.awari.display().to_string(),
        positions: compared.iter().map(|layer| layer.positions).sum(),
        different: compared.iter().map(|layer| layer.different).sum(),
        layers: compared,
        missing,
    };
    let output = if args.json {
        crate::output::json(&document)?
    } else {
        document.describe()
    };
    if document.different == 0 {
        Ok(output)
    } else {
        Err(Failure::Negative(output))
    }
}

/// Opens the file of a layer, if it exists, and checks its size.
fn open(path: &Path, layer: Layer) -> Result<Option<File>, Failure> {
    // Checked before the file is opened: opening a pipe would wait for a writer.
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(|error| unreadable(path, &error))?,
    };
    if !metadata.is_file() {
        return Err(Failure::Data {
            message: format!("{} is not a file", path.display()),
            help: "name the directory that holds the files of the database with --awari".into(),
        });
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let expected = awari::len(layer);
    if metadata.len() != expected {
        return Err(Failure::Data {
            message: format!(
                "{} has {} instead of {}, one for each position of the database with {}",
                path.display(),
                counted(metadata.len(), "byte"),
                grouped(expected),
                counted(layer.seeds().into(), "seed")
            ),
            help: "fetch the file again; if it is compressed, decompress it".into(),
        });
    }
    Ok(Some(file))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::Data {
        message: format!("cannot read {}: {error}", path.display()),
        help: "check that it is a file that can be read".into(),
    }
}

fn not_there(args: &Args, missing: &[u8]) -> Failure {
    let directory = args.awari.display();
    Failure::Data {
        message: format!("{directory} does not hold {}", files(missing)),
        help: "name the directory of the files scores.N with --awari, and layers that it holds \
               with --layer"
            .into(),
    }
}

/// Lists the files of these layers, which ascend: `scores.0 to scores.3, scores.5`.
fn files(seeds: &[u8]) -> String {
    let runs = seeds.chunk_by(|a, b| a + 1 == *b);
    let runs = runs.map(|run| match run {
        [first, .., last] => format!("scores.{first} to scores.{last}"),
        [one] => format!("scores.{one}"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// The result of the comparison: the document of `granero compare --json`.
#[derive(Serialize)]
struct CompareDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    awari: String,
    positions: u64,
    different: u64,
    layers: Vec<ComparedLayer>,
    missing: Vec<u8>,
}

#[derive(Serialize)]
struct ComparedLayer {
    seeds: u8,
    positions: u64,
    different: u64,
    /// The first differences.
    differences: Vec<DifferenceJson>,
}

#[derive(Serialize)]
struct DifferenceJson {
    #[serde(serialize_with = "as_houses")]
    position: Position,
    ours: i8,
    theirs: i8,
}

fn as_houses<S: Serializer>(position: &Position, serializer: S) -> Result<S::Ok, S::Error> {
    position.houses().serialize(serializer)
}

impl CompareDocument {
    fn describe(&self) -> String {
        let heading = "seeds       compared          equal      different";
        let mut text = paint(style::HEADING, heading) + "\n";
        for layer in &self.layers {
            text += &format!(
                "{:5}  {:>13}  {:>13}  {:>13}\n",
                layer.seeds,
                grouped(layer.positions),
                grouped(layer.positions - layer.different),
                grouped(layer.different),
            );
        }
        for layer in &self.layers {
            text += &layer.describe_differences();
        }
        if !self.missing.is_empty() {
            text += &format!(
                "\nNot compared, because missing: {}.\n",
                files(&self.missing)
            );
        }
        let positions = grouped(self.positions);
        text + &match self.different {
            0 => format!("\nAll {positions} positions have the same value in both.\n"),
            different => format!(
                "\n{} of {positions} differ from the database.\n",
                counted(different, "position")
            ),
        }
    }
}

impl ComparedLayer {
    fn new(layer: Layer, comparison: &Comparison) -> ComparedLayer {
        let differences = comparison.first.iter();
        let differences = differences.map(|difference| DifferenceJson {
            position: difference.position,
            ours: difference.ours,
            theirs: difference.theirs,
        });
        ComparedLayer {
            seeds: layer.seeds(),
            positions: comparison.positions,
            different: comparison.different,
            differences: differences.collect(),
        }
    }

    fn describe_differences(&self) -> String {
        let (seeds, shown) = (self.seeds, self.differences.len() as u64);
        if shown == 0 {
            return String::new();
        }
        let mut text = match self.different - shown {
            0 => format!("\nDifferent with {seeds} seeds:\n"),
            _ => format!("\nDifferent with {seeds} seeds, the first {shown}:\n"),
        };
        text += &(paint(style::HEADING, "  ours  theirs  position") + "\n");
        for difference in &self.differences {
            text += &format!(
                "{:>6}  {:>6}  {}\n",
                signed(difference.ours),
                signed(difference.theirs),
                difference.position
            );
        }
        text
    }
}

/// Formats a byte like a value, even if it is none.
fn signed(byte: i8) -> String {
    match byte {
        0 => "0".into(),
        _ => format!("{byte:+}"),
    }
}
