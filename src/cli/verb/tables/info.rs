//! `granero info`: the contents of a directory of tables.

use std::path::Path;

use granero::table::{FinishedLayer, Manifest, is_being_written};
use granero::{Access, Tables};

use granero_answer::amounts::grouped;
use granero_answer::document::{HeldLayerJson, RulesAndCycles, bits_per_position};
use granero_answer::meaning_of;
use granero_console::db::{self, TablesOrSample};
use granero_console::failure::Failure;
use granero_console::style::{self, paint};
use serde::Serialize;

/// Show what a directory of tables holds
///
/// A layer is all positions with the same number of seeds. For each layer: the number of positions,
/// the size of its file, the shares of positions that are won, drawn and lost, and the hash of its
/// values, which is the same wherever the same rules are solved.
///
/// The files are not read; `granero verify` does that.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero info
  granero info --db awari-db
  granero info --json")]
pub(crate) struct Args {
    #[command(flatten)]
    db: TablesOrSample,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let opened = args.db.open(Access::Read)?;
    let directory = opened.directory();
    let info = Info {
        other: args.db.other_convention(&opened, Access::Read)?,
        tables: &opened,
        directory,
        building: directory.map_or(Ok(false), is_being_written)?,
    };
    info.output(args)
}

/// The description of some tables.
struct Info<'a> {
    tables: &'a Tables,
    /// None for the sample.
    directory: Option<&'a Path>,
    /// True if a build is writing to the directory.
    building: bool,
    /// The tables of the other convention in the same directory.
    other: Option<Tables>,
}

impl Info<'_> {
    fn output(&self, args: &Args) -> Result<String, Failure> {
        if args.json {
            crate::output::json(&self.json())
        } else {
            Ok(self.describe())
        }
    }

    fn layers(&self) -> &[FinishedLayer] {
        &self.tables.manifest().layers
    }

    fn positions(&self) -> u64 {
        let layers = self.layers().iter();
        layers.map(|layer| layer.statistics.positions).sum()
    }

    fn bytes(&self) -> u64 {
        self.layers().iter().map(|layer| layer.file.bytes).sum()
    }

    fn describe(&self) -> String {
        let manifest = self.tables.manifest();
        let mut text = match self.directory {
            Some(directory) => format!("{}: ", directory.display()),
            None => format!(
                "There are no tables in {}; these are the sample tables that are part of \
                 granero.\n\n",
                db::DIRECTORY
            ),
        };
        text += &format!(
            "rules {}, endless play by {}, format {}.\n",
            manifest.rules,
            manifest.cycles,
            Manifest::FORMAT
        );
        text += &meaning_of(manifest.extent);
        if self.building {
            text += "A build is writing here now.\n";
        }
        if let Some(other) = &self.other {
            text += &format!(
                "There are also tables with endless play by {0}: granero info --cycles {0}\n",
                other.cycles()
            );
        }
        if manifest.layers.is_empty() {
            return text + "No layer is finished.\n";
        }
        let heading = "seeds      positions          bytes  bits/pos   won  drawn  lost  \
                       SHA-256 of the values";
        text += &(paint(style::HEADING, format!("\n{heading}")) + "\n");
        for finished in self.layers() {
            let (layer, bytes) = (&finished.statistics, finished.file.bytes);
            let share = |count| count as f64 / layer.positions as f64 * 100.0;
            // These digits tell hashes apart; the JSON has all.
            let sha256 = layer.values.as_ref().low().sha256;
            text += &format!(
                "{:5}  {:>13}  {:>13}  {:8.2}  {:2.0} %  {:3.0} %  {:2.0} %  {sha256:.16}…\n",
                layer.seeds,
                grouped(layer.positions),
                grouped(bytes),
                bits_per_position(bytes, layer.positions),
                share(layer.wins()),
                share(layer.draws),
                share(layer.losses()),
            );
        }
        let (positions, bytes) = (self.positions(), self.bytes());
        text + &format!(
            "  all  {:>13}  {:>13}  {:8.2}\n",
            grouped(positions),
            grouped(bytes),
            bits_per_position(bytes, positions),
        )
    }

    fn json(&self) -> InfoDocument<'_> {
        let directory = self.directory;
        InfoDocument {
            tables: RulesAndCycles::from(self.tables),
            format: Manifest::FORMAT,
            db: directory.map(|directory| directory.display().to_string()),
            building: self.building,
            layers: self.layers().iter().map(HeldLayerJson::from).collect(),
            positions: self.positions(),
            bytes: self.bytes(),
        }
    }
}

/// The document of `granero info --json`.
#[derive(Serialize)]
struct InfoDocument<'a> {
    #[serde(flatten)]
    tables: RulesAndCycles,
    format: u32,
    db: Option<String>,
    building: bool,
    layers: Vec<HeldLayerJson<'a>>,
    positions: u64,
    bytes: u64,
}
