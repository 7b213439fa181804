//! Statistics of layers.

use std::time::Duration;

use granero::captures::LayerCaptures;
use granero::index::Layer;
use granero::table::{Distribution, FinishedLayer, LayerStatistics};
use granero::{Measured, Position, Side, Tables};

use super::UNIT;
use super::parts::{Houses, RulesAndCycles, ValueOrBounds, one_or_two};
use crate::{Example, LayerAnswer, documents, limit_of};

documents! {
    /// The output of `granero stats --json`. `figure` is the file of the figure.
    pub struct Statistics(tables: &Tables, reports: &[LayerAnswer<'_>], figure: Option<String>) {
        ..tables: RulesAndCycles = tables.into(),
        /// All layers, or those that `--layer` chooses.
        layers: Vec<LayerJson> = reports.iter().map(LayerJson::new).collect(),
        /// The file of the figure, or `null`.
        plot: Option<String> = figure,
    }

    /// A layer in `stats`.
    #[schemars(rename = "Layer")]
    struct LayerJson(report: &LayerAnswer<'_>) {
        let statistics = report.statistics;
        let low = statistics.values.as_ref().low();
        seeds: u8 = statistics.seeds,
        positions: u64 = statistics.positions,
        /// Only if deciding tables cut values off: the largest value.
        limit?: u8 = report.limit,
        ..outcomes: Outcomes = Outcomes::of(statistics),
        /// With `own-side`: positions whose bounds are equal.
        exact?: u64 = report.exact(),
        /// The mean value; with `own-side` of low bounds.
        mean: f64 = low.mean(),
        /// Pairs of a value and its number of positions; with `own-side` of low bounds.
        histogram: Vec<(i8, u64)> = low.histogram.clone(),
        ..remarkable: Remarkable = Remarkable::new(report),
        /// SHA-256 of all values, as `export --format raw` writes them; with `own-side` of low bounds.
        sha256: String = low.sha256.to_string(),
        /// With `own-side`: the high bounds.
        high?: HighBounds = HighBounds::of(statistics),
    }

    /// Captures, and the extreme positions.
    struct Remarkable(report: &LayerAnswer<'_>) {
        let longest = report.longest_capture();
        let extremes = report.extremes.as_ref();
        /// Positions with a legal move that captures.
        capturing: u64 = report.captures.capturing,
        /// The largest capture, and the first position with it; `null` if no move captures.
        longest_capture: Option<LongestCapture> = longest.map(|(longest, house)| {
            LongestCapture::new(longest.captured, longest.position, house.letter(Side::South))
        }),
        /// The first position with the lowest value or high bound; `null` without `--layer`.
        lowest: Option<ExtremePosition> = extremes.map(|all| ExtremePosition::new(&all.lowest)),
        /// The first position with the highest value or low bound.
        highest: Option<ExtremePosition> = extremes.map(|all| ExtremePosition::new(&all.highest)),
        /// With `own-side` and `--layer`: the first position with the widest bounds.
        widest?: ExtremePosition = extremes.and_then(|all| all.widest.as_ref()).map(ExtremePosition::new),
    }

    /// The largest capture of one move.
    struct LongestCapture(seeds: u8, before: Position, letter: char) {
        captured: u8 = seeds,
        position: Houses = before.houses(),
        house: char = letter,
    }

    /// A position with an extreme value.
    struct ExtremePosition(at: &Example) {
        ..value: ExtremeValue = at.value.into(),
        position: Houses = at.position.houses(),
    }

    /// The server's statistics of all layers. `captures` computes the captures of a layer.
    pub struct ServedStatistics(tables: &Tables, captures: impl Fn(Layer) -> LayerCaptures) {
        let finished = tables.manifest().layers.iter().zip(Layer::all());
        let reports = finished.map(|(finished, layer)| LayerAnswer {
            rules: tables.rules(),
            statistics: &finished.statistics,
            limit: limit_of(tables, layer),
            captures: captures(layer),
            // These require reading the whole layer.
            extremes: None,
        });
        ..tables: RulesAndCycles = tables.into(),
        unit: &'static str = UNIT,
        /// Empty without tables.
        layers: Vec<ServedLayer> = reports.map(|report| ServedLayer::new(&report)).collect(),
    }

    /// A layer in the server's answer.
    #[schemars(rename = "LayerStatistics")]
    struct ServedLayer(report: &LayerAnswer<'_>) {
        let statistics = report.statistics;
        seeds: u8 = statistics.seeds,
        positions: u64 = statistics.positions,
        /// Only if deciding tables cut values off: the largest value.
        limit?: u8 = report.limit,
        ..values: ValueOrBounds<DistributionJson> = statistics.values.as_ref().map(DistributionJson::new).into(),
        /// With `own-side`: positions whose bounds are equal.
        exact?: u64 = report.exact(),
        /// With `own-side`: positions whose winner depends on the cycle.
        undecided?: u64 = report.undecided(),
        /// With `own-side`: pairs of a gap between the bounds and its number of positions.
        gaps?: Vec<(u8, u64)> = report.of_bounds(statistics.gaps.clone()),
        ..remarkable: Remarkable = Remarkable::new(report),
        ..hashes: Hashes = Hashes::new(statistics),
    }

    /// Counts of values, or of bounds alone.
    #[schemars(rename = "Distribution")]
    struct DistributionJson(values: &Distribution) {
        let count = |sign: i8| values.count(|seeds| seeds.signum() == sign);
        ..outcomes: Outcomes = Outcomes::new(count(1), count(0), count(-1)),
        mean: f64 = values.mean(),
        /// Pairs of a value and its number of positions.
        histogram: Vec<(i8, u64)> = values.histogram.clone(),
    }
}

one_or_two! {
    ExtremeValue: i8 = value | low, high, "Its value, or bound; for `widest` both bounds.";
}

pub fn bits_per_position(bytes: u64, positions: u64) -> f64 {
    bytes as f64 * 8.0 / positions as f64
}

documents! {
    /// The numbers of positions won, drawn and lost.
    struct Outcomes(won: u64, drawn: u64, lost: u64) {
        /// Positions that the player to move certainly wins.
        wins: u64 = won,
        /// Positions that are certainly worth 0.
        draws: u64 = drawn,
        /// Positions that the player to move certainly loses.
        losses: u64 = lost,
    }

    /// The hashes of all values, or of all bounds.
    pub struct Hashes(statistics: &LayerStatistics) {
        let values = statistics.values.as_ref().map(|values| values.sha256);
        /// SHA-256 of all values, as `export --format raw` writes them; with `own-side` of low bounds.
        sha256: String = values.low().to_string(),
        /// With `own-side`: of the high bounds.
        high_sha256?: String = matches!(values, Measured::Bounds { .. }).then(|| values.high().to_string()),
    }

    /// The statistics of the high bounds.
    struct HighBounds(high: &Distribution, statistics: &LayerStatistics) {
        sha256: String = high.sha256.to_string(),
        /// Pairs of a high bound and its number of positions.
        histogram: Vec<(i8, u64)> = high.histogram.clone(),
        /// Pairs of a gap between the bounds and its number of positions.
        gaps: Vec<(u8, u64)> = statistics.gaps.clone(),
        draws: u64 = statistics.draws,
    }

    /// A layer as `build` summarises it. `times` are the times for the whole layer and for solving it, if it was built
    /// in this run.
    pub struct BuiltLayer(layer: &FinishedLayer, times: Option<[Duration; 2]>) {
        let statistics = &layer.statistics;
        let low = statistics.values.as_ref().low();
        let time = times.map(|[total, _]| total.as_secs_f64());
        seeds: u8 = statistics.seeds,
        positions: u64 = statistics.positions,
        /// Time for the layer; `null` if it was already there.
        seconds: Option<f64> = time,
        /// Time without writing; `null` likewise.
        solving_seconds: Option<f64> = times.map(|[_, solving]| solving.as_secs_f64()),
        /// By `seconds`; `null` likewise.
        positions_per_second: Option<f64> = time.map(|seconds| statistics.positions as f64 / seconds),
        /// The size of its file.
        bytes: u64 = layer.file.bytes,
        ..outcomes: Outcomes = Outcomes::of(statistics),
        /// Pairs of a value and its number of positions; with `own-side` of low bounds.
        histogram: Vec<(i8, u64)> = low.histogram.clone(),
        /// SHA-256 of all values, as `export --format raw` writes them; with `own-side` of low bounds.
        sha256: String = low.sha256.to_string(),
        /// With `own-side`: the high bounds.
        high?: HighBounds = HighBounds::of(statistics),
    }

    /// A layer as `info` shows it.
    pub struct HeldLayer(layer: &FinishedLayer) {
        let statistics = &layer.statistics;
        seeds: u8 = statistics.seeds,
        positions: u64 = statistics.positions,
        /// The size of its file.
        bytes: u64 = layer.file.bytes,
        bits_per_position: f64 = bits_per_position(layer.file.bytes, statistics.positions),
        ..outcomes: Outcomes = Outcomes::of(statistics),
        ..hashes: Hashes = Hashes::new(statistics),
        /// The name of its file.
        file: String = layer.file.name.clone(),
        /// The SHA-256 of its file.
        file_sha256: String = layer.file.sha256.to_string(),
    }
}

impl Outcomes {
    fn of(statistics: &LayerStatistics) -> Outcomes {
        Outcomes::new(statistics.wins(), statistics.draws, statistics.losses())
    }
}

impl HighBounds {
    /// `None` if positions have values.
    fn of(statistics: &LayerStatistics) -> Option<HighBounds> {
        match &statistics.values {
            Measured::Value(_) => None,
            Measured::Bounds { high, .. } => Some(HighBounds::new(high, statistics)),
        }
    }
}
