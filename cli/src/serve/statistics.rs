//! `GET /api/v1/{rules}/stats`: statistics of all layers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use granero::captures::LayerCaptures;
use granero::index::Layer;
use granero::table::{Distribution, Sha256, Tables};
use granero::{Measured, Ruleset};
use serde::Serialize;

use super::gate::Gate;
use super::guests::Guest;
use super::problem::Problem;
use super::reply::{self, Reply};
use super::shelf::Volume;
use crate::verb::stats::{self, LongestJson, Report};

/// What has been found out about layers: the rules alone decide it, and it takes a while.
#[derive(Default)]
pub(super) struct Found {
    captures: Mutex<BTreeMap<(Ruleset, u8), LayerCaptures>>,
}

impl Found {
    fn captures(&self, rules: Ruleset, layer: Layer) -> LayerCaptures {
        let known = || self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (rules, layer.seeds());
        let found = known().get(&key).copied();
        found.unwrap_or_else(|| {
            let captures = LayerCaptures::of(rules, layer);
            known().insert(key, captures);
            captures
        })
    }
}

pub(super) async fn answer(
    volume: &Arc<Volume>,
    found: &Arc<Found>,
    work: &Gate,
    guest: &Guest,
) -> Result<Reply, Problem> {
    if let Some(reply) = volume.statistics.get() {
        return Ok(reply.clone());
    }
    let (volume, found) = (Arc::clone(volume), Arc::clone(found));
    work.work(guest.counted(), move || {
        let made = || of(&volume.tables, &found);
        volume.statistics.get_or_init(made).clone()
    })
    .await
}

fn of(tables: &Tables, found: &Found) -> Reply {
    let layers = Layer::all().take(tables.manifest().layers.len());
    let captures = layers.map(|layer| found.captures(tables.rules(), layer));
    let layers = tables.manifest().layers.iter().zip(captures);
    let reports: Vec<Report<'_>> = layers
        .map(|(finished, captures)| Report {
            rules: tables.rules(),
            statistics: &finished.statistics,
            captures,
            extremes: None,
        })
        .collect();
    let document = Document {
        rules: tables.rules().name(),
        cycles: tables.cycles().name(),
        unit: super::UNIT,
        layers: reports.iter().map(LayerJson::of).collect(),
    };
    let text = serde_json::to_vec(&document).expect("numbers and names are JSON");
    Reply::fixed(reply::JSON, text)
}

#[derive(Serialize)]
struct Document<'a> {
    rules: &'static str,
    cycles: &'static str,
    unit: &'static str,
    layers: Vec<LayerJson<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LayerJson<'a> {
    /// What `granero stats --json` says.
    Values(stats::LayerJson<'a>),
    /// The same of either bound.
    Bounds(BoundsJson<'a>),
}

#[derive(Serialize)]
struct BoundsJson<'a> {
    seeds: u8,
    positions: u64,
    low: CountsJson<'a>,
    high: CountsJson<'a>,
    exact: u64,
    undecided: u64,
    gaps: &'a [(u8, u64)],
    capturing: u64,
    longest_capture: Option<LongestJson>,
    /// For these the whole layer has to be read.
    lowest: Option<()>,
    highest: Option<()>,
    sha256: Sha256,
    high_sha256: Sha256,
}

/// What is said of one bound by itself.
#[derive(Serialize)]
struct CountsJson<'a> {
    wins: u64,
    draws: u64,
    losses: u64,
    mean: f64,
    histogram: &'a [(i8, u64)],
}

impl<'a> LayerJson<'a> {
    fn of(report: &'a Report<'a>) -> LayerJson<'a> {
        let statistics = report.statistics;
        let Measured::Bounds { low, high } = &statistics.values else {
            return LayerJson::Values(report.json());
        };
        LayerJson::Bounds(BoundsJson {
            seeds: statistics.seeds,
            positions: statistics.positions,
            low: CountsJson::from(low),
            high: CountsJson::from(high),
            exact: statistics.exact(),
            undecided: stats::undecided(statistics).unwrap_or_default(),
            gaps: &statistics.gaps,
            capturing: report.captures.capturing,
            longest_capture: report.longest_json(),
            lowest: None,
            highest: None,
            sha256: low.sha256,
            high_sha256: high.sha256,
        })
    }
}

impl<'a> From<&'a Distribution> for CountsJson<'a> {
    fn from(bound: &'a Distribution) -> CountsJson<'a> {
        CountsJson {
            wins: bound.count(|seeds| seeds > 0),
            draws: bound.count(|seeds| seeds == 0),
            losses: bound.count(|seeds| seeds < 0),
            mean: bound.mean(),
            histogram: &bound.histogram,
        }
    }
}
