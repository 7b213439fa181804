//! `GET /api/v1/{rules}/stats`: statistics of all layers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use granero::captures::LayerCaptures;
use granero::index::Layer;
use granero::{Ruleset, Tables};

use crate::gate::Gate;
use crate::guests::Guest;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::shelf::Volume;
use granero_answer::document::ServedStatisticsDocument;

/// Statistics that were computed: they depend only on the rules, and take a while.
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
    Reply::fixed_json(&ServedStatisticsDocument::of(tables, |layer| {
        found.captures(tables.rules(), layer)
    }))
}
