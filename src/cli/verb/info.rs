//! `granero info`: the contents of a directory of tables.

use granero::table::{Manifest, is_being_written};
use granero::{Access, Tables};

use granero_answer::document::{HeldLayer, RulesAndCycles, bits_per_position};
use granero_answer::{documents, grouped, meaning_of, outcomes};
use granero_console::{Failure, TablesOrSample, db, paint, style};

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

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let opened = args.db.open(Access::Read)?;
    let other = args.db.other_convention(&opened, Access::Read);
    let directory = opened.directory();
    let building = directory.map_or(Ok(false), is_being_written)?;
    let info = Info::new(&opened, building);
    if args.json {
        return crate::output::json(&info);
    }
    Ok(info.describe(&opened, other))
}

documents! {
    /// The output of `granero info --json`.
    pub(crate) struct Info(opened: &Tables, is_growing: bool) {
        let all = &opened.manifest().layers;
        ..tables: RulesAndCycles = opened.into(),
        /// The version of the manifest.
        format: u32 = Manifest::FORMAT,
        /// The directory; `null` for the sample tables of the program.
        db: Option<String> = opened.directory().map(|directory| directory.display().to_string()),
        /// A build is writing to the directory, as far as is known.
        building: bool = is_growing,
        /// The finished layers.
        layers: Vec<HeldLayer> = all.iter().map(HeldLayer::new).collect(),
        positions: u64 = all.iter().map(|layer| layer.statistics.positions).sum(),
        bytes: u64 = all.iter().map(|layer| layer.file.bytes).sum(),
    }
}

impl Info {
    /// `other` are the tables of the other convention in the same directory.
    fn describe(&self, tables: &Tables, other: Option<Tables>) -> String {
        let manifest = tables.manifest();
        let mut text = match tables.directory() {
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
        if let Some(other) = other {
            text += &format!(
                "There are also tables with endless play by {0}: granero info --cycles {0}\n",
                other.cycles()
            );
        }
        if manifest.layers.is_empty() {
            return text + "No layer is finished.\n";
        }
        let heading = "seeds      positions          bytes  bits/pos     won  drawn   lost  \
                       SHA-256 of the values";
        text += &(paint(style::HEADING, format!("\n{heading}")) + "\n");
        for finished in &manifest.layers {
            let (layer, bytes) = (&finished.statistics, finished.file.bytes);
            // These digits tell hashes apart; the JSON has all.
            let sha256 = layer.values.as_ref().low().sha256;
            text += &format!(
                "{:5}  {:>13}  {:>13}  {:8.2}  {}  {sha256:.16}…\n",
                layer.seeds,
                grouped(layer.positions),
                grouped(bytes),
                bits_per_position(bytes, layer.positions),
                outcomes(layer),
            );
        }
        text + &format!(
            "  all  {:>13}  {:>13}  {:8.2}\n",
            grouped(self.positions),
            grouped(self.bytes),
            bits_per_position(self.bytes, self.positions),
        )
    }
}
