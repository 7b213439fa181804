//! The document of `granero estimate --json`.

use serde::Serialize;

use super::measured::{Estimate, EstimatedLayer};
use granero_answer::document::RulesAndCycles;

/// The estimate of a build.
#[derive(Debug, Serialize)]
pub(crate) struct EstimateDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    seeds: u8,
    threads: usize,
    positions_per_second: f64,
    layers: Vec<EstimatedLayerJson>,
    positions: u64,
    memory_bytes: u64,
    disk_bytes: u64,
    temporary_disk_bytes: u64,
    seconds: f64,
    seconds_least: f64,
    seconds_most: f64,
    memory_available_bytes: Option<u64>,
    disk_free_bytes: Option<u64>,
    possible: bool,
}

#[derive(Debug, Serialize)]
struct EstimatedLayerJson {
    seeds: u8,
    positions: u64,
    memory_bytes: u64,
    disk_bytes: u64,
    seconds: f64,
    #[serde(flatten)]
    bands: Option<InBandsJson>,
}

/// The work on a layer that is larger than memory.
#[derive(Debug, Serialize)]
struct InBandsJson {
    bands: u64,
    read_bytes: u64,
    written_bytes: u64,
}

impl From<&Estimate> for EstimateDocument {
    fn from(estimate: &Estimate) -> EstimateDocument {
        let layers = estimate.layers.iter().map(EstimatedLayerJson::from);
        EstimateDocument {
            tables: RulesAndCycles::new(estimate.rules, estimate.cycles, estimate.extent),
            seeds: estimate.seeds,
            threads: estimate.threads,
            positions_per_second: estimate.speed.usual,
            layers: layers.collect(),
            positions: estimate.positions(),
            memory_bytes: estimate.memory(),
            disk_bytes: estimate.disk(),
            temporary_disk_bytes: estimate.temporary_disk,
            seconds: estimate.seconds_at(estimate.speed.usual),
            seconds_least: estimate.seconds_at(estimate.speed.fastest),
            seconds_most: estimate.seconds_at(estimate.speed.slowest),
            memory_available_bytes: estimate.memory_available,
            disk_free_bytes: estimate.disk_free,
            possible: estimate.is_possible(),
        }
    }
}

impl From<&EstimatedLayer> for EstimatedLayerJson {
    fn from(layer: &EstimatedLayer) -> EstimatedLayerJson {
        EstimatedLayerJson {
            seeds: layer.seeds,
            positions: layer.positions,
            memory_bytes: layer.memory,
            disk_bytes: layer.disk,
            seconds: layer.seconds,
            bands: layer.bands.map(|found| InBandsJson {
                bands: found.bands,
                read_bytes: found.read,
                written_bytes: found.written,
            }),
        }
    }
}
