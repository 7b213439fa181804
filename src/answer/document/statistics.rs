//! Statistics of layers.

use granero::captures::LayerCaptures;
use granero::index::Layer;
use granero::table::Distribution;
use granero::{Measured, Position, Side, Tables};
use serde::Serialize;

use super::UNIT;
use super::layer::{hashes, high, outcomes, outcomes_by};
use super::parts::{Fields, RulesAndCycles};
use crate::{Example, LayerAnswer, limit_of, object};

/// The output of `granero stats --json`. `plot` is the file of the figure.
pub fn statistics(
    tables: &Tables,
    reports: &[LayerAnswer<'_>],
    plot: Option<String>,
) -> impl Serialize {
    object! {
        ..tables: RulesAndCycles::from(tables),
        layers: reports.iter().map(layer).collect::<Vec<_>>(),
        plot: plot,
    }
}

/// The server's answer. `captures` computes the captures of a layer.
pub fn served_statistics<C: Fn(Layer) -> LayerCaptures>(
    tables: &Tables,
    captures: C,
) -> impl Serialize {
    let layers = tables.manifest().layers.iter().zip(Layer::all());
    let reports = layers.map(|(finished, layer)| LayerAnswer {
        rules: tables.rules(),
        statistics: &finished.statistics,
        limit: limit_of(tables, layer),
        captures: captures(layer),
        // These require reading the whole layer.
        extremes: None,
    });
    object! {
        ..tables: RulesAndCycles::from(tables),
        unit: UNIT,
        layers: reports.map(served_layer).collect::<Vec<_>>(),
    }
}

/// A layer in `stats`: with the low bounds where the values would be.
fn layer(report: &LayerAnswer<'_>) -> impl Serialize {
    let statistics = report.statistics;
    let low = statistics.values.as_ref().low();
    object! {
        seeds: statistics.seeds,
        positions: statistics.positions,
        limit?: report.limit,
        ..outcomes: outcomes(statistics),
        exact?: report.exact(),
        mean: low.mean(),
        histogram: &low.histogram,
        ..remarkable: remarkable(report),
        sha256: low.sha256,
        high?: high(statistics),
    }
}

/// A layer in the server's answer: with each bound in an object of its own.
fn served_layer(report: LayerAnswer<'_>) -> impl Serialize {
    let statistics = report.statistics;
    object! {
        seeds: statistics.seeds,
        positions: statistics.positions,
        limit?: report.limit,
        ..values: statistics.values.as_ref().map(distribution),
        exact?: report.exact(),
        undecided?: report.undecided(),
        gaps?: report.of_bounds(&statistics.gaps),
        ..remarkable: remarkable(&report),
        ..hashes: hashes(statistics),
    }
}

/// The distribution of the values, of the low bounds, or of the high bounds.
fn distribution(values: &Distribution) -> impl Serialize {
    object! {
        ..outcomes: outcomes_by(values),
        mean: values.mean(),
        histogram: &values.histogram,
    }
}

/// Captures, and the extreme positions.
fn remarkable(report: &LayerAnswer<'_>) -> impl Serialize + use<> {
    let longest = report.longest_capture();
    let extremes = report.extremes.as_ref();
    let value = |at: &Example<i8>| example(Measured::Value(at.worth), at.position);
    let widest = extremes.and_then(|extremes| extremes.widest.as_ref());
    object! {
        capturing: report.captures.capturing,
        longest_capture: longest.map(|(longest, house)| object! {
            captured: longest.captured,
            position: longest.position.houses(),
            house: house.letter(Side::South),
        }),
        lowest: extremes.map(|extremes| value(&extremes.lowest)),
        highest: extremes.map(|extremes| value(&extremes.highest)),
        // If positions have bounds.
        widest?: widest.map(|widest| example(widest.worth, widest.position)),
    }
}

fn example(worth: Measured<i8>, position: Position) -> impl Serialize {
    object! {
        ..worth: Fields::of_worth(worth),
        position: position.houses(),
    }
}
