//! `granero cite`: references to the program and to tables.

use granero::table::{FinishedLayer, LayerStatistics};
use granero::{Access, Measured, Tables};

use granero_answer::document::{Hashes, RulesAndCycles};
use granero_answer::{capitalised, documents, held};
use granero_console::{Failure, TablesOrSample};

/// Say how to cite this program and the tables of a directory
///
/// Prints two BibTeX entries: one for the program and one for the values. The hash names the values,
/// not their files: any program that solves the same layer under the same rules and the same
/// convention for endless play gets the same hash. `granero info --json` has the hashes of all
/// layers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero cite > granero.bib
  granero cite --db awari-db --cycles own-side
  granero cite --json")]
pub(crate) struct Args {
    #[command(flatten)]
    db: TablesOrSample,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

/// The year of the version, as in CITATION.cff.
const YEAR: u32 = 2026;

/// The address of the program.
const ADDRESS: &str = env!("CARGO_PKG_REPOSITORY");

/// The version that `granero --version` prints.
const VERSION: &str = env!("GRANERO_VERSION");

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let tables = args.db.open(Access::Read)?;
    let Some(FinishedLayer { statistics, .. }) = tables.manifest().layers.last() else {
        return Err(Failure::not_possible(
            "these tables have no layer yet",
            "`granero build` makes some",
        ));
    };
    if args.json {
        return crate::output::json(&Citation::new(&tables, statistics));
    }
    Ok(entries(&tables, statistics))
}

documents! {
    /// The output of `granero cite --json`.
    pub(crate) struct Citation(tables: &Tables, last: &LayerStatistics) {
        /// `granero`.
        program: &'static str = "granero",
        /// In release builds with the commit.
        program_version: &'static str = VERSION,
        /// The year of the version.
        year: u32 = YEAR,
        url: &'static str = ADDRESS,
        ..tables: RulesAndCycles = tables.into(),
        /// The last layer.
        seeds: u8 = last.seeds,
        ..hashes: Hashes = Hashes::new(last),
    }
}

/// Formats the entries, with the hash of the last layer.
pub(super) fn entries(tables: &Tables, last: &LayerStatistics) -> String {
    let seeds = last.seeds;
    let hash = match last.values.as_ref().map(|of| of.sha256) {
        Measured::Value(values) => format!("SHA-256 of the values {values}"),
        Measured::Bounds { low, high } => {
            format!("SHA-256 of the low bounds {low}, of the high bounds {high}")
        }
    };
    let (rules, cycles) = (tables.rules(), tables.cycles());
    let what = capitalised(held(tables.manifest()));
    format!(
        "@software{{granero,
  author  = {{{{The granero authors}}}},
  title   = {{granero: exact endgame tables for Oware}},
  version = {{{VERSION}}},
  year    = {{{YEAR}}},
  url     = {{{ADDRESS}}},
}}

@misc{{granero-{rules}-{cycles}-{seeds},
  author = {{{{The granero authors}}}},
  title  = {{{what} of all positions of Oware with up to {seeds} seeds}},
  year   = {{{YEAR}}},
  url    = {{{ADDRESS}}},
  note   = {{Rules {rules}, endless play by {cycles}, layers 0 to {seeds}.
            Layer {seeds}: {hash}.
            Computed with granero {VERSION}}},
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_year_is_that_of_the_release() {
        let citation = include_str!("../../../CITATION.cff");
        assert!(citation.contains(&format!("\ndate-released: {YEAR}-")));
        assert!(citation.contains(&format!("\nrepository-code: \"{ADDRESS}\"")));
    }
}
