//! `granero export`: a layer as a file for other programs.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use granero::export::{self, Layout, awari};
use granero::{Access, Bound, Cycles, Measure, Tables};

use crate::output::meter::Meter;
use crate::output::written_or_closed;
use crate::system::whole_file::write_whole;
use granero_answer::document::RulesAndCycles;
use granero_answer::{counted, documents, limit_of};
use granero_console::{Failure, TablesOrSample, named, options};

/// Write the values of a layer in a layout that other programs read
///
/// raw    a signed byte per position, in the order of the index
/// awari  a signed byte per position, in the layout of the public Awari score database, which
///        leaves out positions whose opponent has seeds in all six houses
/// npy    like raw, as a NumPy array with a column for each bound
/// csv    a line of text per position, in the order of the index
///
/// docs/languages.md shows how to read them. The layer and all smaller ones are held in memory, a
/// byte per position: 1.4 GB for 24 seeds. With bounds this doubles.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  granero export --layer 12 --out abapa.12
  granero export --layer 9 --format awari --out scores.9 --db awari-db
  granero export --layer 4 --format csv | head"
)]
pub(crate) struct Args {
    /// The layer: all positions with N seeds
    #[arg(long, value_name = "N", value_parser = options::seeds())]
    layer: u8,

    /// The layout
    #[arg(
        long,
        value_name = "LAYOUT",
        value_parser = named(Layout::ALL, Layout::name),
        default_value = Layout::Raw.name()
    )]
    format: Layout,

    /// The file to write [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// With own-side: the bound to write, low or high; the layouts csv and npy have both
    #[arg(long, value_name = "BOUND", value_parser = named([Measure::Low, Measure::High], Measure::name))]
    bound: Option<Measure>,

    #[command(flatten)]
    db: TablesOrSample,

    /// Print a report as JSON, see docs/json.md
    #[arg(long, requires = "out")]
    json: bool,
}

fn bound(args: &Args, tables: &Tables) -> Result<Bound, Failure> {
    let refuse = |message: &str, help: &str| Err(Failure::not_possible(message, help));
    match (tables.cycles(), args.bound) {
        (Cycles::Split, None) => Ok(Bound::Low),
        (Cycles::Split, Some(_)) => refuse(
            "--bound needs tables of bounds, and these hold values",
            "leave out --bound, or ask for tables of bounds with --cycles own-side",
        ),
        (Cycles::OwnSide, Some(measure)) => Ok(measure.bound()),
        // Both are written.
        (Cycles::OwnSide, None) if matches!(args.format, Layout::Csv | Layout::Npy) => {
            Ok(Bound::Low)
        }
        (Cycles::OwnSide, None) => refuse(
            "these tables hold two bounds for each position",
            "choose one with --bound low or --bound high, or both with --format csv or npy",
        ),
    }
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let on_terminal = args.out.is_none() && io::stdout().is_terminal();
    if on_terminal && !args.format.is_text() {
        return Err(Failure::not_possible(
            format!(
                "the layout `{}` cannot be written to a terminal",
                args.format.name()
            ),
            "name a file with --out, or choose --format csv",
        ));
    }
    let tables = args.db.ask(Access::Read)?;
    let bound = bound(args, &tables)?;
    let layer = options::layer_of(&tables, args.layer, args.db.path())?;
    let positions = match args.format {
        Layout::Awari => awari::len(layer),
        _ => layer.len(),
    };
    let extent = tables.extent();
    let meter = Meter::unless(on_terminal, positions);
    meter.begin(format!("reads {} seeds", args.layer));
    let values = tables.layer(args.layer)?;
    meter.begin(format!("writes {} seeds", args.layer));
    let write = |mut out: &mut dyn Write| {
        export::write(
            args.format,
            layer,
            extent,
            &values,
            bound,
            &mut out,
            |done| meter.add(done),
        )
    };
    let Some(path) = &args.out else {
        let mut stdout = io::stdout().lock();
        written_or_closed(write(&mut stdout).and_then(|()| stdout.flush()))?;
        return Ok(String::new());
    };
    write_whole(path, |file| write(file))?;
    drop(meter);
    let limit = limit_of(&tables, layer);
    if args.json {
        return crate::output::json(&Exported::new(args, &tables, path, limit, positions));
    }
    let marked = if args.format.is_text() {
        ", and is marked"
    } else {
        ""
    };
    let cut_off = limit.map_or_else(String::new, |limit| {
        format!(
            "These are deciding tables: {limit} means {limit} or more, -{limit} means -{limit} or less{marked}.\n"
        )
    });
    Ok(format!(
        "Wrote {} with {} to {}.\n{cut_off}",
        counted(positions, "position"),
        counted(args.layer.into(), "seed"),
        path.display()
    ))
}

documents! {
    /// The output of `granero export --json`.
    pub(crate) struct Exported(args: &Args, tables: &Tables, path: &Path, largest: Option<u8>, count: u64) {
        ..tables: RulesAndCycles = tables.into(),
        seeds: u8 = args.layer,
        /// The layout: `raw`, `awari`, `npy` or `csv`.
        format: &'static str = args.format.name(),
        /// Only with `--bound`.
        bound?: &'static str = args.bound.map(Measure::name),
        /// Only if deciding tables cut values off: the largest value.
        limit?: u8 = largest,
        /// The file.
        out: String = path.display().to_string(),
        positions: u64 = count,
    }
}
