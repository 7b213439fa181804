//! The tables that are served.

use granero::{Cycles, Extent, Ruleset, Tables};
use serde::Serialize;

use super::UNIT;
use super::layer::ListedLayerJson;
use super::parts::rules_and_cycles::RulesAndCycles;
use super::ruleset::RulesetJson;

/// The server's answer about all its tables.
#[derive(Serialize)]
pub struct CatalogueDocument<'a> {
    program: &'static str,
    version: &'static str,
    unit: &'static str,
    tables: Vec<TablesJson<'a>>,
    default: RulesAndCycles,
    rulesets: Vec<ServedRulesetJson>,
    cycles: Vec<CyclesJson>,
    limits: LimitsJson,
}

#[derive(Serialize)]
pub struct TablesJson<'a> {
    #[serde(flatten)]
    tables: RulesAndCycles,
    sample: bool,
    max_seeds: Option<u8>,
    positions: u64,
    bytes: u64,
    building: bool,
    fingerprint: &'a str,
    layers: Vec<ListedLayerJson>,
    more: Option<String>,
}

#[derive(Serialize)]
struct ServedRulesetJson {
    #[serde(flatten)]
    ruleset: RulesetJson,
    /// The conventions for which there are tables.
    tables: Vec<&'static str>,
}

#[derive(Serialize)]
struct CyclesJson {
    name: &'static str,
    summary: &'static str,
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

impl<'a> CatalogueDocument<'a> {
    pub fn new(tables: Vec<TablesJson<'a>>, limits: LimitsJson) -> CatalogueDocument<'a> {
        let default = tables.first().map(|first| first.tables);
        let conventions = |rules: Ruleset| {
            let of_rules = tables.iter().filter(|of| of.tables.rules == rules.name());
            of_rules.map(|of| of.tables.cycles).collect()
        };
        CatalogueDocument {
            program: "granero",
            version: env!("CARGO_PKG_VERSION"),
            unit: UNIT,
            default: default.unwrap_or_else(|| {
                RulesAndCycles::new(Ruleset::default(), Cycles::default(), Extent::default())
            }),
            rulesets: Ruleset::ALL
                .map(|rules| ServedRulesetJson {
                    ruleset: rules.into(),
                    tables: conventions(rules),
                })
                .into(),
            tables,
            cycles: Cycles::ALL
                .map(|cycles| CyclesJson {
                    name: cycles.name(),
                    summary: cycles.summary(),
                })
                .into(),
            limits,
        }
    }
}

impl<'a> TablesJson<'a> {
    /// `building` is true while a build is adding layers; `more` is a command that builds more, if there are more.
    pub fn new(
        tables: &Tables,
        sample: bool,
        building: bool,
        fingerprint: &'a str,
        more: Option<String>,
    ) -> TablesJson<'a> {
        let layers = tables.manifest().layers.iter();
        let layers: Vec<ListedLayerJson> = layers.map(ListedLayerJson::from).collect();
        TablesJson {
            tables: RulesAndCycles::from(tables),
            sample,
            max_seeds: tables.max_seeds(),
            positions: layers.iter().map(|layer| layer.positions).sum(),
            bytes: layers.iter().map(|layer| layer.bytes).sum(),
            building,
            fingerprint,
            layers,
            more,
        }
    }
}
