//! `granero verify --awari`: compares tables with the public Awari score database, which has a file for each layer.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use granero::export::awari::{self, Comparison, Difference};
use granero::index::Layer;
use granero::{Cycles, Ruleset, Tables, signed};

use super::Args;
use crate::output::meter::{Meter, Unit};
use granero_answer::document::RulesAndCycles;
use granero_answer::{counted, documents, grouped};
use granero_console::{Failure, options, paint, style};

/// Compares layers, one at a time in memory, with the files in a directory.
pub(super) fn compare(args: &Args, tables: &Tables, files: &Path) -> Result<String, Failure> {
    let directory = args.db.path().display();
    let other = |message| {
        Err(Failure::not_possible(
            message,
            "build tables to compare with `granero build --rules awari --db awari-db`",
        ))
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
    let layers = args.layers.of(tables, args.db.path())?;
    // Check all files first, because reading can take long.
    let mut pairs = Vec::new();
    let mut missing = Vec::new();
    for layer in layers {
        let path = files.join(format!("scores.{}", layer.seeds()));
        match open(&path, layer)? {
            Some(file) => pairs.push((layer, path, file)),
            None => missing.push(layer.seeds()),
        }
    }
    if pairs.is_empty() || (args.layers.are_chosen() && !missing.is_empty()) {
        return Err(Failure::data(
            format!("{} does not hold {}", files.display(), names(&missing)),
            "name the directory of the files scores.N with --awari, and layers that it holds with --layer",
        ));
    }

    let positions = pairs.iter().map(|(layer, ..)| awari::len(*layer)).sum();
    let meter = Meter::new(Unit::Positions, positions);
    let mut compared = Vec::new();
    let mut reader = tables.layers();
    for (layer, path, file) in pairs {
        meter.begin(format!("compares {} seeds", layer.seeds()));
        let values = options::read_layer(&mut reader, layer)?.low();
        let comparison = awari::compare(layer, &values, file, |done| meter.add(done));
        let comparison = comparison.map_err(|error| unreadable(&path, &error))?;
        compared.push((layer, comparison));
    }
    drop(meter);

    let document = ComparedTables::new(files, tables, &compared, missing);
    let output = if args.json {
        crate::output::json(&document)?
    } else {
        document.describe()
    };
    Failure::unless(document.different == 0, output)
}

documents! {
    /// The output of `granero verify --awari --json`.
    pub(crate) struct ComparedTables(
        directory: &Path, tables: &Tables, compared: &[(Layer, Comparison)], absent: Vec<u8>
    ) {
        let sum = |of: fn(&Comparison) -> u64| compared.iter().map(|(_, found)| of(found)).sum();
        ..tables: RulesAndCycles = tables.into(),
        /// The directory of the files `scores.N`.
        awari: String = directory.display().to_string(),
        /// Positions that were compared.
        positions: u64 = sum(|comparison| comparison.positions),
        /// Positions with another value in the files.
        different: u64 = sum(|comparison| comparison.different),
        layers: Vec<ComparedLayer> = compared.iter().map(|(layer, found)| ComparedLayer::new(*layer, found)).collect(),
        /// Layers without a file.
        missing: Vec<u8> = absent,
    }

    /// A layer that was compared.
    struct ComparedLayer(layer: Layer, comparison: &Comparison) {
        seeds: u8 = layer.seeds(),
        positions: u64 = comparison.positions,
        different: u64 = comparison.different,
        /// The first ten.
        differences: Vec<DifferenceJson> = comparison.first.iter().map(DifferenceJson::new).collect(),
    }

    /// A position with another value.
    #[schemars(rename = "Difference")]
    struct DifferenceJson(difference: &Difference) {
        position: [u8; 12] = difference.position.houses(),
        /// The value in the tables.
        ours: i8 = difference.ours,
        /// The value in the file.
        theirs: i8 = difference.theirs,
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
        return Err(Failure::data(
            format!("{} is not a file", path.display()),
            "name the directory that holds the files of the database with --awari",
        ));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let expected = awari::len(layer);
    if metadata.len() != expected {
        return Err(Failure::data(
            format!(
                "{} has {} instead of {}, one for each position of the database with {}",
                path.display(),
                counted(metadata.len(), "byte"),
                grouped(expected),
                counted(layer.seeds().into(), "seed")
            ),
            "fetch the file again; if it is compressed, decompress it",
        ));
    }
    Ok(Some(file))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::unreadable(path, error, "check that it is a file that can be read")
}

/// Lists the files of these layers, which ascend: `scores.0 to scores.3, scores.5`.
fn names(seeds: &[u8]) -> String {
    let runs = seeds.chunk_by(|a, b| a + 1 == *b);
    let runs = runs.map(|run| match run {
        [first, .., last] => format!("scores.{first} to scores.{last}"),
        [one] => format!("scores.{one}"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

impl ComparedTables {
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
            let shown = layer.differences.len() as u64;
            if shown == 0 {
                continue;
            }
            let first = match layer.different - shown {
                0 => String::new(),
                _ => format!(", the first {shown}"),
            };
            text += &format!("\nDifferent with {} seeds{first}:\n", layer.seeds);
            text += &(paint(style::HEADING, "  ours  theirs  position") + "\n");
            for difference in &layer.differences {
                let [ours, theirs] = [difference.ours, difference.theirs].map(signed);
                let houses = difference.position.map(|seeds| seeds.to_string());
                text += &format!("{ours:>6}  {theirs:>6}  {}\n", houses.join(" "));
            }
        }
        if !self.missing.is_empty() {
            let missing = names(&self.missing);
            text += &format!("\nNot compared, because missing: {missing}.\n");
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
