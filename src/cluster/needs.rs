//! The memory and the disk space that each of several processes needs.

use granero_game::{Cycles, Extent};
use granero_solver::build::{
    Build, BuildError, Needs, PROGRAM, buffer_memory, half_boards, numbers_per_position,
    part_to_read, pieces_memory, reading_memory, unreachable_halves, unreachable_positions,
};
use granero_solver::write::strip_memory;
use granero_table::index::{Layer, half};

use crate::exchange::NewsExchange;

/// The peak memory of each of several processes that build together, in bytes. Process 0 needs most.
/// Where it goes on with tables, it reads whole layers first, see [`check`].
///
/// ```
/// use granero::{Cycles, Extent, build, cluster};
///
/// let alone = build::memory_needed(Cycles::Split, Extent::FULL, 24, 1);
/// assert!(cluster::memory_needed(Cycles::Split, Extent::FULL, 24, 1, 2) < alone * 6 / 10);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds, or no processes.
pub fn memory_needed(
    cycles: Cycles,
    extent: Extent,
    seeds: u8,
    threads: usize,
    processes: usize,
) -> u64 {
    needs(cycles, extent, seeds, threads, processes).peak()
}

fn needs(cycles: Cycles, extent: Extent, seeds: u8, threads: usize, processes: usize) -> Needs {
    let last = Layer::new(seeds).expect("at most 48 seeds");
    let alone = Needs::new(cycles, extent, seeds, threads);
    // Processes own nearly as much.
    let share = |bytes: u64| bytes.div_ceil(processes as u64) * 101 / 100;
    let pieces = pieces_memory(threads);
    Needs {
        values: share(alone.values),
        status: share(alone.status),
        // Each row of news is rounded up to whole words.
        news: share(alone.news) + 8 * half_boards(seeds),
        // Process 0 keeps checkpoints, with rows that the others have sent.
        checkpoint: alone.checkpoint + buffer_memory(threads),
        reading: largest_part(last, processes) + pieces,
        unreachable: numbers_per_position(cycles) * share(unreachable_positions(last)),
        completing: unreachable_halves(seeds),
        // Process 0 turns the layer in strips.
        turning: strip_memory(last) + pieces,
        graph: graph_memory(seeds, processes),
        messages: NewsExchange::memory(processes),
        ..alone
    }
}

/// The memory for the tables of half-boards and for the program, in bytes.
fn graph_memory(seeds: u8, processes: usize) -> u64 {
    // Measured: a process has 44 bytes for each half-board, two for the owner, 61 for each that it owns,
    // and for the processes that have predecessors 7 with 2 processes, 12 with 4, 16 with 16, 18 with 64.
    let processes = processes as u64;
    let all = 46 + (8 * (processes - 1)).min(20);
    half_boards(seeds) * all + half_boards(seeds) * 64 / processes + PROGRAM
}

/// The most bytes of a part of a smaller layer, unless a single row has more. Each part takes a look
/// at all rows, so it is not too small.
pub(crate) fn part_read(last: Layer, processes: usize) -> u64 {
    (part_to_read(last) / processes as u64).max(4 << 20)
}

/// The most bytes of a part of a smaller layer.
fn largest_part(last: Layer, processes: usize) -> u64 {
    part_read(last, processes).max(u64::from(half::count(last.seeds())))
}

/// Checks that one of several processes can build this with the others. `read` is the number of
/// finished layers, which process 0 reads whole; it is 0 for the other processes.
///
/// # Errors
///
/// Like [`Build::check`].
///
/// # Panics
///
/// If the layers would have more than 48 seeds, or there are no processes.
pub fn check(build: &Build, processes: usize, read: u8) -> Result<(), BuildError> {
    build.check_memory(|cycles, extent, seeds, threads| {
        let needed = memory_needed(cycles, extent, seeds, threads, processes);
        // No layer captures into the last two.
        let largest = read.min(seeds.saturating_sub(1)).checked_sub(1);
        let reading = largest.and_then(Layer::new).map_or(0, |layer| {
            let last = Layer::new(seeds).expect("at most 48 seeds");
            reading_memory(cycles, layer, largest_part(last, processes)) + pieces_memory(threads)
        });
        needed.max(reading + graph_memory(seeds, processes))
    })
}

/// The disk space for files that are gone after the build, in bytes: all smaller layers, and checkpoints
/// of the last layer.
pub fn temporary_disk(build: &Build) -> u64 {
    let layers = Layer::all().take(usize::from(build.seeds) + 1);
    let positions: u64 = layers.map(Layer::len).sum();
    // Compressed, they take less than four bits for each position.
    positions * numbers_per_position(build.cycles) / 2 + build.checkpoints_disk()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use granero_solver::build::{bytes, memory_needed as needed_alone};

    #[test]
    fn checkpoints_take_disk() {
        let build = Build {
            cycles: Cycles::OwnSide,
            extent: Extent::FULL,
            seeds: 20,
            threads: 1,
            memory: u64::MAX,
            checkpoint: None,
        };
        let with = Build {
            checkpoint: Some(Duration::ZERO),
            ..build
        };
        assert_eq!(temporary_disk(&with), temporary_disk(&build) + 211_680_786);
    }

    #[test]
    fn docs_say_what_processes_need() {
        let document = fs::read_to_string("../../docs/large-builds.md").unwrap();
        let says = |what: String| assert!(document.contains(&what), "{what}");
        let cycles = Cycles::Split;
        for seeds in [20, 24] {
            let alone = needed_alone(cycles, Extent::FULL, seeds, 2);
            let of = |processes| memory_needed(cycles, Extent::FULL, seeds, 1, processes);
            let share = of(2) as f64 / alone as f64 * 100.0;
            let [alone, two, four, eight] = [alone, of(2), of(4), of(8)].map(bytes);
            says(format!(
                "| {seeds} seeds | {alone} | {two}, {share:.0} % | {four} | {eight} |"
            ));
        }
        for processes in [4, 16, 64] {
            let needed = bytes(memory_needed(cycles, Extent::FULL, 48, 16, processes));
            says(format!("| {processes} | {needed} | 10 Gbit/s |"));
        }
        let build = Build {
            cycles,
            extent: Extent::FULL,
            seeds: 48,
            threads: 16,
            memory: 0,
            checkpoint: None,
        };
        let Err(BuildError::TooLittleMemory { needed, .. }) = check(&build, 4, 48) else {
            panic!("there is no memory");
        };
        says(format!("needs up to\n  {}", bytes(needed)));
    }
}
