//! `GET /api/v1/{rules}/stats`: the statistics of all layers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use granero::captures::LayerCaptures;
use granero::index::Layer;
use granero::{Ruleset, Tables};

use crate::connection::Connection;
use crate::limits::Gate;
use crate::reply::{Problem, Reply};
use crate::tables::TableSet;
use granero_answer::document::served_statistics;

/// Counts of captures that were computed. They depend only on the rules, and take a while.
#[derive(Default)]
pub(crate) struct KnownCaptures {
    known: Mutex<BTreeMap<(Ruleset, u8), LayerCaptures>>,
}

impl KnownCaptures {
    fn of(&self, rules: Ruleset, layer: Layer) -> LayerCaptures {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (rules, layer.seeds());
        let known = lock().get(&key).copied();
        known.unwrap_or_else(|| {
            let captures = LayerCaptures::of(rules, layer);
            lock().insert(key, captures);
            captures
        })
    }
}

pub(crate) async fn answer(
    set: &Arc<TableSet>,
    captures: &Arc<KnownCaptures>,
    work: &Gate,
    connection: &Connection,
) -> Result<Reply, Problem> {
    if let Some(reply) = set.statistics.get() {
        return Ok(reply.clone());
    }
    let (set, captures) = (Arc::clone(set), Arc::clone(captures));
    work.work(connection.counted_peer(), move || {
        let reply = || document(&set.tables, &captures);
        set.statistics.get_or_init(reply).clone()
    })
    .await
}

fn document(tables: &Tables, captures: &KnownCaptures) -> Reply {
    Reply::fixed_json(&served_statistics(tables, |layer| {
        captures.of(tables.rules(), layer)
    }))
}
