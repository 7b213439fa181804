//! The memory and the disk space that each of several processes needs.

use granero_game::Cycles;
use granero_solver::build::{
    Build, BuildError, Needs, numbers_per_position, part_to_read, pieces_memory, reading_memory,
};
use granero_table::index::{Layer, half};

use crate::cluster::{MESSAGE, UNDER_WAY};

/// The peak memory of each of several processes that build together, in bytes. Process 0 needs most.
/// Where it goes on with tables, it reads whole layers first, see [`check`].
///
/// ```
/// use granero::{Cycles, build, cluster};
///
/// let alone = build::memory_needed(Cycles::Split, 24, 1);
/// assert!(cluster::memory_needed(Cycles::Split, 24, 1, 4) < alone * 2 / 3);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds, or no processes.
pub fn memory_needed(cycles: Cycles, seeds: u8, threads: usize, processes: usize) -> u64 {
    needs(cycles, seeds, threads, processes).peak()
}

pub(crate) fn needs(cycles: Cycles, seeds: u8, threads: usize, processes: usize) -> Needs {
    let last = Layer::new(seeds).expect("at most 48 seeds");
    let part = largest_part(last, processes);
    let needs = Needs::together(cycles, seeds, threads, processes, part);
    Needs {
        messages: messages_memory(processes),
        ..needs
    }
}

/// The memory in bytes for messages that are filled, or under way.
fn messages_memory(processes: usize) -> u64 {
    // For each other process one that is filled, those under way, and one that was held back. They may be twice as long.
    ((processes - 1) * (UNDER_WAY + 2) * 2 * MESSAGE) as u64
}

/// The most bytes of a part of a smaller layer, unless a single row has more. Each part takes a look
/// at all rows, so it is not too small.
pub(crate) fn part_read(last: Layer, processes: usize) -> u64 {
    (part_to_read(last) / processes as u64).max(16 << 20)
}

/// The most bytes of a part of a smaller layer.
fn largest_part(last: Layer, processes: usize) -> u64 {
    part_read(last, processes).max(u64::from(half::count(last.seeds())))
}

/// Checks that one of several processes can build this with the others. `read` returns the largest finished layer that it
/// reads whole if it builds up to some number of seeds: process 0 does that.
///
/// # Errors
///
/// Like [`Build::check`].
///
/// # Panics
///
/// If the layers would have more than 48 seeds, or there are no processes.
pub fn check(
    build: &Build,
    processes: usize,
    read: impl Fn(u8) -> Option<Layer>,
) -> Result<(), BuildError> {
    let (cycles, threads) = (build.cycles, build.threads);
    build.check_memory(|seeds| {
        let needed = memory_needed(cycles, seeds, threads, processes);
        let reading = read(seeds).map_or(0, |layer| {
            let last = Layer::new(seeds).expect("at most 48 seeds");
            reading_memory(cycles, layer, largest_part(last, processes)) + pieces_memory(threads)
        });
        needed.max(reading + needs(cycles, seeds, threads, processes).tables)
    })
}

/// The disk space for files that are gone after the build, in bytes: all smaller layers, and the values and checkpoints of
/// the last layer.
pub fn temporary_disk(build: &Build) -> u64 {
    let layers = Layer::all().take(usize::from(build.seeds) + 1);
    let positions: u64 = layers.map(Layer::len).sum();
    let last = Layer::new(build.seeds).map_or(0, Layer::len);
    // Compressed, smaller layers take less than four bits for each position.
    (positions / 2 + last) * numbers_per_position(build.cycles) + build.checkpoints_disk()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::builder::tests::{build, build_with_checkpoints};
    use granero_game::Extent;
    use granero_solver::build::{bytes, memory_needed as needed_alone};

    #[test]
    fn checkpoints_take_disk() {
        let build = build(Cycles::OwnSide, Extent::FULL, 20);
        let with = build_with_checkpoints(Cycles::OwnSide, 20);
        assert_eq!(temporary_disk(&with), temporary_disk(&build) + 211_680_786);
    }

    #[test]
    fn docs_say_what_processes_need() {
        let document = fs::read_to_string("../../docs/internals/large-builds.md").unwrap();
        let words: Vec<&str> = document.split_whitespace().collect();
        let document = words.join(" ");
        let says = |what: String| assert!(document.contains(&what), "{what}");
        let cycles = Cycles::Split;
        for seeds in [20, 24, 30] {
            let alone = bytes(needed_alone(cycles, seeds, 1));
            let [two, four, eight] =
                [2, 4, 8].map(|processes| bytes(memory_needed(cycles, seeds, 1, processes)));
            says(format!(
                "| {seeds} seeds | {alone} | {two} | {four} | {eight} |"
            ));
        }
        let [four, sixteen, many] =
            [4, 16, 64].map(|processes| bytes(memory_needed(cycles, 48, 16, processes)));
        says(format!(
            "4 processes need {four} each, 16 need {sixteen}, and 64 need {many}."
        ));
        let build = Build {
            threads: 16,
            memory: 0,
            ..build(cycles, Extent::FULL, 48)
        };
        let Err(BuildError::TooLittleMemory { needed, .. }) = check(&build, 4, |_| Layer::new(46))
        else {
            panic!("there is no memory");
        };
        says(format!("up to {} with 48 seeds", bytes(needed)));
    }
}
