//! Statistics of layers.

use granero::captures::LayerCaptures;
use granero::index::Layer;
use granero::table::{Distribution, Sha256};
use granero::{Measured, Position, Side, Tables};
use serde::Serialize;

use super::UNIT;
use super::layer::{HighJson, OutcomesJson, hashes};
use super::parts::fields::Fields;
use super::parts::rules_and_cycles::RulesAndCycles;
use crate::{Example, LayerAnswer, limit_of};

/// The output of `granero stats --json`.
#[derive(Serialize)]
pub struct StatisticsDocument<'a> {
    #[serde(flatten)]
    tables: RulesAndCycles,
    layers: Vec<LayerJson<'a>>,
    plot: Option<String>,
}

/// The server's answer.
#[derive(Serialize)]
pub struct ServedStatisticsDocument<'a> {
    #[serde(flatten)]
    tables: RulesAndCycles,
    unit: &'static str,
    layers: Vec<ServedLayerJson<'a>>,
}

/// A layer in `stats`: with the low bounds where the values would be.
#[derive(Serialize)]
struct LayerJson<'a> {
    seeds: u8,
    positions: u64,
    /// The limit where values are cut off, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u8>,
    #[serde(flatten)]
    outcomes: OutcomesJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<u64>,
    mean: f64,
    histogram: &'a [(i8, u64)],
    #[serde(flatten)]
    remarkable: RemarkableJson,
    sha256: Sha256,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<HighJson<'a>>,
}

/// A layer in the server's answer: with each bound in an object of its own.
#[derive(Serialize)]
struct ServedLayerJson<'a> {
    seeds: u8,
    positions: u64,
    /// The limit where values are cut off, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u8>,
    #[serde(flatten)]
    values: Measured<DistributionJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gaps: Option<&'a [(u8, u64)]>,
    #[serde(flatten)]
    remarkable: RemarkableJson,
    #[serde(flatten)]
    hashes: Fields<Sha256>,
}

/// The distribution of the values, of the low bounds, or of the high bounds.
#[derive(Serialize)]
struct DistributionJson<'a> {
    #[serde(flatten)]
    outcomes: OutcomesJson,
    mean: f64,
    histogram: &'a [(i8, u64)],
}

/// Captures, and the extreme positions.
#[derive(Serialize)]
struct RemarkableJson {
    capturing: u64,
    longest_capture: Option<LongestCaptureJson>,
    lowest: Option<ExampleJson>,
    highest: Option<ExampleJson>,
    /// Set if positions have bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    widest: Option<ExampleJson>,
}

#[derive(Serialize)]
struct LongestCaptureJson {
    captured: u8,
    position: [u8; 12],
    house: char,
}

#[derive(Serialize)]
struct ExampleJson {
    #[serde(flatten)]
    worth: Fields<i8>,
    position: [u8; 12],
}

impl<'a> StatisticsDocument<'a> {
    /// `plot` is the file of the figure.
    pub fn new(
        tables: &Tables,
        reports: &[LayerAnswer<'a>],
        plot: Option<String>,
    ) -> StatisticsDocument<'a> {
        StatisticsDocument {
            tables: RulesAndCycles::from(tables),
            layers: reports.iter().map(LayerJson::from).collect(),
            plot,
        }
    }
}

impl<'a> ServedStatisticsDocument<'a> {
    /// `captures` computes the captures of a layer.
    pub fn of(
        tables: &'a Tables,
        captures: impl Fn(Layer) -> LayerCaptures,
    ) -> ServedStatisticsDocument<'a> {
        let layers = tables.manifest().layers.iter().zip(Layer::all());
        let reports = layers.map(|(finished, layer)| LayerAnswer {
            rules: tables.rules(),
            statistics: &finished.statistics,
            limit: limit_of(tables, layer),
            captures: captures(layer),
            // These require reading the whole layer.
            extremes: None,
        });
        ServedStatisticsDocument {
            tables: RulesAndCycles::from(tables),
            unit: UNIT,
            layers: reports
                .map(|report| ServedLayerJson::from(&report))
                .collect(),
        }
    }
}

impl<'a> From<&LayerAnswer<'a>> for LayerJson<'a> {
    fn from(report: &LayerAnswer<'a>) -> LayerJson<'a> {
        let statistics = report.statistics;
        let low = statistics.values.as_ref().low();
        LayerJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            limit: report.limit,
            outcomes: OutcomesJson::from(statistics),
            exact: report.exact(),
            mean: low.mean(),
            histogram: &low.histogram,
            remarkable: RemarkableJson::from(report),
            sha256: low.sha256,
            high: HighJson::of(statistics),
        }
    }
}

impl<'a> From<&LayerAnswer<'a>> for ServedLayerJson<'a> {
    fn from(report: &LayerAnswer<'a>) -> ServedLayerJson<'a> {
        let statistics = report.statistics;
        ServedLayerJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            limit: report.limit,
            values: statistics.values.as_ref().map(DistributionJson::from),
            exact: report.exact(),
            undecided: report.undecided(),
            gaps: report.of_bounds(&statistics.gaps),
            remarkable: RemarkableJson::from(report),
            hashes: hashes(statistics),
        }
    }
}

impl<'a> From<&'a Distribution> for DistributionJson<'a> {
    fn from(values: &'a Distribution) -> DistributionJson<'a> {
        DistributionJson {
            outcomes: OutcomesJson::from(values),
            mean: values.mean(),
            histogram: &values.histogram,
        }
    }
}

impl From<&LayerAnswer<'_>> for RemarkableJson {
    fn from(report: &LayerAnswer<'_>) -> RemarkableJson {
        let longest = report.longest_capture();
        let extremes = report.extremes.as_ref();
        let value = |example: &Example<i8>| {
            ExampleJson::new(Measured::Value(example.worth), example.position)
        };
        RemarkableJson {
            capturing: report.captures.capturing,
            longest_capture: longest.map(|(longest, house)| LongestCaptureJson {
                captured: longest.captured,
                position: longest.position.houses(),
                house: house.letter(Side::South),
            }),
            lowest: extremes.map(|extremes| value(&extremes.lowest)),
            highest: extremes.map(|extremes| value(&extremes.highest)),
            widest: extremes
                .and_then(|extremes| extremes.widest.as_ref())
                .map(|widest| ExampleJson::new(widest.worth, widest.position)),
        }
    }
}

impl ExampleJson {
    fn new(worth: Measured<i8>, position: Position) -> ExampleJson {
        ExampleJson {
            worth: Fields::of_worth(worth),
            position: position.houses(),
        }
    }
}
