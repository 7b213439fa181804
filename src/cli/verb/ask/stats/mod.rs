//! `granero stats`: statistics of layers, and a figure of them.

use granero::captures::{LayerCaptures, LongestCapture};
use granero::{Cycles, Measured, Tables};
use std::io::Write;
use std::ops::Deref;
use std::path::PathBuf;

use crate::output::meter::Meter;
use crate::plot::{self, Figure};
use crate::system::whole_file::write_whole;
use granero_answer::amounts::{counted, grouped};
use granero_answer::document::StatisticsDocument;
use granero_answer::{Example, Extremes, LayerAnswer, limit_of, meaning_of};
use granero_console::db::ExistingTables;
use granero_console::failure::Failure;
use granero_console::options;
use granero_console::style::{self, paint};

/// Say how many positions are won, drawn and lost, and more about each layer
///
/// A layer is all positions with the same number of seeds. Without --layer there is a line for
/// each layer. With --layer there are also the histogram of its values, and example positions:
/// the first with the highest value, with the lowest, and with the longest capture. This
/// holds the layer in memory, a byte for each position.
///
/// The figure shows the histogram of the last layer, or the last chosen one, and the shares
/// won, drawn and lost in all layers.
///
/// With endless play by own-side, positions have bounds: "won" and "lost" then count those
/// where it does not matter how an endless cycle is decided, and there are histograms of the
/// low bounds, of the high bounds, and of how far they are apart.
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
    db: ExistingTables,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let tables = args.db.open()?;
    let layers = args.layers.of(&tables, args.db.path())?;
    let meter = Meter::new(layers.iter().map(|layer| layer.len()).sum());
    let mut reports = Vec::new();
    // One after the other, because each layer needs those before it.
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
        let figure = Figure {
            rules: tables.rules(),
            cycles: tables.cycles(),
            layers: &tables.manifest().layers,
            histogram: last.statistics,
        };
        write_whole(plot, |file| file.write_all(figure.to_svg().as_bytes()))?;
    }
    let answer = Answer {
        args,
        tables: &tables,
        reports,
    };
    if args.json {
        let plot = args.plot.as_ref();
        let plot = plot.map(|plot| plot.display().to_string());
        let document = StatisticsDocument::new(&tables, &answer.reports, plot);
        crate::output::json(&document)
    } else {
        Ok(answer.describe())
    }
}

struct Answer<'a> {
    args: &'a Args,
    tables: &'a Tables,
    reports: Vec<LayerAnswer<'a>>,
}

/// A report as text.
struct ReportText<'t, 'a>(&'t LayerAnswer<'a>);

impl<'a> Deref for ReportText<'_, 'a> {
    type Target = LayerAnswer<'a>;

    fn deref(&self) -> &LayerAnswer<'a> {
        self.0
    }
}

impl ReportText<'_, '_> {
    fn capturing_share(&self) -> f64 {
        percent(self.captures.capturing, self.statistics.positions)
    }

    /// The layer in a line of a table.
    fn line(&self) -> String {
        let statistics = self.statistics;
        let share = |count| percent(count, statistics.positions);
        let longest = self.captures.longest.map_or(0, |longest| longest.captured);
        format!(
            "{:5}  {:>13}  {:4.0} %  {:3.0} %  {:3.0} %  {}  {:4.0} %  {longest:>7}\n",
            statistics.seeds,
            grouped(statistics.positions),
            share(statistics.wins()),
            share(statistics.draws),
            share(statistics.losses()),
            match &statistics.values {
                Measured::Value(values) => format!("{:>+6.3}", values.mean()),
                Measured::Bounds { .. } => format!("{:>8.0} %", share(statistics.exact())),
            },
            self.capturing_share(),
        )
    }

    /// The whole section about the layer.
    fn section(&self) -> String {
        let statistics = self.statistics;
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
            ("undecided", self.undecided()),
            ("one value", self.exact()),
            ("with a capture", Some(self.captures.capturing)),
        ] {
            let Some(count) = count else { continue };
            text += &format!(
                "{name:14}  {:>13}  {:5.1} %\n",
                grouped(count),
                percent(count, statistics.positions)
            );
        }
        match &statistics.values {
            Measured::Value(values) => {
                text += &format!("mean value      {:>+13.3}\n\n", values.mean());
                text += &self.histogram("value", &values.histogram);
            }
            Measured::Bounds { low, high } => {
                text.push('\n');
                text += &self.histogram("low", &low.histogram);
                text.push('\n');
                text += &self.histogram("high", &high.histogram);
                text.push('\n');
                let gaps: Vec<(i8, u64)> = statistics
                    .gaps
                    .iter()
                    .map(|&(gap, count)| (gap as i8, count))
                    .collect();
                text += &Self::bars("apart", &gaps, statistics.positions, |gap| gap.to_string());
            }
        }
        text += &self.examples();
        text
    }

    /// The values that occur, with bars.
    fn histogram(&self, name: &str, histogram: &[(i8, u64)]) -> String {
        Self::bars(name, histogram, self.statistics.positions, |value| {
            self.value(value)
        })
    }

    /// Numbers of positions with bars; `text` is what stands before each.
    fn bars(
        name: &str,
        histogram: &[(i8, u64)],
        positions: u64,
        text_of: impl Fn(i8) -> String,
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
                percent(count, positions),
                "█".repeat(length)
            );
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    fn examples(&self) -> String {
        let line =
            |name: &str, seeds: &str, rest: String| format!("{name:15}  {seeds:>3}  {rest}\n");
        let mut text = "\n".to_string();
        if let Some(Extremes {
            lowest,
            highest,
            widest,
        }) = &self.extremes
        {
            for (name, example) in [("highest value", highest), ("lowest value", lowest)] {
                text += &line(
                    name,
                    &self.value(example.worth),
                    example.position.to_string(),
                );
            }
            if let Some(Example {
                worth: bounds,
                position,
            }) = widest
            {
                let apart = bounds.high() - bounds.low();
                let [low, high] = [bounds.low(), bounds.high()].map(|bound| self.value(bound));
                let rest = match apart {
                    0 => format!("{position}, {low}"),
                    _ => format!("{position}, {low}…{high}"),
                };
                text += &line("furthest apart", &apart.to_string(), rest);
            }
        }
        text + &match self.longest_capture() {
            None => "no move captures\n".to_string(),
            Some((LongestCapture { captured, position }, house)) => line(
                "longest capture",
                &captured.to_string(),
                format!("{position}, by house {house}"),
            ),
        }
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

impl Answer<'_> {
    fn describe(&self) -> String {
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        let mut text = format!("Rules {rules}, endless play by {cycles}.\n");
        text += &meaning_of(self.tables.extent());
        text.push('\n');
        if self.args.layers.are_chosen() {
            let sections: Vec<String> = self
                .reports
                .iter()
                .map(|report| ReportText(report).section())
                .collect();
            text += &sections.join("\n");
        } else {
            let heading = match cycles {
                Cycles::Split => {
                    "seeds      positions     won  drawn   lost    mean  capture  longest"
                }
                Cycles::OwnSide => {
                    "seeds      positions     won  drawn   lost   one value  capture  longest"
                }
            };
            text += &(paint(style::HEADING, heading) + "\n");
            text.extend(self.reports.iter().map(|report| ReportText(report).line()));
            text += match cycles {
                Cycles::Split => MEANING,
                Cycles::OwnSide => MEANING_OF_BOUNDS,
            };
        }
        if let Some(plot) = &self.args.plot {
            text += &format!("\nThe figure is in {}.\n", plot.display());
        }
        text
    }
}
