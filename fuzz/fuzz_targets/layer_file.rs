//! Any bytes as the file of a layer: as they are, and with all checksums made right, so that
//! they reach the decoders.

#![no_main]

#[path = "../../tests/library/tables/forged.rs"]
mod forged;

use std::sync::{Arc, LazyLock};

use granero::Ruleset;
use libfuzzer_sys::fuzz_target;

/// The good files of the sample, for layers of more seeds than the one in question has.
static SAMPLE: LazyLock<Vec<Arc<[u8]>>> = LazyLock::new(|| {
    macro_rules! sample {
        ($($seeds:literal)*) => {
            [$(&include_bytes!(concat!("../../data/sample/layer-0", $seeds, ".granero"))[..]),*]
        };
    }
    sample!(0 1 2 3 4 5 6 7 8).map(Arc::from).into()
});

fuzz_target!(|bytes: &[u8]| {
    let mut repaired = bytes.to_vec();
    forged::repair(&mut repaired);
    for bytes in [bytes, &repaired] {
        forged::read(&bytes.into(), Ruleset::Abapa, &SAMPLE, 100);
    }
});
