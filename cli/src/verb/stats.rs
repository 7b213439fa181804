//! `granero stats`: what can be said of layers in a few numbers, and a figure of them.

use granero::captures::{LayerCaptures, LongestCapture};
use granero::index::Layer;
use granero::table::{LayerStatistics, Sha256, Tables};
use granero::{Cycles, House, Measured, Position, Ruleset, Value};
use serde::Serialize;

use crate::db::Existing;
use crate::document::HighJson;
use crate::failure::Failure;
use crate::meter::Meter;
use crate::options::{self, counted, grouped};
use crate::plot::{Figure, PlotFile};
use crate::style::{self, paint};
use crate::whole_file::write_whole;

/// Say how many positions are won, drawn and lost, and more about each layer
///
/// A layer is all positions with the same number of seeds. Without --layer there is a line for
/// each layer. With --layer there are also the histogram of its values, and example positions:
/// the first with the highest value, with the lowest, and with the longest capture. For these
/// the layer is held in memory, a byte for each position.
///
/// The figure has the histogram of the last layer, or the last chosen one, and the shares won,
/// drawn and lost in all layers.
///
/// Where endless play gives each player the seeds on the own side, positions have bounds: "won"
/// and "lost" are said of those where it does not matter how an endless cycle is decided, and
/// there are histograms of the low bounds, of the high ones, and of how far they are apart.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero stats
  granero stats --layer 12
  granero stats --layer 8-12 --json
  granero stats --plot abapa.svg
  granero stats --layer 12 --cycles own-side
  granero stats --layer 18 --plot abapa-18.png --db granero-db")]
pub(crate) struct Args {
    #[command(flatten)]
    layers: options::Layers,

    /// Draw a figure into this file, whose name ends in .svg or .png
    #[arg(long, value_name = "FILE", value_parser = PlotFile::parse)]
    plot: Option<PlotFile>,

    #[command(flatten)]
    db: Existing,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let tables = args.db.open()?;
    let layers = args.layers.of(&tables, args.db.path())?;
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
        crate::output::json(&answer.json())
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
pub(crate) struct Report<'a> {
    pub(crate) rules: Ruleset,
    pub(crate) statistics: &'a LayerStatistics,
    pub(crate) captures: LayerCaptures,
    /// Only if the layer was chosen.
    pub(crate) extremes: Option<Extremes>,
}

/// The first positions with the lowest and the highest value of a layer, and with the bounds
/// that are furthest apart.
pub(crate) struct Extremes {
    lowest: Example,
    highest: Example,
    widest: Option<(Position, Measured<i8>)>,
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
            statistics: &tables.manifest().layers[seeds].statistics,
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
            ("won", Some(statistics.wins())),
            ("drawn", Some(statistics.draws)),
            ("lost", Some(statistics.losses())),
            ("undecided", undecided(statistics)),
            ("one value", exact(statistics)),
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
                text += &self.histogram("apart", &gaps).replace('+', " ");
            }
        }
        text += &self.examples();
        text
    }

    /// The values that occur, with bars.
    fn histogram(&self, name: &str, histogram: &[(i8, u64)]) -> String {
        const LONGEST_BAR: f64 = 40.0;
        let positions = self.statistics.positions;
        let most = histogram.iter().map(|&(_, count)| count).max().unwrap_or(1);
        let heading = format!("{name:5}      positions    share");
        let mut text = paint(style::HEADING, heading) + "\n";
        for &(value, count) in histogram {
            let length = (count as f64 / most as f64 * LONGEST_BAR).round() as usize;
            let line = format!(
                "{:>5}  {:>13}  {:5.1} %  {}",
                signed(value),
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
                text += &line(name, &signed(example.value), example.position.to_string());
            }
            if let Some((position, bounds)) = widest {
                let apart = bounds.high() - bounds.low();
                let [low, high] = [bounds.low(), bounds.high()].map(signed);
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

    pub(crate) fn json(&self) -> LayerJson<'_> {
        let statistics = self.statistics;
        let extremes = self.extremes.as_ref();
        let low = statistics.values.as_ref().low();
        LayerJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            wins: statistics.wins(),
            draws: statistics.draws,
            losses: statistics.losses(),
            exact: exact(statistics),
            mean: low.mean(),
            histogram: &low.histogram,
            capturing: self.captures.capturing,
            longest_capture: self.longest_json(),
            lowest: extremes.map(|extremes| extremes.lowest.json()),
            highest: extremes.map(|extremes| extremes.highest.json()),
            widest: extremes
                .and_then(|extremes| extremes.widest)
                .map(WidestJson::from),
            sha256: low.sha256,
            high: HighJson::of(statistics),
        }
    }

    pub(crate) fn longest_json(&self) -> Option<LongestJson> {
        let (longest, house) = self.longest_capture()?;
        Some(LongestJson {
            captured: longest.captured,
            position: longest.position.houses(),
            house: house.to_string(),
        })
    }
}

/// Positions where it depends on how an endless cycle is decided who wins, if there are
/// bounds.
pub(crate) fn undecided(statistics: &LayerStatistics) -> Option<u64> {
    let decided = statistics.wins() + statistics.draws + statistics.losses();
    has_bounds(statistics).then(|| statistics.positions - decided)
}

/// Positions that have one value all the same, if there are bounds.
fn exact(statistics: &LayerStatistics) -> Option<u64> {
    has_bounds(statistics).then(|| statistics.exact())
}

fn has_bounds(statistics: &LayerStatistics) -> bool {
    matches!(statistics.values, Measured::Bounds { .. })
}

impl Extremes {
    fn of(layer: Layer, values: &Measured<Vec<i8>>) -> Extremes {
        let position = |index: usize| {
            let position = layer.position(index as u64);
            position.expect("as many positions as values")
        };
        let (low, high) = (values.as_ref().low(), values.as_ref().high());
        // What is certain for either side: the lowest value is one that cannot be more.
        let example = |values: &[i8], index: usize| Example {
            value: values[index],
            position: position(index),
        };
        let widest = first_of(low.len(), |index| {
            i16::from(high[index]) - i16::from(low[index])
        });
        Extremes {
            lowest: example(high, first_of(high.len(), |index| -i16::from(high[index]))),
            highest: example(low, first_of(low.len(), |index| i16::from(low[index]))),
            widest: match values {
                Measured::Value(_) => None,
                Measured::Bounds { low, high } => Some((
                    position(widest),
                    Measured::Bounds {
                        low: low[widest],
                        high: high[widest],
                    },
                )),
            },
        }
    }
}

/// The first number for which something is largest; there is one number at least.
fn first_of(count: usize, what: impl Fn(usize) -> i16) -> usize {
    let mut first = 0;
    for number in 1..count {
        if what(number) > what(first) {
            first = number;
        }
    }
    first
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

/// What stands below the table of layers.
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
        let mut text = format!("Rules {rules}, endless play by {cycles}.\n\n");
        if self.args.layers.are_chosen() {
            let sections: Vec<String> = self.reports.iter().map(Report::section).collect();
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
            text.extend(self.reports.iter().map(Report::line));
            text += match cycles {
                Cycles::Split => MEANING,
                Cycles::OwnSide => MEANING_OF_BOUNDS,
            };
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
pub(crate) struct LayerJson<'a> {
    seeds: u8,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<u64>,
    mean: f64,
    histogram: &'a [(i8, u64)],
    capturing: u64,
    longest_capture: Option<LongestJson>,
    lowest: Option<ExampleJson>,
    highest: Option<ExampleJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    widest: Option<WidestJson>,
    sha256: Sha256,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<HighJson<'a>>,
}

#[derive(Serialize)]
struct WidestJson {
    low: i8,
    high: i8,
    position: [u8; 12],
}

impl From<(Position, Measured<i8>)> for WidestJson {
    fn from((position, bounds): (Position, Measured<i8>)) -> WidestJson {
        WidestJson {
            low: bounds.low(),
            high: bounds.high(),
            position: position.houses(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct LongestJson {
    captured: u8,
    position: [u8; 12],
    house: String,
}

#[derive(Serialize)]
struct ExampleJson {
    value: i8,
    position: [u8; 12],
}
