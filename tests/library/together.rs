//! The needs of several processes that build together, as `docs/cluster.md` tells them.

use std::fs;

use granero::build::{Build, BuildError, bytes, memory_needed, memory_needed_together};
use granero::{Cycles, Extent};

#[test]
fn docs_say_what_ranks_need() {
    let document = fs::read_to_string("../../docs/cluster.md").unwrap();
    let says = |what: String| assert!(document.contains(&what), "{what}");
    let cycles = Cycles::Split;
    for seeds in [20, 24] {
        let alone = memory_needed(cycles, seeds, 2);
        let of = |ranks| memory_needed_together(cycles, seeds, 1, ranks);
        let share = of(2) as f64 / alone as f64 * 100.0;
        let [alone, two, four, eight] = [alone, of(2), of(4), of(8)].map(bytes);
        says(format!(
            "| {seeds} seeds | {alone} | {two}, {share:.0} % | {four} | {eight} |"
        ));
    }
    for ranks in [4, 16, 64] {
        let needed = bytes(memory_needed_together(cycles, 48, 16, ranks));
        says(format!("| {ranks} | {needed} | 10 Gbit/s |"));
    }
    let build = Build {
        cycles,
        extent: Extent::FULL,
        seeds: 48,
        threads: 16,
        memory: 0,
        checkpoint: None,
    };
    let Err(BuildError::TooLittleMemory { needed, .. }) = build.check_together(4, 48) else {
        panic!("there is no memory");
    };
    says(format!("needs up to\n  {}", bytes(needed)));
}
