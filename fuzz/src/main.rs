//! The target that `TARGET` names, for libFuzzer.

#![no_main]

use std::sync::LazyLock;

use granero_fuzz::{Run, TARGETS};

static RUN: LazyLock<Run> = LazyLock::new(|| {
    let name = std::env::var("TARGET").unwrap_or_default();
    let names = TARGETS.map(|(name, ..)| name);
    let found = TARGETS.iter().find(|(target, ..)| *target == name);
    found
        .unwrap_or_else(|| panic!("TARGET must be one of {names:?}"))
        .2
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| RUN(bytes));
