//! `granero stats`: statistics of layers, and a figure of them.

mod text;

use granero::captures::LayerCaptures;
use std::io::Write;
use std::path::PathBuf;

use crate::output::meter::Meter;
use crate::plot;
use crate::system::whole_file::write_whole;
use granero_answer::document::Statistics;
use granero_answer::{Extremes, LayerAnswer, limit_of};
use granero_console::{Failure, TablesOrSample, options};

/// Say how many positions are won, drawn and lost, and more about each layer
///
/// A layer is all positions with the same number of seeds. Without --layer, each layer gets a line.
/// With --layer there are also the histogram of its values and example positions: the first with the
/// highest value, the lowest value, and the longest capture. The layer is then held in memory: one
/// byte per position.
///
/// The figure shows the histogram of the last layer, or of the last chosen one, and the shares of
/// positions won, drawn and lost in all layers.
///
/// With endless play by own-side, positions have bounds: "won" and "lost" then count positions that
/// do not depend on how an endless cycle is decided, and there are histograms of the low bounds, of
/// the high bounds, and of their differences.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero stats
  granero stats --layer 12
  granero stats --layer 8-12 --json
  granero stats --plot abapa.svg
  granero stats --layer 12 --cycles own-side
  granero stats --layer 18 --plot abapa-18.svg --db granero-db")]
pub(crate) struct Args {
    #[command(flatten)]
    layers: options::LayersOption,

    /// Draw a figure into this file, as SVG; its name ends in .svg
    #[arg(long, value_name = "FILE", value_parser = plot::file)]
    plot: Option<PathBuf>,

    #[command(flatten)]
    db: TablesOrSample,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let tables = args.db.ask_to_read()?;
    let layers = args.layers.of(&tables, args.db.path())?;
    let meter = Meter::new(layers.iter().map(|layer| layer.len()).sum());
    let mut reports = Vec::new();
    // In order, because each layer needs the smaller ones.
    let mut reader = args.layers.are_chosen().then(|| tables.layers());
    for layer in layers {
        meter.begin(format!("looks at {} seeds", layer.seeds()));
        let extremes = match &mut reader {
            Some(reader) => Some(Extremes::of(layer, &options::read_layer(reader, layer)?)),
            None => None,
        };
        reports.push(LayerAnswer {
            rules: tables.rules(),
            statistics: &tables.manifest().layers[usize::from(layer.seeds())].statistics,
            limit: limit_of(&tables, layer),
            captures: LayerCaptures::of(tables.rules(), layer),
            extremes,
        });
        meter.add(layer.len());
    }
    drop(meter);
    if let Some(plot) = &args.plot
        && let Some(last) = reports.last()
    {
        let figure = plot::statistics(&tables, last.statistics);
        write_whole(plot, |file| file.write_all(figure.as_bytes()))?;
    }
    if args.json {
        let plot = args.plot.as_ref();
        let plot = plot.map(|plot| plot.display().to_string());
        let document = Statistics::new(&tables, &reports, plot);
        crate::output::json(&document)
    } else {
        Ok(text::describe(args, &tables, &reports))
    }
}
