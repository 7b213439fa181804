//! The tables that are served.

use granero::{Cycles, Extent, Ruleset, Tables};
use serde::Serialize;

use super::UNIT;
use super::parts::RulesAndCycles;
use super::ruleset::ruleset;
use crate::object;

/// Tables that are served.
pub struct ServedTables<'a> {
    pub tables: &'a Tables,
    pub sample: bool,
    /// True while a build is adding layers.
    pub building: bool,
    pub fingerprint: &'a str,
    /// A command that builds more, if there are more.
    pub more: Option<String>,
}

/// The limits of requests and of builds.
#[derive(Serialize)]
pub struct LimitsJson {
    pub batch_positions: usize,
    pub batch_bytes: usize,
    pub position_bytes: usize,
    pub buildable_seeds: u8,
    /// The longest time of a search; `null` without searches.
    pub prove_seconds: Option<f64>,
}

/// The server's answer about all its tables.
pub fn catalogue(served: Vec<ServedTables<'_>>, limits: LimitsJson) -> impl Serialize {
    let default = served.first().map(|first| first.tables.into());
    // The conventions for which there are tables.
    let conventions = |rules: Ruleset| -> Vec<_> {
        let of_rules = served.iter().filter(|of| of.tables.rules() == rules);
        of_rules.map(|of| of.tables.cycles().name()).collect()
    };
    let rulesets = Ruleset::ALL.map(|rules| {
        object! {
            ..ruleset: ruleset(rules),
            tables: conventions(rules),
        }
    });
    object! {
        program: "granero",
        version: env!("CARGO_PKG_VERSION"),
        unit: UNIT,
        tables: served.into_iter().map(tables).collect::<Vec<_>>(),
        default: default.unwrap_or_else(|| {
            RulesAndCycles::new(Ruleset::default(), Cycles::default(), Extent::default())
        }),
        rulesets: rulesets,
        cycles: Cycles::ALL.map(|cycles| object! {
            name: cycles.name(),
            summary: cycles.summary(),
        }),
        limits: limits,
    }
}

fn tables(served: ServedTables<'_>) -> impl Serialize {
    let layers = &served.tables.manifest().layers;
    let listed = layers.iter().map(|layer| {
        object! {
            seeds: layer.statistics.seeds,
            positions: layer.statistics.positions,
            bytes: layer.file.bytes,
            sha256: layer.statistics.values.as_ref().low().sha256,
        }
    });
    object! {
        ..tables: RulesAndCycles::from(served.tables),
        sample: served.sample,
        max_seeds: served.tables.max_seeds(),
        positions: layers.iter().map(|layer| layer.statistics.positions).sum::<u64>(),
        bytes: layers.iter().map(|layer| layer.file.bytes).sum::<u64>(),
        building: served.building,
        fingerprint: served.fingerprint,
        layers: listed.collect::<Vec<_>>(),
        more: served.more,
    }
}
