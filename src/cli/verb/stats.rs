//! `granero stats`: statistics of layers, and a figure of them.

use std::io::Write;
use std::path::PathBuf;

use granero::captures::{LayerCaptures, LongestCapture};
use granero::{Access, Cycles, Measured, Tables};

use crate::output::meter::{Meter, Unit};
use crate::plot;
use crate::system::whole_file::write_whole;
use granero_answer::document::Statistics;
use granero_answer::{
    Example, Extremes, LayerAnswer, counted, grouped, heading_of, limit_of, outcomes,
};
use granero_console::{Failure, TablesOrSample, options, paint, style};

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
    let tables = args.db.ask(Access::Read)?;
    let layers = args.layers.of(&tables, args.db.path())?;
    let positions = layers.iter().map(|layer| layer.len()).sum();
    let meter = Meter::new(Unit::Positions, positions);
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
        Ok(describe(args, &tables, &reports))
    }
}

/// Formats a line of the table of layers.
fn line(report: &LayerAnswer<'_>) -> String {
    let statistics = report.statistics;
    let share = |count| percent(count, statistics.positions);
    let longest = report
        .captures
        .longest
        .map_or(0, |longest| longest.captured);
    format!(
        "{:5}  {:>13}  {}  {}  {:4.0} %  {longest:>7}\n",
        statistics.seeds,
        grouped(statistics.positions),
        outcomes(statistics),
        match &statistics.values {
            Measured::Value(values) => format!("{:>+6.3}", values.mean()),
            Measured::Bounds { .. } => format!("{:>8.0} %", share(statistics.exact())),
        },
        share(report.captures.capturing),
    )
}

/// Formats the section about the layer.
fn section(report: &LayerAnswer<'_>) -> String {
    let statistics = report.statistics;
    let heading = format!(
        "{}, {}",
        counted(statistics.seeds.into(), "seed"),
        counted(statistics.positions, "position")
    );
    let mut text = paint(style::HEADING, heading) + "\n\n";
    for (name, count) in [
        ("won", Some(statistics.wins())),
        ("drawn", Some(statistics.draws)),
        ("lost", Some(statistics.losses())),
        ("undecided", report.undecided()),
        ("one value", report.exact()),
        ("with a capture", Some(report.captures.capturing)),
    ] {
        let Some(count) = count else { continue };
        text += &format!(
            "{name:14}  {:>13}  {:5.1} %\n",
            grouped(count),
            percent(count, statistics.positions)
        );
    }
    let number = |value| report.value(value);
    match &statistics.values {
        Measured::Value(values) => {
            text += &format!("mean value      {:>+13.3}\n\n", values.mean());
            text += &histogram(report, "value", &values.histogram, &number);
        }
        Measured::Bounds { low, high } => {
            let gaps = statistics.gaps.iter();
            let gaps: Vec<_> = gaps.map(|&(gap, count)| (gap as i8, count)).collect();
            text.push('\n');
            text += &(histogram(report, "low", &low.histogram, &number) + "\n");
            text += &(histogram(report, "high", &high.histogram, &number) + "\n");
            text += &histogram(report, "apart", &gaps, &|gap| gap.to_string());
        }
    }
    text += &examples(report);
    text
}

/// Formats numbers of positions with bars, each after `text_of` its value.
fn histogram(
    report: &LayerAnswer<'_>,
    name: &str,
    histogram: &[(i8, u64)],
    text_of: &dyn Fn(i8) -> String,
) -> String {
    const LONGEST_BAR: f64 = 40.0;
    let most = histogram.iter().map(|&(_, count)| count).max().unwrap_or(1);
    let texts: Vec<String> = histogram.iter().map(|&(value, _)| text_of(value)).collect();
    // Wider only where values are cut off.
    let width = texts.iter().map(String::len).max().unwrap_or(0).max(5);
    let heading = format!("{name:width$}      positions    share");
    let mut text = paint(style::HEADING, heading) + "\n";
    for (value, &(_, count)) in texts.iter().zip(histogram) {
        let length = (count as f64 / most as f64 * LONGEST_BAR).round() as usize;
        let line = format!(
            "{value:>width$}  {:>13}  {:5.1} %  {}",
            grouped(count),
            percent(count, report.statistics.positions),
            "█".repeat(length)
        );
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn examples(report: &LayerAnswer<'_>) -> String {
    let line = |name: &str, seeds: &str, rest: String| format!("{name:15}  {seeds:>3}  {rest}\n");
    let mut text = "\n".to_string();
    if let Some(Extremes {
        lowest,
        highest,
        widest,
    }) = &report.extremes
    {
        for (name, example) in [("highest value", highest), ("lowest value", lowest)] {
            let value = report.value(example.value.low());
            text += &line(name, &value, example.position.to_string());
        }
        if let Some(Example { value, position }) = widest {
            let (low, high) = (value.low(), value.high());
            let bounds = if low == high {
                report.value(low)
            } else {
                format!("{}…{}", report.value(low), report.value(high))
            };
            let rest = format!("{position}, {bounds}");
            text += &line("furthest apart", &(high - low).to_string(), rest);
        }
    }
    text + &match report.longest_capture() {
        None => "no move captures\n".to_string(),
        Some((LongestCapture { captured, position }, house)) => line(
            "longest capture",
            &captured.to_string(),
            format!("{position}, by house {house}"),
        ),
    }
}

fn percent(part: u64, all: u64) -> f64 {
    part as f64 / all as f64 * 100.0
}

/// The legend below the table of layers.
const MEANING: &str = "
\"Won\" means that the player to move ends up with more of these seeds than the
opponent, \"mean\" is by how many more on average, \"capture\" the share of positions
with a move that captures, and \"longest\" the most seeds that one move captures.
With --layer N there are the histogram of a layer and example positions.
";

const MEANING_OF_BOUNDS: &str = "
\"Won\" means that the player to move ends up with more of these seeds than the
opponent, whichever position of an endless cycle counts. \"One value\" is the share of
positions whose result does not depend on that at all, \"capture\" the share with a move
that captures, and \"longest\" the most seeds that one move captures.
With --layer N there are the histograms of a layer and example positions.
";

fn describe(args: &Args, tables: &Tables, reports: &[LayerAnswer<'_>]) -> String {
    let mut text = heading_of(tables) + "\n";
    if args.layers.are_chosen() {
        let sections: Vec<String> = reports.iter().map(|report| section(report)).collect();
        text += &sections.join("\n");
    } else {
        let heading = match tables.cycles() {
            Cycles::Split => "seeds      positions     won  drawn   lost    mean  capture  longest",
            Cycles::OwnSide => {
                "seeds      positions     won  drawn   lost   one value  capture  longest"
            }
        };
        text += &(paint(style::HEADING, heading) + "\n");
        text.extend(reports.iter().map(|report| line(report)));
        text += match tables.cycles() {
            Cycles::Split => MEANING,
            Cycles::OwnSide => MEANING_OF_BOUNDS,
        };
    }
    if let Some(plot) = &args.plot {
        text += &format!("\nThe figure is in {}.\n", plot.display());
    }
    text
}
