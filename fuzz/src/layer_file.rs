//! Any bytes as the file of a layer: as they are, and with corrected checksums, so that they reach the
//! decoders.

use granero::{Cycles, Ruleset};

use super::{forged, sample};

/// Panics if a reader does; results do not matter.
pub fn run(bytes: &[u8]) {
    let mut repaired = bytes.to_vec();
    forged::repair(&mut repaired);
    for bytes in [bytes, &repaired] {
        for cycles in Cycles::ALL {
            // Smaller layers are good.
            let kind = (Ruleset::Abapa, cycles).into();
            forged::read(&bytes.into(), kind, sample::layers(cycles), 100);
        }
    }
}
