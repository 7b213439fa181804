//! The memory that a build needs.

use crate::checkpoint::pieces_memory;
use crate::smaller::strip_memory;
use crate::sweep::{self, MAPPED_LEAST, Scratch};
use crate::tuning::Tuning;
use granero_game::Cycles;
use granero_table::index::{Layer, half};
use granero_table::write::encoded;

/// The memory that a build needs for a layer, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// All the time: the values of the layer. With sweeps also those of unreachable positions: first the best captures.
    pub values: u64,
    /// All the time: the tables of half-boards, and the program itself.
    pub tables: u64,
    /// All the time: the scratch memory of the threads.
    pub scratch: u64,
    /// All the time: messages to and from other processes.
    pub messages: u64,
    /// While captures are looked up: a part of a smaller layer.
    pub part: u64,
    /// While captures are looked up: the pieces of files in which that comes.
    pub pieces: u64,
    /// While the layer is solved: its state besides the values.
    pub status: u64,
    /// While the layer is solved: a checkpoint.
    pub checkpoint: u64,
    /// While the layer is encoded: the block index, blocks, and counts of symbols.
    pub encoding: u64,
    /// While the layer is turned.
    pub turning: u64,
    /// While a layer that was solved in shares is written: the least for pages of its values.
    pub mapped: u64,
}

impl Needs {
    /// The needs of each of several processes that solve layers up to a number of seeds together, without messages. Up to
    /// `part` bytes of a smaller layer are read at a time.
    pub fn together(
        cycles: Cycles,
        seeds: u8,
        threads: usize,
        processes: usize,
        part: u64,
    ) -> Needs {
        let last = Layer::new(seeds).expect("at most 48 seeds");
        let needs = Needs::in_files(cycles, last, last, threads, part);
        let reading = needs.part + needs.pieces;
        let (captures, solving) = sweep::memory(cycles, last, processes, reading);
        Needs {
            status: captures + solving.max(reading),
            ..needs
        }
    }

    /// The needs for a layer that is solved in several shares, with `spare` bytes more than
    /// the least. So many bytes of a smaller layer are read at a time.
    pub(super) fn in_shares(
        cycles: Cycles,
        layer: Layer,
        last: Layer,
        threads: usize,
        (spare, part): (u64, u64),
    ) -> Needs {
        Needs {
            status: sweep::least_memory(cycles, layer, threads, LEAST_PART) + spare,
            ..Needs::in_files(cycles, layer, last, threads, part)
        }
    }

    /// The least needs for a layer that is solved in shares.
    pub(super) fn least(cycles: Cycles, layer: Layer, last: Layer, threads: usize) -> Needs {
        Needs::in_shares(cycles, layer, last, threads, (0, LEAST_PART))
    }

    /// The needs for a layer whose values are in files when it is solved, but for its state before.
    fn in_files(cycles: Cycles, layer: Layer, last: Layer, threads: usize, part: u64) -> Needs {
        Needs {
            values: 0,
            turning: strip_memory(layer, part) + pieces_memory(threads),
            mapped: (threads * MAPPED_LEAST) as u64,
            ..Needs::swept(cycles, layer, last, threads, Some(part))
        }
    }

    /// The needs for a layer that is swept in memory. With `part` so many bytes of a smaller layer are read at a time.
    pub(super) fn swept(
        cycles: Cycles,
        layer: Layer,
        last: Layer,
        threads: usize,
        part: Option<u64>,
    ) -> Needs {
        let part = part.unwrap_or_else(|| largest_part(last));
        let pieces = pieces_memory(threads);
        let (values, status) = sweep::memory(cycles, layer, 1, part + pieces);
        Needs {
            values,
            tables: tables(last.seeds()),
            scratch: (threads * Scratch::MEMORY) as u64,
            messages: 0,
            part,
            pieces,
            status,
            // A row can be longer than other pieces.
            checkpoint: pieces_memory(threads).max(3 * threads as u64 * longest_row(layer)),
            encoding: encoded::memory(layer, cycles, threads),
            turning: 2 * largest_matrix(layer.seeds()),
            mapped: 0,
        }
    }

    /// The most memory that is needed at a time.
    pub fn peak(&self) -> u64 {
        let solving = self.status + self.checkpoint;
        self.values + self.tables + self.scratch + self.messages + solving.max(self.writing())
    }

    /// The memory up to which a process with files of values may map them, if it may take `memory` bytes.
    pub fn resident(&self, memory: u64) -> u64 {
        // The allocator takes more than it is asked for.
        memory.saturating_sub(self.writing() + PROGRAM / 4)
    }

    /// The most memory beside the values while a layer is read or written.
    pub(super) fn writing(&self) -> u64 {
        (self.part + self.pieces + self.encoding).max(self.turning) + self.mapped
    }
}

/// The peak memory for solving layers up to a number of seeds, in bytes: some two bytes for each position of the last
/// layer, or five where positions have bounds; and the tables of half-boards.
///
/// A build that may use more keeps smaller layers in memory.
///
/// ```
/// use granero::build::memory_needed;
/// use granero::index::Layer;
/// use granero::Cycles;
///
/// let positions = Layer::new(30).unwrap().len();
/// assert!(memory_needed(Cycles::Split, 30, 2) < positions * 17 / 8);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds.
pub fn memory_needed(cycles: Cycles, seeds: u8, threads: usize) -> u64 {
    let last = Layer::new(seeds).expect("at most 48 seeds");
    Needs::swept(cycles, last, last, threads, None).peak()
}

/// The least memory with which layers up to a number of seeds can be solved, in bytes. With less than
/// [`memory_needed`], a layer lies in temporary files, and is solved in shares.
///
/// ```
/// use granero::build::{least_memory, memory_needed};
/// use granero::Cycles;
///
/// let [least, needed] = [least_memory, memory_needed].map(|it| it(Cycles::Split, 30, 2));
/// assert!(least < needed / 5);
/// ```
///
/// # Panics
///
/// If there are more than 48 seeds.
pub fn least_memory(cycles: Cycles, seeds: u8, threads: usize) -> u64 {
    let last = Layer::new(seeds).expect("at most 48 seeds");
    let least = Needs::least(cycles, last, last, threads).peak();
    memory_needed(cycles, seeds, threads).min(least)
}

/// The fewest bytes of a part of a smaller layer, where layers are solved in shares.
pub(super) const LEAST_PART: u64 = Tuning::USUAL.piece as u64;

/// The memory for the program itself, in bytes: 8 MiB, and some more for the allocator and the stacks.
const PROGRAM: u64 = 20 << 20;

/// The most bytes of a part of a smaller layer, in a build up to this layer.
fn largest_part(last: Layer) -> u64 {
    part_to_read(last).max(largest_matrix(last.seeds().saturating_sub(2)))
}

/// The most bytes that are read of a smaller layer at a time, unless a single row has more.
pub fn part_to_read(last: Layer) -> u64 {
    last.len() / 12
}

/// The memory for the program itself, and for the tables of half-boards with up to `seeds` seeds.
fn tables(seeds: u8) -> u64 {
    // Measured: 72 to 85 bytes for each, with 18 to 36 seeds.
    let half_boards = (0..=seeds).map(|seeds| u64::from(half::count(seeds)));
    half_boards.sum::<u64>() * 88 + PROGRAM
}

/// The most memory for the moves of half-boards without an empty house, in bytes.
fn unreachable_halves(seeds: u8) -> u64 {
    let of_matrix = |own_seeds: u8| {
        let unreachable = (seeds - own_seeds).checked_sub(6).map_or(0, half::count);
        16 * (u64::from(own_seeds) + 1) * u64::from(unreachable)
    };
    (0..=seeds).map(of_matrix).sum()
}

/// The most unreachable positions of a matrix.
fn largest_unreachable_matrix(layer: Layer) -> u64 {
    // Without a seed of each of the opponent's houses these are all positions of a smaller layer.
    layer.seeds().checked_sub(6).map_or(0, largest_matrix)
}

/// The memory for reading a whole layer, in bytes, if parts of smaller ones have `part` bytes at most. It
/// is read, turned, completed, and written to a temporary file.
pub fn reading_memory(cycles: Cycles, layer: Layer, part: u64) -> u64 {
    let numbers = numbers_per_position(cycles);
    // The unreachable positions of one matrix at a time.
    let unreachable = largest_unreachable_matrix(layer) * numbers;
    let completing = unreachable + unreachable_halves(layer.seeds());
    let turning = strip_memory(layer, u64::MAX);
    2 * numbers * layer.len() + part.max(completing).max(turning)
}

/// The memory for reading a finished layer in a build up to `seeds` seeds, in bytes.
pub(super) fn resuming_memory(cycles: Cycles, seeds: u8, layer: Layer) -> u64 {
    let last = Layer::new(seeds).expect("at most 48 seeds");
    reading_memory(cycles, layer, largest_part(last)) + tables(seeds)
}

/// The bytes of the longest row of a matrix, whole lines.
fn longest_row(layer: Layer) -> u64 {
    u64::from(half::count(layer.seeds())) + 128
}

/// The bytes of the largest matrix of a layer.
pub(super) fn largest_matrix(seeds: u8) -> u64 {
    u64::from(half::count(seeds / 2)) * u64::from(half::count(seeds - seeds / 2))
}

/// The numbers that tables hold for each position.
pub fn numbers_per_position(cycles: Cycles) -> u64 {
    cycles.measures().into_iter().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_need_2_2_bytes_and_bounds_5_4() {
        for seeds in 24..=30 {
            let layer = Layer::new(seeds).unwrap();
            let stored = layer.len() - Layer::new(seeds - 6).unwrap().len();
            let needs = |cycles| {
                let needs = Needs::swept(cycles, layer, layer, 1, None);
                (needs.values + needs.status) as f64 / stored as f64
            };
            assert!(needs(Cycles::Split) < 2.20, "{seeds}");
            assert!(needs(Cycles::OwnSide) < 5.40, "{seeds}");
        }
    }
}
