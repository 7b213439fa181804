//! `granero stats`: what can be said of layers in a few numbers, and a figure of them.

use std::path::PathBuf;

use granero::captures::{LayerCaptures, LongestCapture};
use granero::index::Layer;
use granero::table::{LayerStatistics, Tables};
use granero::{House, Position, Ruleset, Value};
use serde::Serialize;

use super::failure::Failure;
use super::meter::Meter;
use super::options::{self, counted, grouped};
use super::plot::{Figure, PlotFile};
use super::style::{self, paint};
use super::whole_file::write_whole;

/// Say how many positions are won, drawn and lost, and more about each layer
///
/// A layer is all positions with the same number of seeds. Without --layer there is a line for
/// each layer. With --layer there are also the histogram of its values, and example positions:
/// the first with the highest value, with the lowest, and with the longest capture. For these
/// the layer is held in memory, a byte for each position.
///
/// The figure has the histogram of the last layer, or the last chosen one, and the shares won,
/// drawn and lost in all layers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero stats
  granero stats --layer 12
  granero stats --layer 8-12 --json
  granero stats --plot abapa.svg
  granero stats --layer 18 --plot abapa-18.png --db granero-db")]
pub(super) struct Args {
    #[command(flatten)]
    layers: options::Layers,

    /// Draw a figure into this file, whose name ends in .svg or .png
    #[arg(long, value_name = "FILE", value_parser = PlotFile::parse)]
    plot: Option<PlotFile>,

    /// The directory of the tables
    #[arg(long, value_name = "DIR", default_value = options::DIRECTORY)]
    db: PathBuf,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let tables = Tables::open(&args.db)?;
    let layers = args.layers.of(&tables)?;
    let mut meter = Meter::new(layers.iter().map(|layer| layer.len()).sum());
    let mut reports = Vec::new();
    // One after the other, for every layer takes those before it.
    let mut reader = args.layers.are_chosen().then(|| tables.layers());
    for layer in layers {
        meter.begin(format!("looks at {} seeds", layer.seeds()));
        let extremes = match &mut reader {
            Some(reader) => Some(Extremes::of(layer, &options::read(reader, layer)?)),
            None => None,
        };
        reports.push(Report::of(&tables, layer, extremes));
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
        write_whole(&plot.path, |file| figure.write(plot, file))?;
    }
    let answer = Answer {
        args,
        tables: &tables,
        reports,
    };
    if args.json {
        super::json(&answer.json())
    } else {
        Ok(answer.describe())
    }
}

struct Answer<'a> {
    args: &'a Args,
    tables: &'a Tables,
    reports: Vec<Report<'a>>,
}

/// What is said of a layer.
pub(super) struct Report<'a> {
    pub(super) rules: Ruleset,
    pub(super) statistics: &'a LayerStatistics,
    pub(super) captures: LayerCaptures,
    /// Only if the layer was chosen.
    pub(super) extremes: Option<Extremes>,
}

/// The first positions with the lowest and the highest value of a layer.
pub(super) struct Extremes {
    lowest: Example,
    highest: Example,
}

struct Example {
    value: i8,
    position: Position,
}

impl<'a> Report<'a> {
    fn of(tables: &'a Tables, layer: Layer, extremes: Option<Extremes>) -> Report<'a> {
        let seeds = usize::from(layer.seeds());
        Report {
            rules: tables.rules(),
            statistics: &tables.manifest().layers[seeds],
            captures: LayerCaptures::of(tables.rules(), layer),
            extremes,
        }
    }

    /// The longest capture, with the first house that makes it.
    fn longest_capture(&self) -> Option<(LongestCapture, House)> {
        let longest = self.captures.longest?;
        let moves = self.rules.moves(&longest.position);
        let play = moves
            .iter()
            .find(|play| play.captured == longest.captured)?;
        Some((longest, play.house))
    }

    fn capturing_share(&self) -> f64 {
        percent(self.captures.capturing, self.statistics.positions)
    }

    /// The layer in a line of a table.
    fn line(&self) -> String {
        let statistics = self.statistics;
        let share = |count| percent(count, statistics.positions);
        let longest = self.captures.longest.map_or(0, |longest| longest.captured);
        format!(
            "{:5}  {:>13}  {:4.0} %  {:3.0} %  {:3.0} %  {:>+6.3}  {:4.0} %  {longest:>7}\n",
            statistics.seeds,
            grouped(statistics.positions),
            share(statistics.wins()),
            share(statistics.draws()),
            share(statistics.losses()),
            statistics.mean(),
            self.capturing_share(),
        )
    }

    /// All about the layer.
    fn section(&self) -> String {
        let statistics = self.statistics;
        let heading = format!(
            "{}, {}",
            counted(statistics.seeds.into(), "seed"),
            counted(statistics.positions, "position")
        );
        let mut text = paint(style::HEADING, heading) + "\n\n";
        for (name, count) in [
            ("won", statistics.wins()),
            ("drawn", statistics.draws()),
            ("lost", statistics.losses()),
            ("with a capture", self.captures.capturing),
        ] {
            text += &format!(
                "{name:14}  {:>13}  {:5.1} %\n",
                grouped(count),
                percent(count, statistics.positions)
            );
        }
        text += &format!("mean value      {:>+13.3}\n\n", statistics.mean());
        text += &self.histogram();
        text += &self.examples();
        text
    }

    /// The values that occur, with bars.
    fn histogram(&self) -> String {
        const LONGEST_BAR: f64 = 40.0;
        let LayerStatistics {
            histogram,
            positions,
            ..
        } = self.statistics;
        let most = histogram.iter().map(|&(_, count)| count).max().unwrap_or(1);
        let mut text = paint(style::HEADING, "value      positions    share") + "\n";
        for &(value, count) in histogram {
            let length = (count as f64 / most as f64 * LONGEST_BAR).round() as usize;
            let line = format!(
                "{:>5}  {:>13}  {:5.1} %  {}",
                signed(value),
                grouped(count),
                percent(count, *positions),
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
        if let Some(Extremes { lowest, highest }) = &self.extremes {
            for (name, example) in [("highest value", highest), ("lowest value", lowest)] {
                text += &line(name, &signed(example.value), example.position.to_string());
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

    pub(super) fn json(&self) -> LayerJson<'_> {
        let statistics = self.statistics;
        let extremes = self.extremes.as_ref();
        LayerJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            wins: statistics.wins(),
            draws: statistics.draws(),
            losses: statistics.losses(),
            mean: statistics.mean(),
            histogram: &statistics.histogram,
            capturing: self.captures.capturing,
            longest_capture: self.longest_capture().map(|(longest, house)| LongestJson {
                captured: longest.captured,
                position: longest.position.houses(),
                house: house.to_string(),
            }),
            lowest: extremes.map(|extremes| extremes.lowest.json()),
            highest: extremes.map(|extremes| extremes.highest.json()),
            sha256: &statistics.sha256,
        }
    }
}

impl Extremes {
    fn of(layer: Layer, values: &[i8]) -> Extremes {
        let mut lowest = 0;
        let mut highest = 0;
        for (index, &value) in values.iter().enumerate() {
            if value < values[lowest] {
                lowest = index;
            }
            if value > values[highest] {
                highest = index;
            }
        }
        let example = |index: usize| Example {
            value: values[index],
            position: layer
                .position(index as u64)
                .expect("as many positions as values"),
        };
        Extremes {
            lowest: example(lowest),
            highest: example(highest),
        }
    }
}

impl Example {
    fn json(&self) -> ExampleJson {
        ExampleJson {
            value: self.value,
            position: self.position.houses(),
        }
    }
}

fn percent(part: u64, all: u64) -> f64 {
    part as f64 / all as f64 * 100.0
}

/// A value of the histogram with its sign.
fn signed(value: i8) -> String {
    Value::new(value).map_or_else(|| value.to_string(), |value| value.to_string())
}

impl Answer<'_> {
    fn describe(&self) -> String {
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        let mut text = format!("Rules {rules}, endless play by {cycles}.\n\n");
        if self.args.layers.are_chosen() {
            let sections: Vec<String> = self.reports.iter().map(Report::section).collect();
            text += &sections.join("\n");
        } else {
            let heading = "seeds      positions     won  drawn   lost    mean  capture  longest";
            text += &(paint(style::HEADING, heading) + "\n");
            text.extend(self.reports.iter().map(Report::line));
            text += "\n\"Won\" means that the player to move ends up with more of these seeds \
                     than the\nopponent, \"mean\" is by how many more on average, \"capture\" the \
                     share of positions\nwith a move that captures, and \"longest\" the most seeds \
                     that one move captures.\n\
                     With --layer N there are the histogram of a layer and example positions.\n";
        }
        if let Some(plot) = &self.args.plot {
            text += &format!("\nThe figure is in {}.\n", plot.path.display());
        }
        text
    }

    fn json(&self) -> Document<'_> {
        let plot = self.args.plot.as_ref();
        Document {
            rules: self.tables.rules().name(),
            cycles: self.tables.cycles().name(),
            layers: self.reports.iter().map(Report::json).collect(),
            plot: plot.map(|plot| plot.path.display().to_string()),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    rules: &'static str,
    cycles: &'static str,
    layers: Vec<LayerJson<'a>>,
    plot: Option<String>,
}

#[derive(Serialize)]
pub(super) struct LayerJson<'a> {
    seeds: u8,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    mean: f64,
    histogram: &'a [(i8, u64)],
    capturing: u64,
    longest_capture: Option<LongestJson>,
    lowest: Option<ExampleJson>,
    highest: Option<ExampleJson>,
    sha256: &'a str,
}

#[derive(Serialize)]
struct LongestJson {
    captured: u8,
    position: [u8; 12],
    house: String,
}

#[derive(Serialize)]
struct ExampleJson {
    value: i8,
    position: [u8; 12],
}
