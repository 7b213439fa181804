//! Any bytes as the file of a layer: as they are, and with corrected checksums, so that they reach the
//! decoders.

use granero::Ruleset;

use super::forged;
use super::sample::LAYERS;

/// Panics if a reader does; results do not matter.
pub fn run(bytes: &[u8]) {
    let mut repaired = bytes.to_vec();
    forged::repair(&mut repaired);
    for bytes in [bytes, &repaired] {
        // Layers of more seeds than the file's layer are good.
        forged::read(&bytes.into(), Ruleset::Abapa, &LAYERS, 100);
    }
}
