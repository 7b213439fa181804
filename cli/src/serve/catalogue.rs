//! `GET /api/v1/tables`: which tables there are, and how there would be more.

use granero::Cycles;
use granero::table::{FinishedLayer, Sha256};
use granero::{Ruleset, solver};
use serde::Serialize;

use super::limits::{BATCH_BYTES, BATCH_POSITIONS};
use super::parameters::LONGEST;
use super::reply::{self, Reply};
use super::shelf::{Place, Shelf, Volume};
use crate::hint;
use crate::verb::rules::RulesetJson;

pub(super) fn answer(shelf: &Shelf) -> Reply {
    shelf.catalogue.get_or_init(|| of(shelf)).clone()
}

fn of(shelf: &Shelf) -> Reply {
    let taken = || shelf.places();
    let conventions = |rules| {
        let of_rules = taken().filter(move |place| place.volume.tables.rules() == rules);
        of_rules.map(|place| place.volume.tables.cycles().name())
    };
    let document = Document {
        program: "granero",
        version: env!("CARGO_PKG_VERSION"),
        unit: super::UNIT,
        tables: taken().map(TablesJson::from).collect(),
        default: taken()
            .next()
            .map(|place| DefaultJson::from(&*place.volume))
            .unwrap_or_default(),
        rulesets: Ruleset::ALL
            .map(|rules| RulesetEntry {
                ruleset: rules.into(),
                tables: conventions(rules).collect(),
            })
            .into(),
        cycles: Cycles::ALL
            .map(|cycles| CyclesJson {
                name: cycles.name(),
                summary: cycles.summary(),
            })
            .into(),
        limits: LimitsJson {
            batch_positions: BATCH_POSITIONS,
            batch_bytes: BATCH_BYTES,
            position_bytes: LONGEST,
            buildable_seeds: solver::MAX_SEEDS,
        },
    };
    let text = serde_json::to_vec(&document).expect("numbers and names are JSON");
    Reply::fixed(reply::JSON, text)
}

/// A command that builds more layers; none if all are there that can be built.
fn more(volume: &Volume) -> Option<String> {
    let tables = &volume.tables;
    let rules = tables.rules();
    let cycles = hint::with(tables.cycles());
    if volume.is_sample() {
        return Some(format!("granero build --rules {rules}{cycles}"));
    }
    let seeds = tables.max_seeds().map_or(0, |seeds| seeds + 1);
    (seeds <= solver::MAX_SEEDS)
        .then(|| format!("granero build --rules {rules}{cycles} --seeds {seeds} --db DIR"))
}

#[derive(Serialize)]
struct Document {
    program: &'static str,
    version: &'static str,
    unit: &'static str,
    tables: Vec<TablesJson>,
    default: DefaultJson,
    rulesets: Vec<RulesetEntry>,
    cycles: Vec<CyclesJson>,
    limits: LimitsJson,
}

#[derive(Serialize)]
struct TablesJson {
    rules: &'static str,
    cycles: &'static str,
    sample: bool,
    max_seeds: Option<u8>,
    positions: u64,
    bytes: u64,
    building: bool,
    fingerprint: String,
    layers: Vec<LayerJson>,
    more: Option<String>,
}

#[derive(Serialize)]
struct LayerJson {
    seeds: u8,
    positions: u64,
    bytes: u64,
    sha256: Sha256,
}

#[derive(Serialize)]
struct DefaultJson {
    rules: &'static str,
    cycles: &'static str,
}

#[derive(Serialize)]
struct RulesetEntry {
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

#[derive(Serialize)]
struct LimitsJson {
    batch_positions: usize,
    batch_bytes: usize,
    position_bytes: usize,
    buildable_seeds: u8,
}

impl From<&Place> for TablesJson {
    fn from(place: &Place) -> TablesJson {
        let volume = &place.volume;
        let manifest = volume.tables.manifest();
        let layers: Vec<LayerJson> = (manifest.layers.iter())
            .map(|FinishedLayer { statistics, files }| LayerJson {
                seeds: statistics.seeds,
                positions: statistics.positions,
                bytes: files.iter().map(|(_, file)| file.bytes).sum(),
                sha256: statistics.values.as_ref().low().sha256,
            })
            .collect();
        TablesJson {
            rules: manifest.rules.name(),
            cycles: manifest.cycles.name(),
            sample: volume.is_sample(),
            max_seeds: volume.tables.max_seeds(),
            positions: layers.iter().map(|layer| layer.positions).sum(),
            bytes: layers.iter().map(|layer| layer.bytes).sum(),
            building: place.building,
            fingerprint: volume.fingerprint.clone(),
            more: more(volume),
            layers,
        }
    }
}

impl From<&Volume> for DefaultJson {
    fn from(volume: &Volume) -> DefaultJson {
        DefaultJson {
            rules: volume.tables.rules().name(),
            cycles: volume.tables.cycles().name(),
        }
    }
}

impl Default for DefaultJson {
    fn default() -> DefaultJson {
        DefaultJson {
            rules: Ruleset::default().name(),
            cycles: Cycles::default().name(),
        }
    }
}
